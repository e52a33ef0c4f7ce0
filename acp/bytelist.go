package acp

import "github.com/goacp/goacp/internal/list"

// ByteList is a list of strings of bytes that are linked in both directions. Each lies on
// a rank of its own, at an address that stays the same as long as it is there.
//
// Several ranks may use a list. Those that change it, or use it while another one changes
// it, have to take turns.
//
// An operation costs one round trip if the rank of the list reaches all elements that it
// touches because they lie on its host. Otherwise the caller does it step by step, which
// takes a few round trips; of operations on many elements one for every thousand of them.
// Nothing at all has to travel as long as all ranks are on the caller's host. Spec 4.5.
type ByteList struct{ chain }

// NewByteList makes a list without elements whose control block lies on rank. Fails with
// ErrBadRank and ErrHeapFull. Any rank. Blocks for one round trip. Spec 4.5.6.
func (p *Process) NewByteList(rank Rank) (ByteList, error) {
	c, err := p.newChain(rank)
	return ByteList{c}, err
}

// ByteListAt returns the list whose control block is at ga, as GA says on any rank.
// Local. Does not block. Spec 4.5.6.
func (p *Process) ByteListAt(ga GA) ByteList { return ByteList{p.listAt(ga)} }

// Assign replaces the elements by copies of those of another list. Each copy lies on the
// rank of its original. Fails with ErrHeapFull; the elements are as before then. Any rank.
// Blocks for one round trip. Spec 4.5.2.
func (l ByteList) Assign(from ByteList) error { return l.assign(from.chain) }

// Swap exchanges the elements of two lists. In memory they stay where they are. Any rank.
// Blocks for one round trip. Spec 4.5.25.
func (l ByteList) Swap(with ByteList) error { return l.swap(with.chain) }

// PushBack appends a copy of e, which may lie on any rank, as an element on rank. After a
// failure, such as ErrHeapFull or ErrBadRank, the list is as before. Any rank. Blocks for
// one round trip. Spec 4.5.17.
func (l ByteList) PushBack(e Element, rank Rank) error {
	_, err := l.insertFrom("push", l.l.Address(), e, rank)
	return err
}

// PushFront is PushBack in front. Any rank. Blocks for one round trip. Spec 4.5.18.
func (l ByteList) PushFront(e Element, rank Rank) error {
	_, err := l.insertFrom("push", 0, e, rank)
	return err
}

// Insert inserts a copy of e, which may lie on any rank, as an element on rank before it.
// It returns the iterator of the element. Fails with ErrBadIterator, and as PushBack does.
// Any rank. Blocks for one round trip. Spec 4.5.12.
func (l ByteList) Insert(it ListIterator, e Element, rank Rank) (ListIterator, error) {
	if l.own(it) != nil {
		return it, l.failed("insertion", ErrBadIterator)
	}
	return l.insertFrom("insertion", uint64(it.Elem), e, rank)
}

// PushBackBytes is PushBack with bytes of this process. Any rank. Blocks for one round
// trip. Spec 4.5.17.
func (l ByteList) PushBackBytes(b []byte, rank Rank) error {
	_, err := l.insertBytes("push", l.l.Address(), b, rank)
	return err
}

// PushFrontBytes is PushFront with bytes of this process. Any rank. Blocks for one round
// trip. Spec 4.5.18.
func (l ByteList) PushFrontBytes(b []byte, rank Rank) error {
	_, err := l.insertBytes("push", 0, b, rank)
	return err
}

// InsertBytes is Insert with bytes of this process. Any rank. Blocks for one round trip.
// Spec 4.5.12.
func (l ByteList) InsertBytes(it ListIterator, b []byte, rank Rank) (ListIterator, error) {
	if l.own(it) != nil {
		return it, l.failed("insertion", ErrBadIterator)
	}
	return l.insertBytes("insertion", uint64(it.Elem), b, rank)
}

// PopBack removes the last element if there is one. Any rank. Blocks for one round trip.
// Spec 4.5.15.
func (l ByteList) PopBack() error { return l.pop(l.l.Address()) }

// PopFront removes the first element if there is one. Any rank. Blocks for one round
// trip. Spec 4.5.16.
func (l ByteList) PopFront() error { return l.pop(0) }

// Remove removes every element that has the same bytes as e, which may lie on any rank,
// and returns how many. Any rank. Blocks for one round trip. Spec 4.5.19.
func (l ByteList) Remove(e Element) (uint64, error) {
	r, err := l.l.DoFrom(list.OpRemove, e.span())
	return r.Val0, l.failed("removal", err)
}

// RemoveBytes is Remove with bytes of this process. Any rank. Blocks for one round trip.
// Spec 4.5.19.
func (l ByteList) RemoveBytes(b []byte) (uint64, error) { return l.removeBytes(b) }

// Sort sorts the elements, smallest first, by their links; in memory they stay where they
// are. compare is called on the goroutine of the caller and returns a negative number if a
// comes before b, 0 if they may stay as they are, and a positive one otherwise. It may
// read memory of any rank, but not change the list. Any rank. Blocks for a few round trips
// for every thousand elements. Spec 4.5.22.
func (l ByteList) Sort(compare func(a, b Element) int) error {
	return l.sort(false, ofElements(compare))
}

// Merge merges the elements of with, sorted by compare as those of the list are, into the
// list by their links. Of elements that compare as equal, those of the list come first.
// with has no elements afterwards. With itself a list is merged already. compare and what
// it may do are those of Sort. Any rank. Blocks as Sort does. Spec 4.5.14.
func (l ByteList) Merge(with ByteList, compare func(a, b Element) int) error {
	return l.merge(with.chain, false, ofElements(compare))
}

func ofElements(compare func(a, b Element) int) list.Compare {
	value := func(e *list.Element) Element { return Element{GA(e.GA + list.HeadSize), e.Size} }
	return func(a, b *list.Element) (int, error) { return compare(value(a), value(b)), nil }
}

func (c chain) insertFrom(what string, place uint64, e Element, rank Rank) (ListIterator, error) {
	if rank < 0 || int(rank) >= c.p.procs {
		return c.place(place), c.failed(what, ErrBadRank)
	}
	r, err := c.l.DoFrom(list.OpInsert, e.span(), place, uint64(rank))
	return c.place(r.Val0), c.failed(what, err)
}

func (c chain) insertBytes(what string, place uint64, b []byte, rank Rank) (ListIterator, error) {
	if rank < 0 || int(rank) >= c.p.procs {
		return c.place(place), c.failed(what, ErrBadRank)
	}
	r, err := c.l.Do(list.OpInsert, b, place, uint64(rank))
	return c.place(r.Val0), c.failed(what, err)
}

func (c chain) removeBytes(b []byte) (uint64, error) {
	r, err := c.l.Do(list.OpRemove, b)
	return r.Val0, c.failed("removal", err)
}
