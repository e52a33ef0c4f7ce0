package points

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Max is the greatest number of a point or position.
const Max = math.MaxInt64 / 4

// Run is Count numbers: Start, Start+Stride and so on. Count is greater than 0.
type Run struct{ Start, Stride, Count int64 }

// Last returns the last number.
func (r Run) Last() int64 { return r.Start + r.Stride*(r.Count-1) }

// List is a sequence of numbers from 0 to Max, in the form of runs. The zero value is an empty
// List.
type List struct {
	data []byte
	n    int64
}

// Len returns how many numbers the list has.
func (l *List) Len() int64 { return l.n }

// Each calls f with each number.
func (l *List) Each(f func(int64)) {
	for it := l.All(); ; {
		r, ok := it.Next()
		if !ok {
			return
		}
		for i := range r.Count {
			f(r.Start + i*r.Stride)
		}
	}
}

// Bytes returns the list as it travels.
func (l *List) Bytes() []byte { return l.data }

// Builder makes a List. The zero value has an empty List.
type Builder struct {
	list List     // the lists in full precede its bytes
	full [][]byte // so long lists are not copied again and again while they grow
	next int64    // the number after the last number in list
	open Run      // not yet in list; Count 0 if there is none
}

// Add appends a number.
func (b *Builder) Add(x int64) { b.AddRun(Run{x, 1, 1}) }

// AddRun appends a run.
func (b *Builder) AddRun(r Run) {
	o := &b.open
	switch last := o.Last(); {
	case o.Count == 0:
		*o = r
	case r.Count == 1 && o.Count == 1:
		*o = Run{o.Start, r.Start - o.Start, 2}
	case r.Count == 1 && r.Start == last+o.Stride, o.Count > 1 && r.Stride == o.Stride && r.Start == last+r.Stride:
		o.Count += r.Count
	case o.Count == 1 && r.Start == last+r.Stride:
		*o = Run{o.Start, r.Stride, r.Count + 1}
	case r.Count == 1 && o.Count == 2 && r.Start == last+1:
		// The second number begins a run without gaps, which is worth more than a pair.
		first := Run{o.Start, 1, 1}
		*o = Run{last, 1, 2}
		b.write(first)
	default:
		b.write(*o)
		*o = r
	}
}

// Bytes of a list that are kept apart while it grows.
const (
	leastChunk    = 4 << 10
	greatestChunk = 1 << 20
)

// write appends a run to the bytes of the list: the distance of its start from the number after the
// last run, its count, and its stride unless that is 1.
func (b *Builder) write(r Run) {
	l := &b.list
	if n := cap(l.data); n >= leastChunk && n-len(l.data) < 3*binary.MaxVarintLen64 {
		b.full = append(b.full, l.data)
		l.data = make([]byte, 0, min(2*n, greatestChunk))
	}
	distance, head := r.Start-b.next, uint64(r.Count-1)<<1
	if distance >= -64 && distance < 64 && head < 0x80 && (r.Count == 1 || r.Stride == 1) {
		l.data = append(l.data, byte(distance<<1^distance>>63), byte(head)) // the following code does the same
		l.n += r.Count
		b.next = r.Start + r.Count
		return
	}
	l.data = binary.AppendVarint(l.data, distance)
	if r.Count == 1 || r.Stride == 1 {
		l.data = binary.AppendUvarint(l.data, head)
	} else {
		l.data = binary.AppendUvarint(l.data, head|1)
		l.data = binary.AppendVarint(l.data, r.Stride)
	}
	l.n += r.Count
	b.next = r.Last() + 1
}

// List returns the list of the added numbers. The Builder is empty afterwards.
func (b *Builder) List() List {
	if b.open.Count > 0 {
		b.write(b.open)
	}
	l := b.list
	if len(b.full) > 0 {
		l.data = slices.Concat(append(b.full, l.data)...)
	}
	*b = Builder{}
	return l
}

// Of returns the list of some numbers.
func Of(numbers ...int64) List {
	var b Builder
	for _, x := range numbers {
		b.Add(x)
	}
	return b.List()
}

// ErrMalformed: bytes that are no list.
var ErrMalformed = errors.New("malformed list of numbers")

// Decode returns the list that b encodes, and keeps b. All numbers are from lo to less than hi; if
// ascending is set, each is greater than the previous number. Fails with ErrMalformed.
func Decode(b []byte, lo, hi int64, ascending bool) (List, error) {
	l := List{data: b}
	least := lo
	for it := (Iterator{rest: b}); len(it.rest) > 0; {
		if !it.decode() {
			return List{}, fmt.Errorf("%w: %d bytes from the end", ErrMalformed, len(it.rest))
		}
		r := it.run
		if !r.within(least, hi) || ascending && r.Stride < 0 {
			return List{}, fmt.Errorf("%w: %d numbers from %d with stride %d are not all from %d to %d", ErrMalformed, r.Count, r.Start, r.Stride, least, hi-1)
		}
		if ascending {
			least = r.Last() + 1
		}
		if l.n += r.Count; l.n > Max {
			return List{}, ErrMalformed
		}
	}
	return l, nil
}

// within reports whether all numbers of a run that may have any fields are from lo to less than hi,
// and differ.
func (r Run) within(lo, hi int64) bool {
	if r.Count < 1 || r.Start < lo || r.Start >= hi {
		return false
	}
	if r.Count == 1 {
		return true
	}
	if r.Stride == 0 || r.Stride == math.MinInt64 {
		return false
	}
	over, length := bits.Mul64(uint64(max(r.Stride, -r.Stride)), uint64(r.Count-1))
	return over == 0 && length <= Max && r.Last() >= lo && r.Last() < hi
}
