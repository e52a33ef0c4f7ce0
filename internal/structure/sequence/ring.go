package sequence

import (
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/internal/memory/heapview"
)

// vector is the control block of a vector.
//
//goacp:c goacp_vector
type vector struct {
	data     uint64 // address of the storage, 0 if there is none
	size     uint64 // bytes
	capacity uint64 // bytes
	mark     uint64 // behind the words that programs read: see markOf
}

// deque is the control block of a deque.
//
//goacp:c goacp_deque
type deque struct {
	data     uint64
	offset   uint64 // in the storage, of the first byte
	size     uint64
	capacity uint64
	mark     uint64
}

// Numbers that memory does not contain by chance: see markOf.
//
//goacp:c GOACP_
const (
	vectorMark = 0x7ab1_e0fc_6a05_11f0
	dequeMark  = 0x7ab1_e0fc_6a05_11f1
)

// markOf is the last word of the control block of an object at ga. Other memory does not contain it there by
// chance. So a handle of a destroyed object is recognised, whatever the memory is used for now.
func markOf(isDeque bool, ga uint64) uint64 {
	if isDeque {
		return dequeMark ^ ga
	}
	return vectorMark ^ ga
}

// Bytes of the control blocks.
const (
	VectorBlock = uint64(unsafe.Sizeof(vector{}))
	DequeBlock  = uint64(unsafe.Sizeof(deque{}))
)

// ring is an object in an operation: a copy of its control block, and its storage.
type ring struct {
	view    *heapview.View
	deque   bool
	control uint64 // address of the control block

	data     uint64
	offset   uint64 // always 0 in a vector
	size     uint64
	capacity uint64
	storage  []byte
}

// open reads the control block at ga.
func open(view *heapview.View, ga uint64, isDeque bool) (ring, error) {
	r := ring{view: view, deque: isDeque, control: ga}
	var mark uint64
	if isDeque {
		d, err := heapview.At[deque](view, ga)
		if err != nil {
			return r, err
		}
		r.data, r.offset, r.size, r.capacity, mark = d.data, d.offset, d.size, d.capacity, d.mark
	} else {
		v, err := heapview.At[vector](view, ga)
		if err != nil {
			return r, err
		}
		r.data, r.size, r.capacity, mark = v.data, v.size, v.capacity, v.mark
	}
	if mark != markOf(isDeque, ga) {
		return r, fmt.Errorf("%w: no %s is at %#x", heapview.ErrBadAddress, kindOf(isDeque), ga)
	}
	if r.size > r.capacity || r.offset > 0 && r.offset >= r.capacity {
		return r, fmt.Errorf("%w: the control block at %#x is damaged: %d of %d bytes from %d on", heapview.ErrBadAddress, ga, r.size, r.capacity, r.offset)
	}
	var err error
	if r.capacity > 0 {
		r.storage, err = view.Bytes(r.data, r.capacity)
	}
	return r, err
}

// save writes the control block back.
func (r *ring) save() error { return r.saveAs(markOf(r.deque, r.control)) }

// saveAs writes the control block with a mark.
func (r *ring) saveAs(mark uint64) error {
	if r.deque {
		d, err := heapview.At[deque](r.view, r.control)
		if err != nil {
			return err
		}
		*d = deque{r.data, r.offset, r.size, r.capacity, mark}
		return nil
	}
	v, err := heapview.At[vector](r.view, r.control)
	if err != nil {
		return err
	}
	*v = vector{r.data, r.size, r.capacity, mark}
	return nil
}

// position returns the index of byte i in the storage.
func (r *ring) position(i uint64) uint64 {
	at := r.offset + i
	if at >= r.capacity {
		at -= r.capacity
	}
	return at
}

// advance moves the beginning of the ring forward by n bytes, at most its capacity.
func (r *ring) advance(n uint64) {
	if r.offset += n; r.offset >= r.capacity {
		r.offset -= r.capacity
	}
}

// retreat moves the beginning of the ring back by n bytes, at most its capacity.
func (r *ring) retreat(n uint64) {
	if r.offset < n {
		r.offset += r.capacity
	}
	r.offset -= n
}

// stretches returns the n bytes from byte i on, in two parts. The second is empty unless they
// wrap. Byte i need not be in use.
func (r *ring) stretches(i, n uint64) (first, second []byte) {
	at := r.position(i)
	k := min(n, r.capacity-at)
	return r.storage[at : at+k], r.storage[:n-k]
}

// read copies the bytes from i on to b.
func (r *ring) read(b []byte, i uint64) {
	if len(b) > 0 {
		first, second := r.stretches(i, uint64(len(b)))
		copy(b[copy(b, first):], second)
	}
}

// write copies b to the bytes from i on.
func (r *ring) write(i uint64, b []byte) {
	if len(b) > 0 {
		first, second := r.stretches(i, uint64(len(b)))
		copy(second, b[copy(first, b):])
	}
}

// shift moves n bytes from byte i to byte j; the two may overlap.
func (r *ring) shift(j, i, n uint64) {
	if n == 0 || i == j {
		return
	}
	if r.offset+max(i, j)+n <= r.capacity {
		base := r.storage[r.offset:]
		copy(base[j:j+n], base[i:i+n])
		return
	}
	// The bytes move in pieces, in an order that overwrites no byte before it was moved.
	var piece [4096]byte
	for done := uint64(0); done < n; {
		k := min(n-done, uint64(len(piece)))
		at := done
		if j > i {
			at = n - done - k
		}
		r.read(piece[:k], i+at)
		r.write(j+at, piece[:k])
		done += k
	}
}

// reserve makes the capacity at least n bytes. The bytes then begin at the beginning of
// the storage.
func (r *ring) reserve(n uint64) error {
	if n <= r.capacity {
		return nil
	}
	data, storage, err := newStorage(r.view, n)
	if err != nil {
		return err
	}
	r.read(storage[:r.size], 0)
	return r.replace(data, storage)
}

// newStorage makes storage of n bytes.
func newStorage(view *heapview.View, n uint64) (uint64, []byte, error) {
	data, err := view.Alloc(n)
	if err != nil {
		return 0, nil, err
	}
	storage, err := view.Bytes(data, n)
	return data, storage, err
}

// replace gives the object new storage, moves its bytes to the beginning of it, and frees the old storage.
func (r *ring) replace(data uint64, storage []byte) error {
	old := r.data
	r.data, r.storage, r.capacity, r.offset = data, storage, uint64(len(storage)), 0
	if err := r.save(); err != nil || old == 0 {
		return err
	}
	return r.view.Free(old)
}

// maxSize bounds sizes, so that sums of them do not overflow.
const maxSize = 1 << 44

// growth is the capacity up to which storage grows only as far as needed, as it did in the
// historical library. Larger storage grows by half, so many small additions take linear time.
const growth = 1024

// rounded returns the capacity of an object that needs n bytes.
func (r *ring) rounded(n uint64) uint64 {
	if r.deque {
		return n
	}
	return (n + 7) &^ 7
}

// grow makes room for n more bytes.
func (r *ring) grow(n uint64) error {
	if n > maxSize-r.size {
		return heapview.ErrFull
	}
	need := r.size + n
	if need <= r.capacity {
		return nil
	}
	if r.capacity < growth {
		return r.reserve(r.rounded(need))
	}
	more := r.rounded(max(need, r.capacity+r.capacity/2))
	if err := r.reserve(more); err == nil {
		return nil
	}
	return r.reserve(r.rounded(need))
}
