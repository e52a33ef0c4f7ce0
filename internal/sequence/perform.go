package sequence

import (
	"errors"
	"unsafe"

	"github.com/goacp/goacp/internal/site"
)

// The operations. GA is the address of the object. Those of deques have the same
// numbers from site.OpDeque on.
const (
	OpCreate   = site.OpVector + iota // Args[0] bytes of storage, of which Args[1] are in use; Vals[0] is the address
	OpDestroy                         // frees storage and control block
	OpState                           // Vals are size and capacity
	OpFind                            // the Args[1] bytes from byte Args[0] on: see find
	OpAssign                          // the bytes become Data and More
	OpInsert                          // Data and More before byte Args[0], or at the end if that is beyond; Vals[0] is where
	OpErase                           // Args[1] bytes from byte Args[0] on
	OpPush                            // Data at the end, or in front if Args[0] is 1
	OpPop                             // Args[1] bytes at the end, or in front if Args[0] is 1; they go to Out, Vals[0] is how many
	OpReserve                         // capacity for Args[0] bytes
	OpClear                           // no bytes
	OpExchange                        // exchanges the contents with the object at Args[0] of the same rank
	OpAdopt                           // the block Args[0] of Args[2] bytes, of which Args[1] are in use, becomes the storage
)

// Perform carries out an operation on a vector or a deque.
func Perform(s *site.Site, c *site.Call) (site.Result, error) {
	isDeque := c.Op >= site.OpDeque
	op := c.Op
	if isDeque {
		op -= site.OpDeque - site.OpVector
	}
	if op == OpCreate {
		return create(s, c, isDeque)
	}
	r, err := open(s, c.GA, isDeque)
	if err != nil {
		return site.Result{}, err
	}
	switch op {
	case OpDestroy:
		return site.Result{}, r.destroy()
	case OpState:
		return site.Result{Vals: [2]uint64{r.size, r.capacity}}, nil
	case OpFind:
		return r.find(c)
	case OpAssign:
		return site.Result{}, r.assign(joined(c))
	case OpInsert:
		at := min(c.Args[0], r.size)
		return site.Result{Vals: [2]uint64{at}}, r.insert(at, joined(c))
	case OpErase:
		return site.Result{}, r.erase(c.Args[0], c.Args[1])
	case OpPush:
		return site.Result{}, r.push(c.Data, c.Args[0] == 1)
	case OpPop:
		return r.pop(c)
	case OpReserve:
		if c.Args[0] > maxSize {
			return site.Result{}, site.ErrFull
		}
		return site.Result{}, r.reserve(r.rounded(c.Args[0]))
	case OpClear:
		r.size, r.offset = 0, 0
		return site.Result{}, r.save()
	case OpExchange:
		return site.Result{}, r.exchange(c.Args[0])
	case OpAdopt:
		return site.Result{}, r.adopt(c)
	}
	return site.Result{}, site.ErrBadCall
}

// joined returns Data and More in one piece.
func joined(c *site.Call) []byte {
	if len(c.More) == 0 {
		return c.Data
	}
	return append(append(make([]byte, 0, len(c.Data)+len(c.More)), c.Data...), c.More...)
}

func create(s *site.Site, c *site.Call, isDeque bool) (site.Result, error) {
	r := ring{s: s, deque: isDeque}
	if c.Args[0] > maxSize {
		return site.Result{}, site.ErrFull
	}
	block := VectorBlock
	if isDeque {
		block = DequeBlock
	}
	var err error
	if r.control, err = s.Alloc(block); err != nil {
		return site.Result{}, err
	}
	if n := (c.Args[0] + 7) &^ 7; n > 0 {
		r.data, r.storage, err = newStorage(s, n)
		r.capacity = n
	}
	if err == nil {
		r.size = c.Args[1]
		err = r.save()
	}
	if err != nil {
		return site.Result{}, errors.Join(err, s.Free(r.control))
	}
	return site.Result{Vals: [2]uint64{r.control}}, nil
}

func (r *ring) destroy() error {
	data := r.data
	// A handle that is used all the same finds an empty object while the block is free.
	*r = ring{s: r.s, deque: r.deque, control: r.control}
	err := errors.Join(r.save(), r.s.Free(r.control))
	if data != 0 {
		err = errors.Join(err, r.s.Free(data))
	}
	return err
}

// find returns in Vals the address of byte Args[0] and how many of the Args[1] bytes
// from there on lie in one stretch, and to Out, if there is room for two words, the
// address and length of the rest. Bytes beyond the end are left out; the address is 0
// if there is none.
func (r *ring) find(c *site.Call) (site.Result, error) {
	i, n := c.Args[0], c.Args[1]
	if i >= r.size {
		return site.Result{}, nil
	}
	n = min(n, r.size-i)
	at := r.position(i)
	first := min(n, r.capacity-at)
	result := site.Result{Vals: [2]uint64{r.data + at, first}}
	if rest := n - first; rest > 0 && len(c.Out) >= 16 {
		words := [2]uint64{r.data, rest}
		result.N = copy(c.Out, unsafe.Slice((*byte)(unsafe.Pointer(&words)), 16))
	}
	return result, nil
}

// own returns b, or a copy of it if it is part of the storage, which is about to be
// changed.
func (r *ring) own(b []byte) []byte {
	if len(b) == 0 || len(r.storage) == 0 {
		return b
	}
	off := uintptr(unsafe.Pointer(&b[0])) - uintptr(unsafe.Pointer(&r.storage[0]))
	if off < uintptr(len(r.storage)) || off > -uintptr(len(b)) {
		return append([]byte(nil), b...)
	}
	return b
}

func (r *ring) assign(b []byte) error {
	b = r.own(b)
	n := uint64(len(b))
	if n > maxSize {
		return site.ErrFull
	}
	if n > r.capacity {
		data, storage, err := newStorage(r.s, r.rounded(n))
		if err != nil {
			return err
		}
		copy(storage, b)
		r.size = n
		return r.replace(data, storage)
	}
	r.offset, r.size = 0, n
	r.write(0, b)
	return r.save()
}

// insert inserts b before byte i, by moving the shorter side of a deque.
func (r *ring) insert(i uint64, b []byte) error {
	b = r.own(b)
	n := uint64(len(b))
	if err := r.grow(n); err != nil {
		return err
	}
	if r.deque && i < r.size/2 {
		r.retreat(n)
		r.shift(0, n, i)
	} else {
		r.shift(i+n, i, r.size-i)
	}
	r.write(i, b)
	r.size += n
	return r.save()
}

// retreat lets the ring begin n bytes earlier.
func (r *ring) retreat(n uint64) {
	if r.capacity > 0 {
		r.offset = (r.offset + r.capacity - n) % r.capacity
	}
}

func (r *ring) erase(i, n uint64) error {
	if i >= r.size {
		return nil
	}
	n = min(n, r.size-i)
	r.shift(i, i+n, r.size-i-n)
	r.size -= n
	return r.save()
}

func (r *ring) push(b []byte, front bool) error {
	if !front {
		if uint64(len(b)) > r.capacity-r.size {
			b = r.own(b)
		}
		if err := r.grow(uint64(len(b))); err != nil {
			return err
		}
		r.write(r.size, b)
		r.size += uint64(len(b))
		return r.save()
	}
	b = r.own(b)
	if err := r.grow(uint64(len(b))); err != nil {
		return err
	}
	r.retreat(uint64(len(b)))
	r.write(0, b)
	r.size += uint64(len(b))
	return r.save()
}

func (r *ring) pop(c *site.Call) (site.Result, error) {
	n := min(c.Args[1], r.size)
	result := site.Result{Vals: [2]uint64{n}}
	from := r.size - n
	if c.Args[0] == 1 {
		from = 0
	}
	if len(c.Out) > 0 {
		result.N = int(min(n, uint64(len(c.Out))))
		r.read(c.Out[:result.N], from)
	}
	if c.Args[0] == 1 && r.capacity > 0 {
		r.offset = (r.offset + n) % r.capacity
	}
	r.size -= n
	return result, r.save()
}

func (r *ring) exchange(with uint64) error {
	o, err := open(r.s, with, r.deque)
	if err != nil {
		return err
	}
	r.straighten()
	o.straighten()
	r.control, o.control = o.control, r.control
	return errors.Join(r.save(), o.save())
}

// straighten makes the bytes begin at the beginning of the storage.
func (r *ring) straighten() {
	if r.offset == 0 {
		return
	}
	b := make([]byte, r.size)
	r.read(b, 0)
	r.offset = 0
	r.write(0, b)
}

// adopt makes a block, that somebody has filled, the storage.
func (r *ring) adopt(c *site.Call) error {
	data, size, capacity := c.Args[0], c.Args[1], c.Args[2]
	if size > capacity {
		return site.ErrBadCall
	}
	var storage []byte
	if capacity > 0 {
		var err error
		if storage, err = r.s.Bytes(data, capacity); err != nil {
			return err
		}
	}
	r.size = size
	return r.replace(data, storage)
}
