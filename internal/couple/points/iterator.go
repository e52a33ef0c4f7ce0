package points

import "encoding/binary"

// Iterator goes through a List once. A copy of it goes on from the same number.
type Iterator struct {
	rest []byte
	next int64 // the number behind the last run
	run  Run   // what is left of the run, Count 0 if nothing is
}

// All returns an Iterator from the first number on.
func (l *List) All() Iterator { return Iterator{rest: l.data} }

// decode reads the next run. It returns false if the bytes are no run.
func (it *Iterator) decode() bool {
	distance, n := binary.Varint(it.rest)
	if n <= 0 {
		return false
	}
	it.rest = it.rest[n:]
	head, n := binary.Uvarint(it.rest)
	if n <= 0 || head>>1 >= Max {
		return false
	}
	it.rest = it.rest[n:]
	it.run = Run{it.next + distance, 1, int64(head>>1) + 1}
	if head&1 != 0 {
		if it.run.Stride, n = binary.Varint(it.rest); n <= 0 {
			return false
		}
		it.rest = it.rest[n:]
	}
	it.next = it.run.Last() + 1
	return true
}

// Peek returns what is left of the present run, or false at the end.
func (it *Iterator) Peek() (Run, bool) {
	if it.run.Count == 0 && (len(it.rest) == 0 || !it.decode()) {
		return Run{}, false
	}
	return it.run, true
}

// Next returns what is left of the present run, and goes to the next one. It returns false at the
// end.
func (it *Iterator) Next() (Run, bool) {
	r, ok := it.Peek()
	it.run.Count = 0
	return r, ok
}

// Take returns the next numbers of one run, at most n. It returns false at the end.
func (it *Iterator) Take(n int64) (Run, bool) {
	r, ok := it.Peek()
	if !ok || r.Count <= n {
		it.run.Count = 0
		return r, ok
	}
	r.Count = n
	it.run.Start += n * it.run.Stride
	it.run.Count -= n
	return r, true
}

// Below returns the next numbers of one run that are less than end. It returns false if there are
// none. The list ascends.
func (it *Iterator) Below(end int64) (Run, bool) {
	r, ok := it.Peek()
	if !ok || r.Start >= end {
		return Run{}, false
	}
	if r.Last() < end {
		return it.Next()
	}
	return it.Take((end-1-r.Start)/r.Stride + 1)
}
