package acp

import (
	"context"

	"github.com/goacp/goacp/internal/structure/sequence"
)

// ByteVector is a vector of contiguous bytes on one rank. Appending and removing bytes takes constant time at
// the end; elsewhere it takes time proportional to the number of bytes after them. The vector contains copies
// of the bytes that the methods are given.
//
// Several ranks may use a vector. While a rank changes it, no other rank may use it. Spec 4.3.
type ByteVector struct{ seq byteSequence }

// NewByteVector makes a vector of size bytes, whose contents are undefined, on rank.
// Fails with ErrBadRank and ErrHeapFull. Any rank. Blocks for one round trip. Spec 4.3.8.
func (p *Process) NewByteVector(size uint64, rank Rank) (ByteVector, error) {
	r, err := p.newSequence(false, size, size, false, rank)
	return ByteVector{r}, err
}

// ByteVectorAt returns the vector whose Address is ga. Local. Does not block. Spec 4.3.8.
func (p *Process) ByteVectorAt(ga GA) ByteVector { return ByteVector{p.sequenceAt(ga, false)} }

// WithContext returns the same vector. When ctx ends, blocking methods of the result return early; see
// Process.WithContext. Local. Does not block.
func (v ByteVector) WithContext(ctx context.Context) ByteVector {
	return ByteVector{v.seq.withContext(ctx)}
}

// Address returns the address of the control block, by which other ranks reach the vector.
// Local. Does not block.
func (v ByteVector) Address() GA { return v.seq.address() }

// Destroy frees the vector. Any rank. Blocks for one round trip. Spec 4.3.9.
func (v ByteVector) Destroy() error { return v.seq.destroy() }

// Len returns the number of bytes. Any rank. Blocks for one round trip. Spec 4.3.19.
func (v ByteVector) Len() (uint64, error) { return v.seq.len() }

// Cap returns how many bytes fit without new storage. Any rank. Blocks for one round trip.
// Spec 4.3.6.
func (v ByteVector) Cap() (uint64, error) { return v.seq.cap() }

// Empty reports whether there are no bytes. Any rank. Blocks for one round trip. Spec
// 4.3.10.
func (v ByteVector) Empty() (bool, error) { return v.seq.empty() }

// Clear removes all bytes. The storage stays. Any rank. Blocks for one round trip. Spec
// 4.3.7.
func (v ByteVector) Clear() error { return v.seq.clear() }

// Reserve makes the capacity at least n bytes. Fails with ErrHeapFull. Any rank. Blocks for
// one round trip. Spec 4.3.18.
func (v ByteVector) Reserve(n uint64) error { return v.seq.reserve(n) }

// Locate returns the address of the byte at offset. Fails with ErrOutOfRange if there is
// none. Any rank. Blocks for one round trip. Spec 4.3.4.
func (v ByteVector) Locate(offset int) (GA, error) { return v.seq.locate(offset) }

// Deref returns the address of the byte of an iterator, and a null address for a position
// outside. Any rank. Blocks for one round trip. Spec 4.3.22.
func (v ByteVector) Deref(it SequenceIterator) (GA, error) {
	if it.GA != v.Address() {
		return NullGA, v.seq.failed("dereference", ErrBadIterator)
	}
	at, err := v.seq.s.Find(it.Index, 1)
	return GA(at.GA), v.seq.failed("dereference", err)
}

// Begin returns the iterator of the first byte. Local. Does not block. Spec 4.3.5.
func (v ByteVector) Begin() SequenceIterator { return v.seq.begin() }

// End returns the iterator behind the last byte. Any rank. Blocks for one round trip. Spec
// 4.3.11.
func (v ByteVector) End() (SequenceIterator, error) { return v.seq.end() }

// PushBack appends a copy of e, which may lie on any rank. After a failure, such as
// ErrHeapFull, the bytes are as before. Any rank. Blocks for one round trip. Spec 4.3.17.
func (v ByteVector) PushBack(e Element) error { return v.seq.push(e, sequence.Back) }

// PushBackMany appends copies of many elements, which may lie on any ranks, in their order. Fails as PushBack
// does, and with a ManyError if some elements are not in memory of a rank; then the bytes are as before. Any
// rank. Blocks for one round trip, for one more if elements lie on other hosts, and for a few more if they
// take over 32 KiB.
func (v ByteVector) PushBackMany(es []Element) error { return v.seq.pushMany(es, sequence.Back) }

// PopBack removes n bytes at the end, or all if there are fewer. Any rank. Blocks for one
// round trip. Spec 4.3.16.
func (v ByteVector) PopBack(n uint64) error { return v.seq.pop(n, sequence.Back) }

// PopBackMany removes as many bytes at the end as the elements have together, or all if there are fewer, and
// copies them to the elements, in their order, one element after the other. It returns the number of bytes
// removed. Fails with a ManyError if some elements are not in memory of a rank. If the copy discovers this,
// the bytes are lost. Any rank. Blocks as PushBackMany does.
func (v ByteVector) PopBackMany(to []Element) (uint64, error) {
	return v.seq.popMany(to, sequence.Back)
}

// Insert inserts a copy of e, which may lie on any rank, before it, or at the end if it is
// beyond. It returns the iterator of the first inserted byte. Fails with ErrBadIterator for
// an iterator of another vector, and as PushBack does. Any rank. Blocks for one round trip.
// Spec 4.3.14.
func (v ByteVector) Insert(it SequenceIterator, e Element) (SequenceIterator, error) {
	return v.seq.insert(it, e)
}

// InsertRange inserts the bytes from start to before end of any vector before it. It
// returns the iterator of the first of them. Fails as Insert does. Any rank. Blocks for up to
// three round trips. Spec 4.3.15.
func (v ByteVector) InsertRange(it, start, end SequenceIterator) (SequenceIterator, error) {
	return v.seq.insertRange(it, start, end)
}

// Erase removes n bytes from it on, or all up to the end if there are fewer. It returns the iterator of the
// byte behind them. Fails with ErrBadIterator. Any rank. Blocks for one round trip. Spec 4.3.12.
func (v ByteVector) Erase(it SequenceIterator, n uint64) (SequenceIterator, error) {
	return v.seq.erase(it, n)
}

// EraseRange removes the bytes from start to before end, and returns the iterator of the
// byte behind them; of an empty range, end. Fails with ErrBadIterator. Any rank. Blocks for
// one round trip. Spec 4.3.13.
func (v ByteVector) EraseRange(start, end SequenceIterator) (SequenceIterator, error) {
	return v.seq.eraseRange(start, end)
}

// Assign replaces the bytes by those of from. Fails as PushBack does. Any rank. Blocks for
// up to three round trips. Spec 4.3.2.
func (v ByteVector) Assign(from ByteVector) error { return v.seq.assign(from.seq.all()) }

// AssignRange replaces the bytes by the bytes from start to before end of any vector, as far as they exist.
// Fails with ErrBadIterator, and as PushBack does. Any rank. Blocks for up to three round trips. Spec 4.3.3.
func (v ByteVector) AssignRange(start, end SequenceIterator) error {
	return v.seq.assignRange(start, end)
}

// Swap exchanges the bytes of two vectors. Each stays on its rank; the bytes are copied if the ranks differ.
// Fails with ErrHeapFull, and then both are as before. Any rank. Blocks for a few round trips. Spec 4.3.20.
func (v ByteVector) Swap(with ByteVector) error { return v.seq.swap(with.seq) }
