package acp

import "github.com/goacp/goacp/internal/sequence"

// ByteDeque is a queue of bytes with two ends, on one rank: they are appended and
// removed at both ends in constant time. The storage is a ring, so that bytes in a row
// may lie in two stretches.
//
// Several ranks may use a deque. Those that change it, or use it while another one
// changes it, have to take turns. Spec 4.4.
type ByteDeque struct{ byteSequence }

// NewByteDeque makes an empty deque with room for capacity bytes on rank. Fails with
// ErrBadRank and ErrHeapFull. Any rank. Blocks for one round trip. Spec 4.4.9.
func (p *Process) NewByteDeque(capacity uint64, rank Rank) (ByteDeque, error) {
	r, err := p.newSequence(true, capacity, 0, false, rank)
	return ByteDeque{r}, err
}

// ByteDequeAt returns the deque whose control block is at ga, as GA says on any rank.
// Local. Does not block. Spec 4.4.9.
func (p *Process) ByteDequeAt(ga GA) ByteDeque { return ByteDeque{p.sequenceAt(ga, true)} }

// PushFront puts a copy of e, which may lie on any rank, before the first byte. Fails as
// PushBack does. Any rank. Blocks for one round trip. Spec 4.4.21.
func (d ByteDeque) PushFront(e Element) error { return d.push(e, sequence.Front) }

// PopFront removes n bytes in front, or all if there are fewer. Any rank. Blocks for one
// round trip. Spec 4.4.19.
func (d ByteDeque) PopFront(n uint64) error {
	return d.failed("pop", d.s.Pop(sequence.Front, n))
}

// Front returns the iterator before the first byte. Local. Does not block. Spec 4.4.15.
func (d ByteDeque) Front() RowIterator { return RowIterator{d.GA(), -1} }

// Back returns the iterator of the last byte; if there is none, that before the first.
// Any rank. Blocks for one round trip. Spec 4.4.5.
func (d ByteDeque) Back() (RowIterator, error) {
	it, err := d.End()
	return it.Advance(-1), err
}

// Assign replaces the bytes by those of from. Fails as PushBack does. Any rank. Blocks
// for two round trips. Spec 4.4.2.
func (d ByteDeque) Assign(from ByteDeque) error { return d.assign(from.all()) }

// AssignRange replaces the bytes by those from start to before end of any deque, as far
// as there are so many. Fails with ErrBadIterator, and as PushBack does. Any rank.
// Blocks for two round trips. Spec 4.4.3.
func (d ByteDeque) AssignRange(start, end RowIterator) error { return d.assignRange(start, end) }

// InsertRange inserts the bytes from start to before end of any deque before it. It
// returns the iterator of the first of them. Fails with ErrBadIterator, and as PushBack
// does. Any rank. Blocks for two round trips. Spec 4.4.17.
func (d ByteDeque) InsertRange(it, start, end RowIterator) (RowIterator, error) {
	return d.insertRange(it, start, end)
}

// Swap exchanges the bytes of two deques. Each stays on its rank, to which the bytes of
// the other are brought if it is another one. Fails with ErrHeapFull, and then both are
// as before. Any rank. Blocks for a few round trips. Spec 4.4.24.
func (d ByteDeque) Swap(with ByteDeque) error { return d.swap(with.byteSequence) }

// Deref returns where the n bytes from it on lie, as far as there are so many: Second is
// empty unless they are in two stretches. Both are empty for a place outside. Any rank.
// Blocks for one round trip. Spec 4.4.26.
func (d ByteDeque) Deref(it RowIterator, n uint64) (Pair, error) {
	if it.GA != d.GA() {
		return Pair{}, d.failed("dereference", ErrBadIterator)
	}
	first, second, err := d.s.Stretches(it.Index, n)
	return Pair{elementOf(first), elementOf(second)}, d.failed("dereference", err)
}
