package acp

import (
	"bytes"
	"context"
	"slices"

	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/structure/list"
)

// chain is the part that ByteList and List share: linked elements.
type chain struct {
	p *Process
	l list.List
}

// ListIterator is a position in a list. Only the rank that obtained it may use it. Changes of the list make
// it invalid, except changes at the ends.
type ListIterator struct {
	GA   GA // of the list
	Elem GA // on the rank of the element; at the end, that of the list
}

func (p *Process) newChain(rank Rank) (chain, error) {
	l, err := list.Make(p.mem, int(rank))
	if err != nil {
		return chain{}, p.fail(&OpError{Op: "create list", Rank: p.Rank(), Err: err})
	}
	return chain{p, l}, nil
}

func (p *Process) listAt(ga GA) chain { return chain{p, list.At(p.mem, uint64(ga))} }

// withContext returns the same list.
func (c chain) withContext(ctx context.Context) chain {
	return c.p.WithContext(ctx).listAt(c.address())
}

// failed describes the failure of an operation.
func (c chain) failed(what string, err error) error {
	if err == nil {
		return nil
	}
	return c.p.fail(&OpError{Op: what + " of list", Rank: c.p.Rank(), Dst: c.address(), Err: err})
}

// perform executes an operation without bytes.
func (c chain) perform(what string, op am.Op, args ...uint64) (am.Result, error) {
	r, err := c.l.Do(op, nil, args...)
	return r, c.failed(what, err)
}

// at returns the iterator of an element, or of the end, at an address.
func (c chain) at(ga uint64) ListIterator { return ListIterator{c.address(), GA(ga)} }

// own returns ErrBadIterator for an iterator of another list and for the zero value.
func (c chain) own(it ListIterator) error {
	if it.GA != c.address() || it.Elem == NullGA {
		return ErrBadIterator
	}
	return nil
}

// address returns the address of the control block.
func (c chain) address() GA { return GA(c.l.Address()) }

func (c chain) destroy() error {
	_, err := c.perform("destruction", list.OpDestroy)
	return err
}

func (c chain) clear() error {
	_, err := c.perform("clearing", list.OpClear)
	return err
}

func (c chain) len() (int, error) {
	r, err := c.perform("size", list.OpState)
	return int(r.Val1), err
}

func (c chain) empty() (bool, error) {
	n, err := c.len()
	return n == 0, err
}

func (c chain) begin() (ListIterator, error) {
	r, err := c.perform("beginning", list.OpState)
	return c.at(r.Val0), err
}

func (c chain) end() ListIterator { return c.at(c.l.Address()) }

func (c chain) erase(it ListIterator) (ListIterator, error) {
	if c.own(it) != nil || it.Elem == c.address() {
		return it, c.failed("erasure", ErrBadIterator)
	}
	r, err := c.perform("erasure", list.OpErase, uint64(it.Elem))
	if err != nil {
		return it, err
	}
	return c.at(r.Val0), nil
}

func (c chain) eraseRange(start, end ListIterator) (ListIterator, error) {
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

func (c chain) assignRange(start, end ListIterator) error {
	from := c.p.listAt(start.GA)
	if from.own(start) != nil || from.own(end) != nil {
		return c.failed("assignment", ErrBadIterator)
	}
	_, err := c.perform("assignment", list.OpAssign, from.l.Address(), uint64(start.Elem), uint64(end.Elem))
	return err
}

func (c chain) insertRange(it, start, end ListIterator) (ListIterator, error) {
	from := c.p.listAt(start.GA)
	if c.own(it) != nil || from.own(start) != nil || from.own(end) != nil {
		return it, c.failed("insertion", ErrBadIterator)
	}
	r, err := c.perform("insertion", list.OpInsertRange,
		uint64(it.Elem), from.l.Address(), uint64(start.Elem), uint64(end.Elem))
	if err != nil {
		return it, err
	}
	return c.at(r.Val0), nil
}

func (c chain) splice(it, from ListIterator) error {
	source := c.p.listAt(from.GA)
	if c.own(it) != nil || source.own(from) != nil {
		return c.failed("splicing", ErrBadIterator)
	}
	_, err := c.perform("splicing", list.OpMove, uint64(it.Elem), uint64(from.GA), uint64(from.Elem))
	return err
}

func (c chain) spliceRange(it, start, end ListIterator) error {
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

func (c chain) reverse() error {
	_, err := c.perform("reversal", list.OpReverse)
	return err
}

func (c chain) unique() (int, error) {
	r, err := c.perform("unique", list.OpUnique)
	return int(r.Val0), err
}

func (c chain) advance(it ListIterator, n int) (ListIterator, error) {
	m, err := c.l.Heaps()
	if c.own(it) != nil {
		err = ErrBadIterator
	}
	if err == nil {
		var ga uint64
		if ga, err = m.Step(c.l.Address(), uint64(it.Elem), int64(n)); err == nil {
			return c.at(ga), nil
		}
	}
	return it, c.failed("advance", cause(err))
}

func (c chain) distance(first, last ListIterator) (int, error) {
	m, err := c.l.Heaps()
	if c.own(first) != nil || c.own(last) != nil {
		err = ErrBadIterator
	}
	var n uint64
	if err == nil {
		n, err = m.Distance(c.l.Address(), uint64(first.Elem), uint64(last.Elem))
	}
	return int(n), c.failed("distance", cause(err))
}

func (c chain) deref(it ListIterator) (Element, error) {
	m, err := c.l.Heaps()
	if c.own(it) != nil || it.Elem == c.address() {
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

// pop removes an element: the first if elem is 0, and the last if it is the list.
func (c chain) pop(elem uint64) error {
	_, err := c.perform("pop", list.OpErase, elem)
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
	m, err := c.l.Heaps(with.l.Address())
	if err == nil {
		err = m.Merge(c.l.Address(), with.l.Address(), values, compare)
	}
	return c.failed("merging", cause(err))
}

// insertFrom inserts a copy of e as an element on rank before the one at elem.
func (c chain) insertFrom(what string, elem uint64, e Element, rank Rank) (ListIterator, error) {
	if err := c.p.mem.CheckRank(int(rank)); err != nil {
		return c.at(elem), c.failed(what, err)
	}
	r, err := c.l.DoFrom(list.OpInsert, e.span(), elem, uint64(rank))
	return c.at(r.Val0), c.failed(what, err)
}

// insertBytes is insertFrom with bytes of this process.
func (c chain) insertBytes(what string, elem uint64, b []byte, rank Rank) (ListIterator, error) {
	if err := c.p.mem.CheckRank(int(rank)); err != nil {
		return c.at(elem), c.failed(what, err)
	}
	r, err := c.l.Do(list.OpInsert, b, elem, uint64(rank))
	return c.at(r.Val0), c.failed(what, err)
}

func (c chain) removeBytes(b []byte) (int, error) {
	r, err := c.l.Do(list.OpRemove, b)
	return int(r.Val0), c.failed("removal", err)
}

// insertMany inserts many values, as package list has them, as elements on rank before the one at elem.
func (c chain) insertMany(elem uint64, values []byte, rank Rank) error {
	if err := c.p.mem.CheckRank(int(rank)); err != nil {
		return c.failed("push", err)
	}
	_, err := c.l.Do(list.OpInsertMany, values, elem, uint64(rank))
	return c.failed("push", err)
}

// pushElements inserts copies of many elements.
func (c chain) pushElements(elem uint64, es []Element, rank Rank) error {
	all, err := c.p.elementBytes(es)
	if err != nil {
		return c.failed("push", err)
	}
	var b []byte
	for _, value := range all {
		b = list.AppendValue(b, value)
	}
	return c.insertMany(elem, b, rank)
}

// popElements removes elements at an end and copies them to other elements. It returns the size of each.
func (c chain) popElements(back bool, to []Element) ([]uint64, error) {
	if err := c.p.checkElements(to); err != nil {
		return nil, c.failed("pop", err)
	}
	var values [][]byte
	_, err := c.l.Take(back, len(to), 0, func(value []byte) { values = append(values, bytes.Clone(value)) })
	if back {
		slices.Reverse(values)
	}
	sizes := make([]uint64, len(values))
	for i, value := range values {
		sizes[i] = uint64(len(value))
		values[i] = value[:min(sizes[i], to[i].Size)]
	}
	if err == nil {
		err = c.p.storeElements(to[:len(values)], values)
	}
	return sizes, c.failed("pop", err)
}
