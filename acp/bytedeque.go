package acp

import (
	"context"

	"github.com/goacp/goacp/internal/structure/sequence"
)

// ByteDeque is a queue of bytes with two ends, on one rank. Appending and removing bytes takes constant time
// at both ends. The storage is a ring, so consecutive bytes may lie in two stretches.
//
// Several ranks may use a deque. While a rank changes it, no other rank may use it. Spec 4.4.
type ByteDeque struct{ seq byteSequence }

// NewByteDeque makes an empty deque with room for capacity bytes on rank. Fails with
// ErrBadRank and ErrHeapFull. Any rank. Blocks for one round trip. Spec 4.4.9.
func (p *Process) NewByteDeque(capacity uint64, rank Rank) (ByteDeque, error) {
	r, err := p.newSequence(true, capacity, 0, false, rank)
	return ByteDeque{r}, err
}

// ByteDequeAt returns the deque whose Address is ga. Local. Does not block. Spec 4.4.9.
func (p *Process) ByteDequeAt(ga GA) ByteDeque { return ByteDeque{p.sequenceAt(ga, true)} }

// WithContext returns the same deque. When ctx ends, blocking methods of the result return early; see
// Process.WithContext. Local. Does not block.
func (d ByteDeque) WithContext(ctx context.Context) ByteDeque {
	return ByteDeque{d.seq.withContext(ctx)}
}

// Address returns the address of the control block, by which other ranks reach the deque.
// Local. Does not block.
func (d ByteDeque) Address() GA { return d.seq.address() }

// Destroy frees the deque. Any rank. Blocks for one round trip. Spec 4.4.10.
func (d ByteDeque) Destroy() error { return d.seq.destroy() }

// Len returns the number of bytes. Any rank. Blocks for one round trip. Spec 4.4.23.
func (d ByteDeque) Len() (uint64, error) { return d.seq.len() }

// Cap returns how many bytes fit without new storage. Any rank. Blocks for one round trip.
// Spec 4.4.7.
func (d ByteDeque) Cap() (uint64, error) { return d.seq.cap() }

// Empty reports whether there are no bytes. Any rank. Blocks for one round trip. Spec
// 4.4.11.
func (d ByteDeque) Empty() (bool, error) { return d.seq.empty() }

// Clear removes all bytes. The storage stays. Any rank. Blocks for one round trip. Spec
// 4.4.8.
func (d ByteDeque) Clear() error { return d.seq.clear() }

// Reserve makes the capacity at least n bytes. Fails with ErrHeapFull. Any rank. Blocks for
// one round trip. Spec 4.4.22.
func (d ByteDeque) Reserve(n uint64) error { return d.seq.reserve(n) }

// Locate returns the address of the byte at offset. Fails with ErrOutOfRange if there is
// none. Any rank. Blocks for one round trip. Spec 4.4.4.
func (d ByteDeque) Locate(offset int) (GA, error) { return d.seq.locate(offset) }

// Deref returns the addresses of the n bytes from it on, or of all up to the end if there are fewer. Second
// is empty unless the bytes lie in two stretches. Both are empty for a position outside. Any rank. Blocks for
// one round trip. Spec 4.4.26.
func (d ByteDeque) Deref(it SequenceIterator, n uint64) (Pair, error) {
	if it.GA != d.Address() {
		return Pair{}, d.seq.failed("dereference", ErrBadIterator)
	}
	first, second, err := d.seq.s.Stretches(it.Index, n)
	return Pair{elementOf(first), elementOf(second)}, d.seq.failed("dereference", err)
}

// Begin returns the iterator of the first byte. Local. Does not block. Spec 4.4.6.
func (d ByteDeque) Begin() SequenceIterator { return d.seq.begin() }

// End returns the iterator behind the last byte. Any rank. Blocks for one round trip. Spec
// 4.4.12.
func (d ByteDeque) End() (SequenceIterator, error) { return d.seq.end() }

// Front returns the iterator before the first byte. Local. Does not block. Spec 4.4.15.
func (d ByteDeque) Front() SequenceIterator { return d.Begin().Advance(-1) }

// Back returns the iterator of the last byte; if there is none, that before the first. Any
// rank. Blocks for one round trip. Spec 4.4.5.
func (d ByteDeque) Back() (SequenceIterator, error) {
	it, err := d.End()
	return it.Advance(-1), err
}

// PushBack appends a copy of e, which may lie on any rank. After a failure, such as
// ErrHeapFull, the bytes are as before. Any rank. Blocks for one round trip. Spec 4.4.20.
func (d ByteDeque) PushBack(e Element) error { return d.seq.push(e, sequence.Back) }

// PushFront puts a copy of e, which may lie on any rank, before the first byte. Fails as
// PushBack does. Any rank. Blocks for one round trip. Spec 4.4.21.
func (d ByteDeque) PushFront(e Element) error { return d.seq.push(e, sequence.Front) }

// PushBackMany appends copies of many elements, which may lie on any ranks, in their order. Fails as PushBack
// does, and with a ManyError if some elements are not in memory of a rank; then the bytes are as before. Any
// rank. Blocks for one round trip, for one more if elements lie on other hosts, and for a few more if they
// take over 32 KiB.
func (d ByteDeque) PushBackMany(es []Element) error { return d.seq.pushMany(es, sequence.Back) }

// PushFrontMany is PushBackMany at the beginning: the first byte of the first element becomes the first byte
// of the deque. Any rank. Blocks as PushBackMany does.
func (d ByteDeque) PushFrontMany(es []Element) error { return d.seq.pushMany(es, sequence.Front) }

// PopBack removes n bytes at the end, or all if there are fewer. Any rank. Blocks for one
// round trip. Spec 4.4.18.
func (d ByteDeque) PopBack(n uint64) error { return d.seq.pop(n, sequence.Back) }

// PopFront removes n bytes in front, or all if there are fewer. Any rank. Blocks for one
// round trip. Spec 4.4.19.
func (d ByteDeque) PopFront(n uint64) error { return d.seq.pop(n, sequence.Front) }

// PopBackMany removes as many bytes at the end as the elements have together, or all if there are fewer, and
// copies them to the elements, in their order, one element after the other. It returns the number of bytes
// removed. Fails with a ManyError if some elements are not in memory of a rank. If the copy discovers this,
// the bytes are lost. Any rank. Blocks as PushBackMany does.
func (d ByteDeque) PopBackMany(to []Element) (uint64, error) { return d.seq.popMany(to, sequence.Back) }

// PopFrontMany is PopBackMany for bytes in front. Any rank. Blocks as PushBackMany does.
func (d ByteDeque) PopFrontMany(to []Element) (uint64, error) {
	return d.seq.popMany(to, sequence.Front)
}

// Insert inserts a copy of e, which may lie on any rank, before it, or at the end if it is
// beyond. It returns the iterator of the first inserted byte. Fails with ErrBadIterator for
// an iterator of another deque, and as PushBack does. Any rank. Blocks for one round trip.
// Spec 4.4.16.
func (d ByteDeque) Insert(it SequenceIterator, e Element) (SequenceIterator, error) {
	return d.seq.insert(it, e)
}

// InsertRange inserts the bytes from start to before end of any deque before it. It returns
// the iterator of the first of them. Fails as Insert does. Any rank. Blocks for two round
// trips. Spec 4.4.17.
func (d ByteDeque) InsertRange(it, start, end SequenceIterator) (SequenceIterator, error) {
	return d.seq.insertRange(it, start, end)
}

// Erase removes n bytes from it on, or all up to the end if there are fewer. It returns the iterator of the
// byte behind them. Fails with ErrBadIterator. Any rank. Blocks for one round trip. Spec 4.4.13.
func (d ByteDeque) Erase(it SequenceIterator, n uint64) (SequenceIterator, error) {
	return d.seq.erase(it, n)
}

// EraseRange removes the bytes from start to before end, and returns the iterator of the
// byte behind them; of an empty range, end. Fails with ErrBadIterator. Any rank. Blocks for
// one round trip. Spec 4.4.14.
func (d ByteDeque) EraseRange(start, end SequenceIterator) (SequenceIterator, error) {
	return d.seq.eraseRange(start, end)
}

// Assign replaces the bytes by those of from. Fails as PushBack does. Any rank. Blocks for
// up to four round trips. Spec 4.4.2.
func (d ByteDeque) Assign(from ByteDeque) error { return d.seq.assign(from.seq.all()) }

// AssignRange replaces the bytes by the bytes from start to before end of any deque, as far as they exist.
// Fails with ErrBadIterator, and as PushBack does. Any rank. Blocks for up to four round trips. Spec 4.4.3.
func (d ByteDeque) AssignRange(start, end SequenceIterator) error {
	return d.seq.assignRange(start, end)
}

// Swap exchanges the bytes of two deques. Each stays on its rank; the bytes are copied if the ranks differ.
// Fails with ErrHeapFull, and then both are as before. Any rank. Blocks for a few round trips. Spec 4.4.24.
func (d ByteDeque) Swap(with ByteDeque) error { return d.seq.swap(with.seq) }
