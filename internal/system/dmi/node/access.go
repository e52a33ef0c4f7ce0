package node

import (
	"bytes"
	"encoding/binary"
	"errors"
	"unsafe"

	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/system/dmi/page"
)

// nearMax is the greatest number of bytes that are copied under the lock of a record. More bytes are copied on loan, so that
// a process that serves requests does not wait long for the lock.
const nearMax = 4 << 20

// Read copies global memory to b. An access to several pages is one access to each, in ascending order. Blocks until the bytes are
// there. Fails with ErrNoSpace, ErrRange and ErrMode, for lack of memory, and if the run is over. Without memory for a copy, each mode is Get.
func (n *Node) Read(addr int64, b []byte, mode Mode) error {
	if err := mode.checkRead(); err != nil {
		return err
	}
	if err := n.users.Enter(); err != nil {
		return err
	}
	defer n.users.Leave()
	s, offset, err := n.check(addr, int64(len(b)))
	if err != nil {
		return err
	}
	return s.parts(offset, b, func(p part) error { return n.read(p, mode) })
}

// Write copies b to global memory, as Read does in the other direction. Each page has the bytes, in all processes, when it returns.
func (n *Node) Write(addr int64, b []byte, mode Mode) error {
	if err := mode.checkWrite(); err != nil {
		return err
	}
	if err := n.users.Enter(); err != nil {
		return err
	}
	defer n.users.Leave()
	s, offset, err := n.check(addr, int64(len(b)))
	if err != nil {
		return err
	}
	return s.parts(offset, b, func(p part) error {
		return n.change(p.entry, p.at, int64(len(p.b)), &change{kind: store, in: p.b}, mode)
	})
}

// read reads one page. If there is no memory for a copy of it, it reads at the owner, as with Get.
func (n *Node) read(p part, mode Mode) error {
	err := n.readKept(p, mode)
	if mode != Get && errors.Is(err, heapview.ErrFull) {
		return n.get(p)
	}
	return err
}

// readKept reads one page, and fails if there is no memory for the copy that the mode keeps.
func (n *Node) readKept(p part, mode Mode) error {
	for {
		if ok, err := n.readHere(p); ok || err != nil {
			return err
		}
		if mode == Get || p.entry.unfit() {
			return n.get(p)
		}
		if ok, err := n.fetch(p, mode.copyKind(), 0); ok || err != nil {
			return err
		}
	}
}

// unfit reports whether bytes are in this process, but may not be read now: a Fetch would not help.
func (e *entry) unfit() bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.own != nil || e.copy.Held()
}

// readHere reads bytes that lie on this host, if they may be read now, and reports whether it has.
func (n *Node) readHere(p part) (bool, error) {
	if b := p.near.Load(); b != nil && len(p.b) <= nearMax {
		v, err := b.read(n.over, p.b, p.at)
		if err != nil || v == used {
			return err == nil, err
		}
		if v == stale {
			p.near.CompareAndSwap(b, nil)
		}
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	if !p.copy.Valid() {
		return false, nil
	}
	copy(p.b, p.block.bytes[p.at:])
	if !p.used.Load() {
		p.used.Store(true)
	}
	return true, nil
}

// get reads bytes at the owner of their page.
func (n *Node) get(p part) error {
	r := request{kind: page.Get, at: p.at, size: int64(len(p.b))}
	room := r.size
	if r.size > smallMax {
		r.flags, room = flagLong, 0
	}
	a, b, err := n.ask(p.entry, r, nil, room)
	if err != nil {
		return err
	}
	return n.got(p, &a, b)
}

// got takes the answer to a request for bytes.
func (n *Node) got(p part, a *answer, b []byte) error {
	switch {
	case a.status == untouched:
		clear(p.b)
	case a.status == lent:
		return n.borrowed(p.entry, a, p.at, p.b)
	case a.status != done || len(b) != len(p.b):
		return errMalformed
	default:
		copy(p.b, b)
	}
	return nil
}

// change makes a change in one page.
func (n *Node) change(e *entry, at, size int64, c *change, mode Mode) error {
	for {
		if ok, err := n.changeHere(e, at, size, c); ok || err != nil {
			return err
		}
		if mode == Put {
			return n.put(e, at, size, c)
		}
		if ok, err := n.take(e, at, size, c); ok || err != nil {
			return err
		}
	}
}

// changeHere makes a change in bytes that lie on this host, if they may be changed now, and reports whether it has.
func (n *Node) changeHere(e *entry, at, size int64, c *change) (bool, error) {
	b := e.near.Load()
	if b == nil || c.kind == function || size > nearMax {
		return false, nil
	}
	v, err := b.change(n.over, c, at, size)
	if v == stale {
		e.near.CompareAndSwap(b, nil)
	}
	return err == nil && v == used, err
}

// within returns the page of a range that lies in one page, and where the range begins in it.
func (n *Node) within(addr, size int64) (*entry, int64, error) {
	s, offset, err := n.check(addr, size)
	if err == nil {
		err = s.checkPage(offset, size)
	}
	if err != nil {
		return nil, 0, err
	}
	return s.entry(offset / s.pageSize), offset % s.pageSize, nil
}

// Modify carries out an operation of the library on the bytes of a range of one page, atomically. in goes to the operation, and out comes
// from it. Blocks for a round trip or two. Fails as Write does, and with ErrPages.
func (n *Node) Modify(addr, size int64, op Builtin, in, out []byte, mode Mode) error {
	return n.atomic(addr, size, &change{kind: modify, op: op, in: in, out: out}, mode)
}

func (n *Node) atomic(addr, size int64, c *change, mode Mode) error {
	if err := mode.checkWrite(); err != nil {
		return err
	}
	if err := n.users.Enter(); err != nil {
		return err
	}
	defer n.users.Leave()
	e, at, err := n.within(addr, size)
	if err != nil {
		return err
	}
	if overlap(c.in, c.out) {
		c.in = bytes.Clone(c.in)
	}
	return n.change(e, at, size, c, mode)
}

// SetFunction sets the function of the program for Call. It is called before the first Call of any process.
func (n *Node) SetFunction(f Function) { n.function.Store(&f) }

// Call runs the function of the program on the bytes of a range of one page, atomically, in the process that owns the page, or in this one
// if the mode is Exclusive. in and out may overlap. Fails as Modify does, and with ErrNoFunction.
func (n *Node) Call(addr, size int64, in, out []byte, tag int8, mode Mode) error {
	if err := n.CheckCall(addr, size, mode); err != nil {
		return err
	}
	if len(out) > 0 {
		bytes.IndexByte(out[len(out)-1:], 0) // faults if so much memory is not there
	}
	given := make([]byte, len(out)) // out may share memory with in, and stays as it is if the call fails
	err := n.atomic(addr, size, &change{kind: function, tag: tag, in: in, out: given}, mode)
	if err == nil {
		copy(out, given)
	}
	return err
}

// CompareAndSwap stores bytes at an address if the bytes there equal others of the same number, and reports whether it has. Of no bytes it
// does nothing, and reports true. Fails as Modify does.
func (n *Node) CompareAndSwap(addr int64, compare, swap []byte, mode Mode) (bool, error) {
	if len(compare) != len(swap) {
		return false, ErrSize
	}
	if len(swap) == 0 {
		err := n.checkNothing(addr, mode)
		return err == nil, err
	}
	if len(swap) > smallMax {
		if _, _, err := n.within(addr, int64(len(swap))); err != nil {
			return false, err // so many bytes need not be there
		}
	}
	in := make([]byte, 0, 2*len(swap))
	in = append(append(in, compare...), swap...)
	out := make([]byte, 1)
	err := n.Modify(addr, int64(len(swap)), compareAndSwap, in, out, mode)
	return out[0] == 1, err
}

// Swap stores bytes at an address, and returns those that were there in old, which is as long and may overlap with value. Of no bytes it does
// nothing. Fails as Modify does.
func (n *Node) Swap(addr int64, value, old []byte, mode Mode) error {
	if len(value) != len(old) {
		return ErrSize
	}
	if len(value) == 0 {
		return n.checkNothing(addr, mode)
	}
	return n.Modify(addr, int64(len(value)), swap, value, old, mode)
}

// overlap reports whether two ranges of memory have bytes in common.
func overlap(a, b []byte) bool {
	first, second := uintptr(unsafe.Pointer(unsafe.SliceData(a))), uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return first < second+uintptr(len(b)) && second < first+uintptr(len(a))
}

// checkNothing returns the error of a change of no bytes at an address.
func (n *Node) checkNothing(addr int64, mode Mode) error {
	if err := mode.checkWrite(); err != nil {
		return err
	}
	if err := n.users.Enter(); err != nil {
		return err
	}
	defer n.users.Leave()
	_, _, err := n.check(addr, 0)
	return err
}

// FetchAdd adds to the integer of 8 bytes at an address, and returns what it was before. Fails as Modify does.
func (n *Node) FetchAdd(addr, add int64, mode Mode) (int64, error) {
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, 16), uint64(add))
	old := b[8:16]
	err := n.Modify(addr, 8, fetchAdd, b, old, mode)
	return int64(binary.LittleEndian.Uint64(old)), err
}
