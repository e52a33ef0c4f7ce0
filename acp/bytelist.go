package acp

import (
	"context"

	"github.com/goacp/goacp/internal/structure/list"
)

// ByteList is a list of strings of bytes that are linked in both directions. Each element may lie on a
// different rank. Its address stays the same until it is removed.
//
// Several ranks may use a list. While a rank changes it, no other rank may use it.
//
// An operation costs one round trip if all elements that it touches lie on the host of the list's rank.
// Otherwise the caller executes it step by step, in a few round trips; an operation on many elements takes
// one for every thousand elements. If all these ranks are on the caller's host, no message is sent.
//
// An element on a rank that has left the run or is lost is gone. An operation that meets one fails with ErrRankGone and changes
// nothing, except for Clear, Destroy and the receiver of Assign. Spec 4.5.
type ByteList struct{ c chain }

// NewByteList makes a list without elements whose control block lies on rank. Fails with
// ErrBadRank and ErrHeapFull. Any rank. Blocks for one round trip. Spec 4.5.6.
func (p *Process) NewByteList(rank Rank) (ByteList, error) {
	c, err := p.newChain(rank)
	return ByteList{c}, err
}

// ByteListAt returns the list whose Address is ga. Local. Does not block. Spec 4.5.6.
func (p *Process) ByteListAt(ga GA) ByteList { return ByteList{p.listAt(ga)} }

// WithContext returns the same list. When ctx ends, blocking methods of the result return early; see
// Process.WithContext. Local. Does not block.
func (l ByteList) WithContext(ctx context.Context) ByteList { return ByteList{l.c.withContext(ctx)} }

// Address returns the address by which other ranks reach the list. Local. Does not block.
func (l ByteList) Address() GA { return l.c.address() }

// Destroy frees the elements and the list, as Clear does. Any rank. Blocks for one round trip. Spec 4.5.7.
func (l ByteList) Destroy() error { return l.c.destroy() }

// Len returns the number of elements. Any rank. Blocks for one round trip. Spec 4.5.21.
func (l ByteList) Len() (int, error) { return l.c.len() }

// Empty reports whether there are no elements. Any rank. Blocks for one round trip. Spec
// 4.5.8.
func (l ByteList) Empty() (bool, error) { return l.c.empty() }

// Clear removes all elements. If some are on ranks that are gone, it frees the other elements from both ends up to the first of
// those. Any rank. Blocks for one round trip. Spec 4.5.5.
func (l ByteList) Clear() error { return l.c.clear() }

// Begin returns the iterator of the first element, or End if there is none. Any rank.
// Blocks for one round trip. Spec 4.5.4.
func (l ByteList) Begin() (ListIterator, error) { return l.c.begin() }

// End returns the iterator behind the last element. Local. Does not block. Spec 4.5.9.
func (l ByteList) End() ListIterator { return l.c.end() }

// Next is Advance by one. Any rank. Blocks for one round trip. Spec 4.5.31.
func (l ByteList) Next(it ListIterator) (ListIterator, error) { return l.c.advance(it, 1) }

// Prev is Advance by one, back. Any rank. Blocks for one round trip. Spec 4.5.28.
func (l ByteList) Prev(it ListIterator) (ListIterator, error) { return l.c.advance(it, -1) }

// Advance returns the iterator n elements further, or back if n is negative. It goes no
// further than End, nor back from the first element. Fails with ErrBadIterator. Any rank.
// Blocks for two round trips for some thousand elements. Spec 4.5.27.
func (l ByteList) Advance(it ListIterator, n int) (ListIterator, error) {
	return l.c.advance(it, n)
}

// Distance returns the number of steps from first to last, or to End if last does not follow first. Fails
// with ErrBadIterator. Any rank. Blocks for two round trips for some thousand elements. Spec 4.5.30.
func (l ByteList) Distance(first, last ListIterator) (int, error) {
	return l.c.distance(first, last)
}

// Deref returns where the bytes of an element are. Fails with ErrBadIterator, also for End.
// Any rank. Blocks for one round trip. Spec 4.5.29.
func (l ByteList) Deref(it ListIterator) (Element, error) { return l.c.deref(it) }

// Assign replaces the elements by copies of those of another list. Each copy lies on the
// rank of its original. Fails with ErrHeapFull; the elements are as before then. Any rank.
// Blocks for one round trip. Spec 4.5.2.
func (l ByteList) Assign(from ByteList) error { return l.c.assign(from.c) }

// AssignRange replaces the elements by copies of those from start to before end, of this or
// of another list. Each copy lies on the rank of its original. Fails with ErrBadIterator,
// and with ErrHeapFull; the elements are as before then. Any rank. Blocks for one round
// trip. Spec 4.5.3.
func (l ByteList) AssignRange(start, end ListIterator) error { return l.c.assignRange(start, end) }

// Swap exchanges the elements of two lists. In memory they stay where they are. Any rank.
// Blocks for one round trip. Spec 4.5.25.
func (l ByteList) Swap(with ByteList) error { return l.c.swap(with.c) }

// PushBack appends a copy of e, which may lie on any rank, as an element on rank. After a
// failure, such as ErrHeapFull or ErrBadRank, the list is as before. Any rank. Blocks for
// one round trip. Spec 4.5.17.
func (l ByteList) PushBack(e Element, rank Rank) error {
	_, err := l.c.insertFrom("push", l.c.l.Address(), e, rank)
	return err
}

// PushFront is PushBack in front. Any rank. Blocks for one round trip. Spec 4.5.18.
func (l ByteList) PushFront(e Element, rank Rank) error {
	_, err := l.c.insertFrom("push", 0, e, rank)
	return err
}

// Insert inserts a copy of e, which may lie on any rank, as an element on rank before it.
// It returns the iterator of the element. Fails with ErrBadIterator, and as PushBack does.
// Any rank. Blocks for one round trip. Spec 4.5.12.
func (l ByteList) Insert(it ListIterator, e Element, rank Rank) (ListIterator, error) {
	if l.c.own(it) != nil {
		return it, l.c.failed("insertion", ErrBadIterator)
	}
	return l.c.insertFrom("insertion", uint64(it.Elem), e, rank)
}

// InsertRange inserts copies of the elements from start to before end, of this or of another list, before it.
// Each copy lies on the rank of its original. It returns the iterator of the first copy, or it if the range
// is empty. Fails as AssignRange does. Any rank. Blocks for one round trip. Spec 4.5.13.
func (l ByteList) InsertRange(it, start, end ListIterator) (ListIterator, error) {
	return l.c.insertRange(it, start, end)
}

// PushBackBytes is PushBack with bytes of this process. Any rank. Blocks for one round
// trip. Spec 4.5.17.
func (l ByteList) PushBackBytes(b []byte, rank Rank) error {
	_, err := l.c.insertBytes("push", l.c.l.Address(), b, rank)
	return err
}

// PushFrontBytes is PushFront with bytes of this process. Any rank. Blocks for one round
// trip. Spec 4.5.18.
func (l ByteList) PushFrontBytes(b []byte, rank Rank) error {
	_, err := l.c.insertBytes("push", 0, b, rank)
	return err
}

// InsertBytes is Insert with bytes of this process. Any rank. Blocks for one round trip.
// Spec 4.5.12.
func (l ByteList) InsertBytes(it ListIterator, b []byte, rank Rank) (ListIterator, error) {
	if l.c.own(it) != nil {
		return it, l.c.failed("insertion", ErrBadIterator)
	}
	return l.c.insertBytes("insertion", uint64(it.Elem), b, rank)
}

// PopBack removes the last element if there is one. Any rank. Blocks for one round trip.
// Spec 4.5.15.
func (l ByteList) PopBack() error { return l.c.pop(l.c.l.Address()) }

// PopFront removes the first element if there is one. Any rank. Blocks for one round
// trip. Spec 4.5.16.
func (l ByteList) PopFront() error { return l.c.pop(0) }

// PushBackMany appends copies of many elements, which may lie on any ranks, as elements on rank, in their
// order. Fails as PushBack does, and with a ManyError if some elements are not in memory of a rank; then the
// list is as before. Any rank. Blocks for one round trip, for one more if the elements lie on other hosts,
// and for a few more if they take over 32 KiB.
func (l ByteList) PushBackMany(es []Element, rank Rank) error {
	return l.c.pushElements(l.c.l.Address(), es, rank)
}

// PushFrontMany is PushBackMany in front: the first of es becomes the first element. Any rank. Blocks as
// PushBackMany does.
func (l ByteList) PushFrontMany(es []Element, rank Rank) error { return l.c.pushElements(0, es, rank) }

// PopBackMany removes as many elements at the end as to has, or all if there are fewer, and copies them there
// in the order of the list, as much of each as fits. It returns the size of each removed element. Fails with
// a ManyError if some of to are not in memory of a rank. If the copy discovers this, the elements are lost.
// Any rank. Blocks for one round trip for every 32 KiB, and for one more if memory of to lies on other hosts.
func (l ByteList) PopBackMany(to []Element) (sizes []uint64, err error) {
	return l.c.popElements(true, to)
}

// PopFrontMany is PopBackMany for the first elements. Any rank. Blocks as PopBackMany does.
func (l ByteList) PopFrontMany(to []Element) (sizes []uint64, err error) {
	return l.c.popElements(false, to)
}

// Erase removes the element of it and returns the iterator of the next element. Fails with ErrBadIterator,
// also for End. Any rank. Blocks for one round trip. Spec 4.5.10.
func (l ByteList) Erase(it ListIterator) (ListIterator, error) { return l.c.erase(it) }

// EraseRange removes the elements from start to before end, and returns end. Fails with
// ErrBadIterator if end does not follow start. Any rank. Blocks for one round trip. Spec
// 4.5.11.
func (l ByteList) EraseRange(start, end ListIterator) (ListIterator, error) {
	return l.c.eraseRange(start, end)
}

// Remove removes every element that has the same bytes as e, which may lie on any rank,
// and returns how many. Any rank. Blocks for one round trip. Spec 4.5.19.
func (l ByteList) Remove(e Element) (int, error) {
	r, err := l.c.l.DoFrom(list.OpRemove, e.span())
	return int(r.Val0), l.c.failed("removal", err)
}

// RemoveBytes is Remove with bytes of this process. Any rank. Blocks for one round trip.
// Spec 4.5.19.
func (l ByteList) RemoveBytes(b []byte) (int, error) { return l.c.removeBytes(b) }

// Splice moves the element of from, of this or of another list, before it. In memory it stays where it is. If
// from is an end, nothing moves. Fails with ErrBadIterator. Any rank. Blocks for one round trip. Spec 4.5.23.
func (l ByteList) Splice(it, from ListIterator) error { return l.c.splice(it, from) }

// SpliceRange moves the elements from start to before end, of this or of another list, before it. In memory
// they stay where they are. Fails with ErrBadIterator, also if it is one of the moved elements but not the
// first. Any rank. Blocks for one round trip. Spec 4.5.24.
func (l ByteList) SpliceRange(it, start, end ListIterator) error {
	return l.c.spliceRange(it, start, end)
}

// Reverse puts the elements in the opposite order. In memory they stay where they are. Any
// rank. Blocks for one round trip. Spec 4.5.20.
func (l ByteList) Reverse() error { return l.c.reverse() }

// Unique removes every element that has the same bytes as the element before it, and returns the number of
// removed elements. Any rank. Blocks for one round trip. Spec 4.5.26.
func (l ByteList) Unique() (int, error) { return l.c.unique() }

// Sort sorts the elements, smallest first, by their links; in memory they stay where they
// are. compare is called on the goroutine of the caller and returns a negative number if a
// comes before b, 0 if they may stay as they are, and a positive one otherwise. It may
// read memory of any rank, but not change the list. Any rank. Blocks for a few round trips
// for every thousand elements. Spec 4.5.22.
func (l ByteList) Sort(compare func(a, b Element) int) error {
	return l.c.sort(false, ofElements(compare))
}

// Merge merges the elements of with, sorted by compare as those of the list are, into the list by their
// links. Of elements that compare as equal, those of the list come first. with has no elements afterwards.
// Merging a list with itself changes nothing. The rules for compare are those of Sort. Any rank. Blocks as
// Sort does. Spec 4.5.14.
func (l ByteList) Merge(with ByteList, compare func(a, b Element) int) error {
	return l.c.merge(with.c, false, ofElements(compare))
}

func ofElements(compare func(a, b Element) int) list.Compare {
	value := func(e *list.Element) Element { return Element{GA(e.GA + list.HeadSize), e.Size} }
	return func(a, b *list.Element) (int, error) { return compare(value(a), value(b)), nil }
}
