package acp

import (
	"context"
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"

	"github.com/goacp/goacp/internal/structure/list"
)

// List is a list of values of T that are linked in both directions. Each element may lie on a different rank.
// Its address stays the same until it is removed.
//
// Every rank that has the address of the list may use it. Ranks that change the list, or use it while another
// rank changes it, have to take turns. So do goroutines that share one List.
//
// Values of fixed size are stored as they lie in memory, so that C programs find structs; they contain no
// pointers. T may be a string type or a slice of bytes as well. ByteList describes the cost of operations.
// Spec 4.5.
type List[T any] struct {
	c     chain
	codec codec[T]
	err   error // of the last iteration
}

// NewList makes a list without elements whose control block lies on rank. Fails with
// ErrBadType, ErrBadRank and ErrHeapFull. Any rank. Blocks for one round trip. Spec 4.5.6.
func NewList[T any](p *Process, rank Rank) (*List[T], error) {
	codec, err := codecFor[T](p, false)
	if err != nil {
		return nil, err
	}
	c, err := p.newChain(rank)
	if err != nil {
		return nil, err
	}
	return &List[T]{c: c, codec: codec}, nil
}

// ListAt returns the list whose Address is ga. Its elements must be of type T; the address of a ByteList of
// such values is valid, too. Fails with ErrBadType. Local. Does not block. Spec 4.5.6.
func ListAt[T any](p *Process, ga GA) (*List[T], error) {
	codec, err := codecFor[T](p, false)
	if err != nil {
		return nil, err
	}
	return &List[T]{c: p.listAt(ga), codec: codec}, nil
}

// WithContext returns the same list. When ctx ends, blocking methods of the result return early; see
// Process.WithContext. Local. Does not block.
func (l *List[T]) WithContext(ctx context.Context) *List[T] {
	return &List[T]{c: l.c.withContext(ctx), codec: l.codec}
}

// Bytes returns the same list as one of bytes. Local. Does not block.
func (l *List[T]) Bytes() ByteList { return ByteList{l.c} }

// Address returns the address by which other ranks reach the list. Local. Does not block.
func (l *List[T]) Address() GA { return l.c.address() }

// Destroy frees the elements and the list, as Clear does. Any rank. Blocks for one round trip. Spec 4.5.7.
func (l *List[T]) Destroy() error { return l.c.destroy() }

// Len returns the number of elements. Any rank. Blocks for one round trip. Spec 4.5.21.
func (l *List[T]) Len() (int, error) { return l.c.len() }

// Empty reports whether there are no elements. Any rank. Blocks for one round trip. Spec
// 4.5.8.
func (l *List[T]) Empty() (bool, error) { return l.c.empty() }

// Clear removes all elements, also if some are on ranks that are gone, as that of ByteList does. Any rank. Blocks for one round
// trip. Spec 4.5.5.
func (l *List[T]) Clear() error { return l.c.clear() }

// Begin returns the iterator of the first element, or End if there is none. Any rank.
// Blocks for one round trip. Spec 4.5.4.
func (l *List[T]) Begin() (ListIterator, error) { return l.c.begin() }

// End returns the iterator behind the last element. Local. Does not block. Spec 4.5.9.
func (l *List[T]) End() ListIterator { return l.c.end() }

// Next is Advance by one. Any rank. Blocks for one round trip. Spec 4.5.31.
func (l *List[T]) Next(it ListIterator) (ListIterator, error) { return l.c.advance(it, 1) }

// Prev is Advance by one, back. Any rank. Blocks for one round trip. Spec 4.5.28.
func (l *List[T]) Prev(it ListIterator) (ListIterator, error) { return l.c.advance(it, -1) }

// Advance returns the iterator n elements further, or back if n is negative. It goes no
// further than End, nor back from the first element. Fails with ErrBadIterator. Any rank.
// Blocks for two round trips for some thousand elements. Spec 4.5.27.
func (l *List[T]) Advance(it ListIterator, n int) (ListIterator, error) {
	return l.c.advance(it, n)
}

// Distance returns the number of steps from first to last, or to End if last does not follow first. Fails
// with ErrBadIterator. Any rank. Blocks for two round trips for some thousand elements. Spec 4.5.30.
func (l *List[T]) Distance(first, last ListIterator) (int, error) {
	return l.c.distance(first, last)
}

// Assign replaces the elements by copies of those of another list. Each copy lies on the
// rank of its original. Fails with ErrHeapFull; the elements are as before then. Any rank.
// Blocks for one round trip. Spec 4.5.2.
func (l *List[T]) Assign(from *List[T]) error { return l.c.assign(from.c) }

// AssignRange replaces the elements by copies of those from start to before end, of this or
// of another list. Each copy lies on the rank of its original. Fails with ErrBadIterator,
// and with ErrHeapFull; the elements are as before then. Any rank. Blocks for one round
// trip. Spec 4.5.3.
func (l *List[T]) AssignRange(start, end ListIterator) error { return l.c.assignRange(start, end) }

// Swap exchanges the elements of two lists. In memory they stay where they are. Any rank.
// Blocks for one round trip. Spec 4.5.25.
func (l *List[T]) Swap(with *List[T]) error { return l.c.swap(with.c) }

// PushBack appends x as an element on rank. After a failure, such as ErrHeapFull or
// ErrBadRank, the list is as before. Any rank. Blocks for one round trip. Spec 4.5.17.
func (l *List[T]) PushBack(x T, rank Rank) error {
	_, err := l.c.insertBytes("push", l.c.l.Address(), l.codec.bytes(&x), rank)
	return err
}

// PushFront is PushBack in front. Any rank. Blocks for one round trip. Spec 4.5.18.
func (l *List[T]) PushFront(x T, rank Rank) error {
	_, err := l.c.insertBytes("push", 0, l.codec.bytes(&x), rank)
	return err
}

// PushBackMany appends xs as elements on rank, in their order. After a failure the list is as before. Any
// rank. Blocks for one round trip, and for a few more if the values take over 32 KiB.
func (l *List[T]) PushBackMany(xs []T, rank Rank) error {
	return l.c.insertMany(l.c.l.Address(), l.many(xs), rank)
}

// PushFrontMany is PushBackMany in front: the first of xs becomes the first element.
// Any rank. Blocks as PushBackMany does.
func (l *List[T]) PushFrontMany(xs []T, rank Rank) error { return l.c.insertMany(0, l.many(xs), rank) }

// many returns the values of xs as package list has them.
func (l *List[T]) many(xs []T) []byte {
	var b []byte
	for i := range xs {
		b = list.AppendValue(b, l.codec.bytes(&xs[i]))
	}
	return b
}

// Insert inserts x as an element on rank before it. It returns the iterator of the
// element. Fails with ErrBadIterator, and as PushBack does. Any rank. Blocks for one round
// trip. Spec 4.5.12.
func (l *List[T]) Insert(it ListIterator, x T, rank Rank) (ListIterator, error) {
	if l.c.own(it) != nil {
		return it, l.c.failed("insertion", ErrBadIterator)
	}
	return l.c.insertBytes("insertion", uint64(it.Elem), l.codec.bytes(&x), rank)
}

// InsertRange inserts copies of the elements from start to before end, of this or of another list, before it.
// Each copy lies on the rank of its original. It returns the iterator of the first copy, or it if the range
// is empty. Fails as AssignRange does. Any rank. Blocks for one round trip. Spec 4.5.13.
func (l *List[T]) InsertRange(it, start, end ListIterator) (ListIterator, error) {
	return l.c.insertRange(it, start, end)
}

// PopBack removes the last element and returns it. Fails with ErrEmpty if there is none.
// Any rank. Blocks for two round trips. Spec 4.5.15.
func (l *List[T]) PopBack() (T, error) { return l.popValue(true) }

// PopFront removes the first element and returns it. Fails with ErrEmpty if there is none.
// Any rank. Blocks for two round trips. Spec 4.5.16.
func (l *List[T]) PopFront() (T, error) { return l.popValue(false) }

// PopBackMany removes the last n elements, or all if there are fewer, and returns them in the order of the
// list. If it fails, it returns the elements that it has removed; it does not remove elements that are not a
// T. Fails with ErrBadSize if n is negative. Any rank. Blocks for one round trip for every 32 KiB.
func (l *List[T]) PopBackMany(n int) ([]T, error) { return l.popMany(n, true) }

// PopFrontMany is PopBackMany for the first n elements. Any rank. Blocks as PopBackMany does.
func (l *List[T]) PopFrontMany(n int) ([]T, error) { return l.popMany(n, false) }

func (l *List[T]) popMany(n int, back bool) ([]T, error) {
	if n < 0 {
		return nil, l.c.failed("pop", fmt.Errorf("%w: %d elements", ErrBadSize, n))
	}
	var xs []T
	other, err := l.c.l.Take(back, n, l.codec.size, func(value []byte) {
		x, _ := l.codec.value(value) // which has the size
		xs = append(xs, x)
	})
	if back {
		slices.Reverse(xs)
	}
	if err == nil && other != 0 {
		err = fmt.Errorf("%d bytes where a %v has %d", other, reflect.TypeFor[T](), l.codec.size)
	}
	return xs, l.c.failed("pop", err)
}

func (l *List[T]) popValue(back bool) (T, error) {
	x, elem, err := l.end(back)
	if err == nil {
		_, err = l.c.l.Do(list.OpErase, nil, elem)
	}
	if err != nil {
		return *new(T), l.c.failed("pop", err)
	}
	return x, nil
}

// end returns the first or the last element and its address.
func (l *List[T]) end(back bool) (x T, elem uint64, err error) {
	m, err := l.c.l.Heaps()
	if err != nil {
		return x, 0, err
	}
	e, found, err := m.End(l.c.l.Address(), back)
	if err != nil {
		return x, 0, cause(err)
	}
	if !found {
		return x, 0, ErrEmpty
	}
	x, err = l.codec.value(e.Value)
	return x, e.GA, err
}

// Load returns the value of an element. Fails with ErrBadIterator, also for End. Any rank.
// Blocks for one round trip. Spec 4.5.29.
func (l *List[T]) Load(it ListIterator) (T, error) {
	x, err := l.load(it)
	if err != nil {
		return *new(T), l.c.failed("look-up", err)
	}
	return x, nil
}

func (l *List[T]) load(it ListIterator) (x T, err error) {
	if l.c.own(it) != nil || it == l.c.end() {
		return x, ErrBadIterator
	}
	m, err := l.c.l.Heaps()
	if err != nil {
		return x, err
	}
	r := m.Read(l.c.l.Address(), 1, false, true)
	e, err := r.Element(uint64(it.Elem))
	if err != nil {
		return x, cause(err)
	}
	return l.codec.value(e.Value)
}

// Erase removes the element of it and returns the iterator of the next element. Fails with ErrBadIterator,
// also for End. Any rank. Blocks for one round trip. Spec 4.5.10.
func (l *List[T]) Erase(it ListIterator) (ListIterator, error) { return l.c.erase(it) }

// EraseRange removes the elements from start to before end, and returns end. Fails with
// ErrBadIterator if end does not follow start. Any rank. Blocks for one round trip. Spec
// 4.5.11.
func (l *List[T]) EraseRange(start, end ListIterator) (ListIterator, error) {
	return l.c.eraseRange(start, end)
}

// Remove removes every element that is equal to x, byte for byte, and returns how many.
// Any rank. Blocks for one round trip. Spec 4.5.19.
func (l *List[T]) Remove(x T) (int, error) { return l.c.removeBytes(l.codec.bytes(&x)) }

// Splice moves the element of from, of this or of another list, before it. In memory it stays where it is. If
// from is an end, nothing moves. Fails with ErrBadIterator. Any rank. Blocks for one round trip. Spec 4.5.23.
func (l *List[T]) Splice(it, from ListIterator) error { return l.c.splice(it, from) }

// SpliceRange moves the elements from start to before end, of this or of another list, before it. In memory
// they stay where they are. Fails with ErrBadIterator, also if it is one of the moved elements but not the
// first. Any rank. Blocks for one round trip. Spec 4.5.24.
func (l *List[T]) SpliceRange(it, start, end ListIterator) error {
	return l.c.spliceRange(it, start, end)
}

// Reverse puts the elements in the opposite order. In memory they stay where they are. Any
// rank. Blocks for one round trip. Spec 4.5.20.
func (l *List[T]) Reverse() error { return l.c.reverse() }

// Unique removes every element that has the same bytes as the one before, and returns how
// many. Any rank. Blocks for one round trip. Spec 4.5.26.
func (l *List[T]) Unique() (int, error) { return l.c.unique() }

// Sort sorts the elements, smallest first, by their links; in memory they stay where they
// are, and those that compare as equal stay in order. compare is called on the goroutine of
// the caller and returns a negative number if a comes before b, 0 if they may stay as they
// are, and a positive one otherwise. It must not change the list. Any rank. Blocks for a
// few round trips for every 32 KiB of values and links. Spec 4.5.22.
func (l *List[T]) Sort(compare func(a, b T) int) error { return l.c.sort(true, l.ofValues(compare)) }

// Merge merges the elements of with, sorted by compare as those of the list are, into the list by their
// links. Of elements that compare as equal, those of the list come first. with has no elements afterwards.
// Merging a list with itself changes nothing. Any rank. Blocks as Sort does. Spec 4.5.14.
func (l *List[T]) Merge(with *List[T], compare func(a, b T) int) error {
	return l.c.merge(with.c, true, l.ofValues(compare))
}

func (l *List[T]) ofValues(compare func(a, b T) int) list.Compare {
	return func(a, b *list.Element) (int, error) {
		x, err := l.codec.value(a.Value)
		if err != nil {
			return 0, err
		}
		y, err := l.codec.value(b.Value)
		if err != nil {
			return 0, err
		}
		return compare(x, y), nil
	}
}

// All returns an iterator over the positions and the elements, from the first on. It reads many at a time.
// The loop may erase the element where it is; of other changes it may see some. It ends early if the run is
// over, or if an element is no T; then Err returns the error. Any rank. The loop blocks for a round trip for
// every 32 KiB of values and links. Spec 4.5.31.
func (l *List[T]) All() iter.Seq2[ListIterator, T] {
	return func(yield func(ListIterator, T) bool) { l.err = l.c.failed("iteration", l.each(false, yield)) }
}

// Backward is All from the last element on. Any rank. The loop blocks as that of All does.
// Spec 4.5.28.
func (l *List[T]) Backward() iter.Seq2[ListIterator, T] {
	return func(yield func(ListIterator, T) bool) { l.err = l.c.failed("iteration", l.each(true, yield)) }
}

// Err returns why the last iteration ended early, or nil. Local. Does not block.
func (l *List[T]) Err() error { return l.err }

func (l *List[T]) each(back bool, yield func(ListIterator, T) bool) error {
	m, err := l.c.l.Heaps()
	if err != nil {
		return err
	}
	r := m.Read(l.c.l.Address(), math.MaxUint64, back, true)
	e, err := r.Element(l.c.l.Address())
	for left := e.Size; err == nil; left-- {
		elem := e.Next
		if back {
			elem = e.Prev
		}
		if elem == l.c.l.Address() {
			return nil
		}
		if left == 0 { // more than the list counts
			return ErrBadIterator
		}
		if e, err = r.Element(elem); err != nil {
			break
		}
		var x T
		if x, err = l.codec.value(e.Value); err == nil && !yield(l.c.at(elem), x) {
			return nil
		}
	}
	return cause(err)
}

// Slice returns the values. Any rank. Blocks for a round trip for every 32 KiB of values
// and links. Spec 4.5.29.
func (l *List[T]) Slice() ([]T, error) {
	var all []T
	err := l.each(false, func(_ ListIterator, x T) bool {
		all = append(all, x)
		return true
	})
	return all, l.c.failed("look-up", err)
}
