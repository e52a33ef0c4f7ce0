package sequence

import (
	"errors"
	"unsafe"

	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/network/am"
)

// The operations. GA is the address of the object. Those of deques have the same
// numbers from am.OpDeque on.
const (
	OpCreate   = am.OpVector + iota // Args[0] bytes of storage, of which Args[1] are in use, zeros if Args[2] is 1; Val0 is the address
	OpDestroy                       // frees storage and control block
	OpState                         // Val0 and Val1 are size and capacity
	OpFind                          // finds the Args[1] bytes from byte Args[0] on: see find
	OpRead                          // copies the bytes from byte Args[0] on to Out
	OpWrite                         // Data replaces the bytes from byte Args[0] on; Val0 is 1, or 0 if there are fewer
	OpAssign                        // replaces the bytes by the input: see source
	OpInsert                        // inserts the input before byte Args[0], or at the end if that is beyond; Val0 is the position
	OpErase                         // erases Args[1] bytes from byte Args[0] on
	OpPush                          // adds the input at the end, or in front if Args[0] is 1
	OpPop                           // removes Args[1] bytes at the end, or in front if Args[0] is 1; they go to Out, Val0 is how many
	OpReserve                       // makes the capacity at least Args[0] bytes
	OpClear                         // removes all bytes
	OpExchange                      // exchanges the contents with the object at Args[0] of the same rank
	OpAdopt                         // makes the block Args[0] of Args[2] bytes, of which Args[1] are in use, the storage
)

// names are the names of the operations in messages.
var names = [...]string{
	OpCreate - am.OpVector:   "creation",
	OpDestroy - am.OpVector:  "destruction",
	OpState - am.OpVector:    "size",
	OpFind - am.OpVector:     "look-up",
	OpRead - am.OpVector:     "reading",
	OpWrite - am.OpVector:    "replacement",
	OpAssign - am.OpVector:   "assignment",
	OpInsert - am.OpVector:   "insertion",
	OpErase - am.OpVector:    "erasure",
	OpPush - am.OpVector:     "push",
	OpPop - am.OpVector:      "pop",
	OpReserve - am.OpVector:  "reservation",
	OpClear - am.OpVector:    "clearing",
	OpExchange - am.OpVector: "exchange",
	OpAdopt - am.OpVector:    "adoption",
}

// Operations returns the operations for the table of a process.
func Operations() []am.Operation {
	run := func(view *heapview.View, c am.Call) (am.Result, error) { return Perform(view, &c) }
	var list []am.Operation
	for i, name := range names {
		list = append(list,
			am.Operation{Op: am.OpVector + am.Op(i), Name: name + " of a vector", Run: run},
			am.Operation{Op: am.OpDeque + am.Op(i), Name: name + " of a deque", Run: run})
	}
	return list
}

// Perform carries out an operation on a vector or a deque.
func Perform(view *heapview.View, c *am.Call) (am.Result, error) {
	isDeque := c.Op >= am.OpDeque
	op := c.Op
	if isDeque {
		op -= am.OpDeque - am.OpVector
	}
	if op == OpCreate {
		return create(view, c, isDeque)
	}
	r, err := open(view, c.GA, isDeque)
	if err != nil {
		return am.Result{}, err
	}
	switch op {
	case OpDestroy:
		return am.Result{}, r.destroy()
	case OpState:
		return am.Result{Val0: r.size, Val1: r.capacity}, nil
	case OpFind:
		return r.find(c)
	case OpRead:
		return r.copyOut(c), nil
	case OpWrite:
		return r.overwrite(c), nil
	case OpAssign:
		return am.Result{}, r.assign(c)
	case OpInsert:
		return r.insert(c)
	case OpErase:
		return am.Result{}, r.erase(c.Args[0], c.Args[1])
	case OpPush:
		return am.Result{}, r.push(c)
	case OpPop:
		return r.pop(c)
	case OpReserve:
		if c.Args[0] > maxSize {
			return am.Result{}, heapview.ErrFull
		}
		return am.Result{}, r.reserve(r.rounded(c.Args[0]))
	case OpClear:
		r.size, r.offset = 0, 0
		return am.Result{}, r.save()
	case OpExchange:
		return am.Result{}, r.exchange(c.Args[0])
	case OpAdopt:
		return am.Result{}, r.adopt(c)
	}
	return am.Result{}, am.ErrMalformed
}

func create(view *heapview.View, c *am.Call, isDeque bool) (am.Result, error) {
	r := ring{view: view, deque: isDeque}
	if c.Args[0] > maxSize {
		return am.Result{}, heapview.ErrFull
	}
	if c.Args[1] > c.Args[0] {
		return am.Result{}, am.ErrMalformed
	}
	block := VectorBlock
	if isDeque {
		block = DequeBlock
	}
	var err error
	if r.control, err = view.Alloc(block); err != nil {
		return am.Result{}, err
	}
	if n := (c.Args[0] + 7) &^ 7; n > 0 {
		r.data, r.storage, err = newStorage(view, n)
		r.capacity = n
	}
	if err == nil {
		r.size = c.Args[1]
		if c.Args[2] == 1 {
			clear(r.storage)
		}
		err = r.save()
	}
	if err != nil {
		return am.Result{}, errors.Join(err, view.Free(r.control))
	}
	return am.Result{Val0: r.control}, nil
}

// destroy erases the mark, so later uses of the handle fail, and frees the storage and the
// control block.
func (r *ring) destroy() error {
	if err := r.saveAs(0); err != nil {
		return err
	}
	if err := r.view.Free(r.control); err != nil {
		return errors.Join(err, r.save()) // it was not a control block
	}
	if r.data == 0 {
		return nil
	}
	return r.view.Free(r.data)
}

// find returns in Val0 the address of byte Args[0], and in Val1 how many of the Args[1] bytes from there on
// lie in one stretch. If Out has room for two words, it writes the address and the length of the rest to Out.
// It leaves out bytes beyond the end. The address is 0 if there are no bytes. The end of a vector has an
// address, because programs compare it with other addresses.
func (r *ring) find(c *am.Call) (am.Result, error) {
	i, n := c.Args[0], c.Args[1]
	if i > r.size || i == r.size && (r.deque || r.data == 0) {
		return am.Result{}, nil
	}
	if !r.deque {
		return am.Result{Val0: r.data + i, Val1: min(n, r.size-i)}, nil
	}
	n = min(n, r.size-i)
	at := r.position(i)
	first := min(n, r.capacity-at)
	result := am.Result{Val0: r.data + at, Val1: first}
	if rest := n - first; rest > 0 && len(c.Out) >= 16 {
		words := [2]uint64{r.data, rest}
		result.N = copy(c.Out, unsafe.Slice((*byte)(unsafe.Pointer(&words)), 16))
	}
	return result, nil
}

// copyOut copies bytes to Out.
func (r *ring) copyOut(c *am.Call) am.Result {
	i := min(c.Args[0], r.size)
	n := min(r.size-i, uint64(len(c.Out)))
	r.read(c.Out[:n], i)
	return am.Result{N: int(n)}
}

// overwrite copies Data over bytes that are there.
func (r *ring) overwrite(c *am.Call) am.Result {
	i, n := c.Args[0], uint64(len(c.Data))
	if i > r.size || n > r.size-i {
		return am.Result{}
	}
	r.write(i, c.Data)
	return am.Result{Val0: 1}
}

// input holds the input bytes of an operation, in two parts.
type input struct{ first, second []byte }

func (in input) size() uint64 { return uint64(len(in.first) + len(in.second)) }

// source returns the input: Data and More or, if Args[1] is the address of another object of this rank,
// Args[3] of its bytes from byte Args[2] on, or fewer if it has fewer. If the input is part of the storage
// that the operation is about to change, source returns a copy.
func (r *ring) source(c *am.Call) (input, error) {
	in := input{c.Data, c.More}
	if c.Args[1] != 0 {
		o, err := open(r.view, c.Args[1], r.deque)
		if err != nil {
			return in, err
		}
		i := min(c.Args[2], o.size)
		in.first, in.second = o.stretches(i, min(c.Args[3], o.size-i))
	}
	if r.owns(in.first) || r.owns(in.second) {
		in = input{first: append(append(make([]byte, 0, in.size()), in.first...), in.second...)}
	}
	return in, nil
}

// owns reports whether b has bytes of the storage.
func (r *ring) owns(b []byte) bool {
	if len(b) == 0 || len(r.storage) == 0 {
		return false
	}
	off := uintptr(unsafe.Pointer(&b[0])) - uintptr(unsafe.Pointer(&r.storage[0]))
	return off < uintptr(len(r.storage)) || off > -uintptr(len(b))
}

// put copies in to the bytes from i on.
func (r *ring) put(i uint64, in input) {
	r.write(i, in.first)
	r.write(i+uint64(len(in.first)), in.second)
}

func (r *ring) assign(c *am.Call) error {
	in, err := r.source(c)
	if err != nil {
		return err
	}
	n := in.size()
	if n > maxSize {
		return heapview.ErrFull
	}
	if n <= r.capacity {
		r.offset, r.size = 0, n
		r.put(0, in)
		return r.save()
	}
	data, storage, err := newStorage(r.view, r.rounded(n))
	if err != nil {
		return err
	}
	copy(storage[copy(storage, in.first):], in.second)
	r.size = n
	return r.replace(data, storage)
}

// insert makes room by moving the shorter side of a deque, or the bytes behind in a vector.
func (r *ring) insert(c *am.Call) (am.Result, error) {
	in, err := r.source(c)
	if err != nil {
		return am.Result{}, err
	}
	i, n := min(c.Args[0], r.size), in.size()
	if err := r.grow(n); err != nil {
		return am.Result{}, err
	}
	if r.deque && i < r.size-i {
		r.retreat(n)
		r.shift(0, n, i)
	} else {
		r.shift(i+n, i, r.size-i)
	}
	r.put(i, in)
	r.size += n
	return am.Result{Val0: i}, r.save()
}

// erase closes the gap by moving the side that insert moves.
func (r *ring) erase(i, n uint64) error {
	if i >= r.size {
		return nil
	}
	n = min(n, r.size-i)
	behind := r.size - i - n
	if r.deque && i < behind {
		r.shift(n, 0, i)
		r.advance(n)
	} else {
		r.shift(i, i+n, behind)
	}
	r.size -= n
	return r.save()
}

func (r *ring) push(c *am.Call) error {
	in, err := r.source(c)
	if err != nil {
		return err
	}
	n := in.size()
	if err := r.grow(n); err != nil {
		return err
	}
	at := r.size
	if c.Args[0] == 1 {
		r.retreat(n)
		at = 0
	}
	r.put(at, in)
	r.size += n
	return r.save()
}

func (r *ring) pop(c *am.Call) (am.Result, error) {
	n := min(c.Args[1], r.size)
	result := am.Result{Val0: n}
	from := r.size - n
	if c.Args[0] == 1 {
		from = 0
	}
	if len(c.Out) > 0 {
		result.N = int(min(n, uint64(len(c.Out))))
		r.read(c.Out[:result.N], from)
	}
	if c.Args[0] == 1 {
		r.advance(n)
	}
	r.size -= n
	return result, r.save()
}

func (r *ring) exchange(with uint64) error {
	o, err := open(r.view, with, r.deque)
	if err != nil || with == r.control {
		return err
	}
	r.straighten()
	o.straighten()
	r.control, o.control = o.control, r.control
	return errors.Join(r.save(), o.save())
}

// straighten moves the bytes to the beginning of the storage.
func (r *ring) straighten() {
	if r.offset == 0 {
		return
	}
	b := make([]byte, r.size)
	r.read(b, 0)
	r.offset = 0
	r.write(0, b)
}

// adopt makes a block that the caller has filled the storage.
func (r *ring) adopt(c *am.Call) error {
	data, size, capacity := c.Args[0], c.Args[1], c.Args[2]
	if size > capacity || data == r.data && data != 0 {
		return am.ErrMalformed
	}
	var storage []byte
	if capacity > 0 {
		var err error
		if storage, err = r.view.Bytes(data, capacity); err != nil {
			return err
		}
	}
	r.size = size
	return r.replace(data, storage)
}
