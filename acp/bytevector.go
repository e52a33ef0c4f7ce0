package acp

// ByteVector is a vector of bytes: they lie one behind the other on one rank, and are
// appended and removed at the end in constant time, elsewhere in time proportional to
// what lies behind. The methods say which memory they copy from; nothing but the copy
// belongs to the vector.
//
// Several ranks may use a vector. Those that change it, or use it while another one
// changes it, have to take turns. Spec 4.3.
type ByteVector struct{ byteSequence }

// NewByteVector makes a vector of size bytes, whose contents are undefined, on rank.
// Fails with ErrBadRank and ErrHeapFull. Any rank. Blocks for one round trip. Spec 4.3.8.
func (p *Process) NewByteVector(size uint64, rank Rank) (ByteVector, error) {
	r, err := p.newSequence(false, size, size, false, rank)
	return ByteVector{r}, err
}

// ByteVectorAt returns the vector whose control block is at ga, as GA says on any rank.
// Local. Does not block. Spec 4.3.8.
func (p *Process) ByteVectorAt(ga GA) ByteVector { return ByteVector{p.sequenceAt(ga, false)} }

// Assign replaces the bytes by those of from. Fails as PushBack does. Any rank. Blocks
// for two round trips. Spec 4.3.2.
func (v ByteVector) Assign(from ByteVector) error { return v.assign(from.all()) }

// AssignRange replaces the bytes by those from start to before end of any vector. Fails
// with ErrBadIterator, and as PushBack does. Any rank. Blocks for two round trips. Spec
// 4.3.3.
func (v ByteVector) AssignRange(start, end RowIterator) error { return v.assignRange(start, end) }

// InsertRange inserts the bytes from start to before end of any vector before it. It
// returns the iterator of the first of them. Fails with ErrBadIterator, and as PushBack
// does. Any rank. Blocks for two round trips. Spec 4.3.15.
func (v ByteVector) InsertRange(it, start, end RowIterator) (RowIterator, error) {
	return v.insertRange(it, start, end)
}

// Swap exchanges the bytes of two vectors. Each stays on its rank, to which the bytes of
// the other are brought if it is another one. Fails with ErrHeapFull, and then both are
// as before. Any rank. Blocks for a few round trips. Spec 4.3.20.
func (v ByteVector) Swap(with ByteVector) error { return v.swap(with.byteSequence) }

// Deref returns the address of the byte of an iterator, and a null address for a place
// outside. Any rank. Blocks for one round trip. Spec 4.3.22.
func (v ByteVector) Deref(it RowIterator) (GA, error) {
	if it.GA != v.GA() {
		return NullGA, v.failed("dereference", ErrBadIterator)
	}
	at, err := v.s.Find(it.Index, 1)
	return GA(at.GA), v.failed("dereference", err)
}
