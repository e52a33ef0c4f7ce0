package acp

import (
	"github.com/goacp/goacp/internal/am"
	"github.com/goacp/goacp/internal/list"
)

// chain is what lists of any type have in common: elements that are linked.
type chain struct {
	p *Process
	l list.List
}

// ListIterator is a place in a list. Only the rank that has obtained it may use it, and
// not after the list has been changed otherwise than at its ends.
type ListIterator struct {
	GA   GA // of the list
	Elem GA // of the element, or that of the list for the place at the end
}

func (p *Process) newChain(rank Rank) (chain, error) {
	l, err := list.Make(p.mem, int(rank))
	if err != nil {
		return chain{}, p.fail(&OpError{Op: "create list", Rank: p.Rank(), Err: err})
	}
	return chain{p, l}, nil
}

func (p *Process) listAt(ga GA) chain { return chain{p, list.At(p.mem, uint64(ga))} }

// failed describes the failure of an operation.
func (c chain) failed(what string, err error) error {
	if err == nil {
		return nil
	}
	return c.p.fail(&OpError{Op: what + " of list", Rank: c.p.Rank(), Dst: c.GA(), Err: err})
}

// perform carries out an operation without bytes.
func (c chain) perform(what string, op am.Op, args ...uint64) (am.Result, error) {
	r, err := c.l.Do(op, nil, args...)
	return r, c.failed(what, err)
}

// place returns the iterator of a place.
func (c chain) place(ga uint64) ListIterator { return ListIterator{c.GA(), GA(ga)} }

// own returns ErrBadIterator for an iterator of another list and for none.
func (c chain) own(it ListIterator) error {
	if it.GA != c.GA() || it.Elem == NullGA {
		return ErrBadIterator
	}
	return nil
}

// GA returns the address of the control block, by which other ranks use the list too.
// Local. Does not block.
func (c chain) GA() GA { return GA(c.l.Address()) }

// Destroy frees the elements and the list. Any rank. Blocks for one round trip. Spec
// 4.5.7.
func (c chain) Destroy() error {
	_, err := c.perform("destruction", list.OpDestroy)
	return err
}

// Clear removes all elements. Any rank. Blocks for one round trip. Spec 4.5.5.
func (c chain) Clear() error {
	_, err := c.perform("clearing", list.OpClear)
	return err
}

// Size returns the number of elements. Any rank. Blocks for one round trip. Spec 4.5.21.
func (c chain) Size() (uint64, error) {
	r, err := c.perform("size", list.OpState)
	return r.Val1, err
}

// Empty reports whether there are no elements. Any rank. Blocks for one round trip. Spec
// 4.5.8.
func (c chain) Empty() (bool, error) {
	n, err := c.Size()
	return n == 0, err
}

// Begin returns the iterator of the first element, or End if there is none. Any rank.
// Blocks for one round trip. Spec 4.5.4.
func (c chain) Begin() (ListIterator, error) {
	r, err := c.perform("beginning", list.OpState)
	return c.place(r.Val0), err
}

// End returns the iterator behind the last element. Local. Does not block. Spec 4.5.9.
func (c chain) End() ListIterator { return c.place(c.l.Address()) }

// Erase removes the element of it and returns the iterator of the next one. Fails with
// ErrBadIterator, also for End. Any rank. Blocks for one round trip. Spec 4.5.10.
func (c chain) Erase(it ListIterator) (ListIterator, error) {
	if c.own(it) != nil || it.Elem == c.GA() {
		return it, c.failed("erasure", ErrBadIterator)
	}
	r, err := c.perform("erasure", list.OpErase, uint64(it.Elem))
	if err != nil {
		return it, err
	}
	return c.place(r.Val0), nil
}

// EraseRange removes the elements from start to before end, and returns end. Fails with
// ErrBadIterator if end does not follow start. Any rank. Blocks for one round trip. Spec
// 4.5.11.
func (c chain) EraseRange(start, end ListIterator) (ListIterator, error) {
	if c.own(start) != nil || c.own(end) != nil {
		return end, c.failed("erasure", ErrBadIterator)
	}
	_, err := c.perform("erasure", list.OpEraseRange, uint64(start.Elem), uint64(end.Elem))
	return end, err
}

func (c chain) assign(from chain) error {
	_, err := c.perform("assignment", list.OpAssign, from.l.Address())
	return err
}

// AssignRange replaces the elements by copies of those from start to before end, of this
// or of another list. Each copy lies on the rank of its original. Fails with
// ErrBadIterator, and with ErrHeapFull; the elements are as before then. Any rank.
// Blocks for one round trip. Spec 4.5.3.
func (c chain) AssignRange(start, end ListIterator) error {
	from := c.p.listAt(start.GA)
	if from.own(start) != nil || from.own(end) != nil {
		return c.failed("assignment", ErrBadIterator)
	}
	_, err := c.perform("assignment", list.OpAssign, from.l.Address(), uint64(start.Elem), uint64(end.Elem))
	return err
}

// InsertRange inserts copies of the elements from start to before end, of this or of
// another list, before it. Each copy lies on the rank of its original. It returns the
// iterator of the first copy, and it itself if the range is empty. Fails as AssignRange
// does. Any rank. Blocks for one round trip. Spec 4.5.13.
func (c chain) InsertRange(it, start, end ListIterator) (ListIterator, error) {
	from := c.p.listAt(start.GA)
	if c.own(it) != nil || from.own(start) != nil || from.own(end) != nil {
		return it, c.failed("insertion", ErrBadIterator)
	}
	r, err := c.perform("insertion", list.OpInsertRange,
		uint64(it.Elem), from.l.Address(), uint64(start.Elem), uint64(end.Elem))
	if err != nil {
		return it, err
	}
	return c.place(r.Val0), nil
}

// Splice moves the element of from, of this or of another list, before it. In memory it
// stays where it is. With an end as from it does nothing. Fails with ErrBadIterator. Any
// rank. Blocks for one round trip. Spec 4.5.23.
func (c chain) Splice(it, from ListIterator) error {
	source := c.p.listAt(from.GA)
	if c.own(it) != nil || source.own(from) != nil {
		return c.failed("splicing", ErrBadIterator)
	}
	_, err := c.perform("splicing", list.OpMove, uint64(it.Elem), uint64(from.GA), uint64(from.Elem))
	return err
}

// SpliceRange moves the elements from start to before end, of this or of another list,
// before it. In memory they stay where they are. Fails with ErrBadIterator, also if it is
// one of those that move and not the first. Any rank. Blocks for one round trip. Spec
// 4.5.24.
func (c chain) SpliceRange(it, start, end ListIterator) error {
	from := c.p.listAt(start.GA)
	if c.own(it) != nil || from.own(start) != nil || from.own(end) != nil {
		return c.failed("splicing", ErrBadIterator)
	}
	_, err := c.perform("splicing", list.OpMove,
		uint64(it.Elem), from.l.Address(), uint64(start.Elem), uint64(end.Elem))
	return err
}

func (c chain) swap(with chain) error {
	_, err := c.perform("swap", list.OpSwap, with.l.Address())
	return err
}

// Reverse puts the elements in the opposite order. In memory they stay where they are.
// Any rank. Blocks for one round trip. Spec 4.5.20.
func (c chain) Reverse() error {
	_, err := c.perform("reversal", list.OpReverse)
	return err
}

// Unique removes every element that has the same bytes as the one before, and returns
// how many. Any rank. Blocks for one round trip. Spec 4.5.26.
func (c chain) Unique() (uint64, error) {
	r, err := c.perform("unique", list.OpUnique)
	return r.Val0, err
}

// Advance returns the iterator n elements further, or back if n is negative. It goes no
// further than End, nor back from the first element. Fails with ErrBadIterator. Any rank.
// Blocks for two round trips for some thousand elements. Spec 4.5.27.
func (c chain) Advance(it ListIterator, n int) (ListIterator, error) {
	m, err := c.l.Heaps()
	if c.own(it) != nil {
		err = ErrBadIterator
	}
	if err == nil {
		var ga uint64
		if ga, err = m.Step(c.l.Address(), uint64(it.Elem), int64(n)); err == nil {
			return c.place(ga), nil
		}
	}
	return it, c.failed("advance", cause(err))
}

// Next is Advance by one. Any rank. Blocks for one round trip. Spec 4.5.31.
func (c chain) Next(it ListIterator) (ListIterator, error) { return c.Advance(it, 1) }

// Prev is Advance by one, back. Any rank. Blocks for one round trip. Spec 4.5.28.
func (c chain) Prev(it ListIterator) (ListIterator, error) { return c.Advance(it, -1) }

// Distance returns how many elements it takes to advance from first to last, or to End if
// last does not follow. Fails with ErrBadIterator. Any rank. Blocks for two round trips
// for some thousand elements. Spec 4.5.30.
func (c chain) Distance(first, last ListIterator) (uint64, error) {
	m, err := c.l.Heaps()
	if c.own(first) != nil || c.own(last) != nil {
		err = ErrBadIterator
	}
	var n uint64
	if err == nil {
		n, err = m.Distance(c.l.Address(), uint64(first.Elem), uint64(last.Elem))
	}
	return n, c.failed("distance", cause(err))
}

// Deref returns where the bytes of an element are. Fails with ErrBadIterator, also for
// End. Any rank. Blocks for one round trip. Spec 4.5.29.
func (c chain) Deref(it ListIterator) (Element, error) {
	m, err := c.l.Heaps()
	if c.own(it) != nil || it.Elem == c.GA() {
		err = ErrBadIterator
	}
	var n uint64
	if err == nil {
		n, err = m.Size(uint64(it.Elem))
	}
	if err != nil {
		return Element{}, c.failed("dereference", cause(err))
	}
	return Element{it.Elem + GA(list.HeadSize), n}, nil
}

// pop removes an element: the first if place is 0, and the last if it is the list.
func (c chain) pop(place uint64) error {
	_, err := c.perform("pop", list.OpErase, place)
	return err
}

// sort sorts. The elements have values if those are asked for.
func (c chain) sort(values bool, compare list.Compare) error {
	m, err := c.l.Heaps()
	if err == nil {
		err = m.Sort(c.l.Address(), values, compare)
	}
	return c.failed("sorting", cause(err))
}

func (c chain) merge(with chain, values bool, compare list.Compare) error {
	m, err := c.l.Heaps()
	if err == nil {
		err = m.Merge(c.l.Address(), with.l.Address(), values, compare)
	}
	return c.failed("merging", cause(err))
}
