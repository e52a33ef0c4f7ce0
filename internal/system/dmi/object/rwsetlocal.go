package object

import (
	"errors"
	"fmt"
	"slices"
)

// LocalRWSet is a read-write-set as one region uses it. Its methods may be called by several goroutines at once.
type LocalRWSet struct {
	objects *Objects
	addr    int64
	set     set
	own     region
	number  int
	turns   map[int]uint32 // of the regions whose values it uses
	reader  Reader         // nil: it reads no element that has a writer
	reads   int64          // bytes
	zero    []int64        // where the elements without a writer are
}

// NewLocalRWSet returns the read-write-set at addr for a region that reads some elements, in this order. Elements may
// occur several times. Those without a writer read as 0 for ever. All regions have been decomposed. Blocks for some
// round trips. Fails with ErrDecomposed.
func (o *Objects) NewLocalRWSet(addr int64, region int, elements []int64) (*LocalRWSet, error) {
	s, err := o.set(addr, rwsetCheck)
	if err != nil {
		return nil, err
	}
	l := &LocalRWSet{objects: o, addr: addr, set: s, number: region, turns: map[int]uint32{}, reads: int64(len(elements)) * s.size}
	if err = s.checkRegion(region, elements); err == nil {
		err = l.resolve(elements)
	}
	if err != nil {
		return nil, failed(rwsetKind, addr, err)
	}
	return l, nil
}

// writer is the place of an element: a region, and the index there. The region is negative if there is none.
type writer struct {
	region int
	index  uint32
}

// resolve finds the places of the elements, and makes the reader.
func (l *LocalRWSet) resolve(elements []int64) error {
	writers, err := l.writers(elements)
	if err != nil {
		return err
	}
	regions, err := l.regions(writers)
	if err != nil {
		return err
	}
	if l.own = regions[l.number]; l.own.busy {
		return fmt.Errorf("%w: %d", ErrDecomposed, l.number)
	}
	var ranges []Range
	for i, w := range writers {
		at := int64(i) * l.set.size
		if w.region < 0 {
			l.zero = append(l.zero, at)
			continue
		}
		r := regions[w.region]
		if r.busy || w.index >= r.count {
			return fmt.Errorf("%w: %d", ErrDecomposed, w.region)
		}
		value := Range{r.values + int64(w.index)*l.set.size, l.set.size, at}
		if i > 0 && writers[i-1].region == w.region { // a range of two spaces would be none
			ranges = extend(ranges, value)
		} else {
			ranges = append(ranges, value)
		}
	}
	for number, r := range regions {
		l.turns[number] = r.turn
	}
	if len(ranges) != 0 {
		l.reader, err = l.objects.memory.NewReader(ranges)
	}
	return err
}

// extend appends a range, or makes the last one longer.
func extend(all []Range, r Range) []Range {
	if n := len(all) - 1; n >= 0 && all[n].Addr+all[n].Size == r.Addr && all[n].At+all[n].Size == r.At {
		all[n].Size += r.Size
		return all
	}
	return append(all, r)
}

// writers reads the places of elements from the directory.
func (l *LocalRWSet) writers(elements []int64) ([]writer, error) {
	list := sorted(elements)
	var ranges []Range
	at := int64(-writerBytes) // of the last different element, in what is read
	for i, n := range list {
		if i == 0 || n.element != list[i-1].element {
			at += writerBytes
			ranges = extend(ranges, Range{l.set.directory + n.element*writerBytes, writerBytes, at})
		}
	}
	b, err := l.read(ranges, at+writerBytes)
	if err != nil {
		return nil, err
	}
	all := make([]writer, len(elements))
	at = -writerBytes
	for i, n := range list {
		if i == 0 || n.element != list[i-1].element {
			at += writerBytes
		}
		all[n.index] = writer{int(word(b, int(at))) - 1, word(b, int(at)+4)}
		if all[n.index].region >= l.set.regions {
			return nil, fmt.Errorf("%w: %d", ErrDecomposed, all[n.index].region)
		}
	}
	return all, nil
}

// read reads ranges once.
func (l *LocalRWSet) read(ranges []Range, size int64) ([]byte, error) {
	b := make([]byte, size)
	if size == 0 {
		return b, nil
	}
	r, err := l.objects.memory.NewReader(ranges)
	if err != nil {
		return nil, err
	}
	defer r.Free()
	return b, r.Read(b)
}

// regions reads the regions of elements, and that of the set.
func (l *LocalRWSet) regions(writers []writer) (map[int]region, error) {
	numbers := []int{l.number}
	last := l.number
	for _, w := range writers {
		if w.region >= 0 && w.region != last {
			last = w.region
			numbers = append(numbers, last)
		}
	}
	slices.Sort(numbers)
	return l.readRegions(slices.Compact(numbers))
}

// readRegions reads regions from the table.
func (l *LocalRWSet) readRegions(numbers []int) (map[int]region, error) {
	var ranges []Range
	for i, number := range numbers {
		ranges = extend(ranges, Range{l.set.region(number), regionBytes, int64(i) * regionBytes})
	}
	b, err := l.read(ranges, int64(len(numbers))*regionBytes)
	if err != nil {
		return nil, err
	}
	all := map[int]region{}
	for i, number := range numbers {
		all[number] = regionAt(b[i*regionBytes:])
	}
	return all, nil
}

// WriteSize and ReadSize return the bytes that Write and Read take.
func (l *LocalRWSet) WriteSize() int64 { return int64(l.own.count) * l.set.size }

// ReadSize: see WriteSize.
func (l *LocalRWSet) ReadSize() int64 { return l.reads }

// Write writes the values of the elements that the region writes, in the order of its list. b has WriteSize bytes. The
// values come to this process, if they are elsewhere. Blocks for a round trip or two. Fails with ErrDecomposed.
func (l *LocalRWSet) Write(b []byte) error {
	if int64(len(b)) != l.WriteSize() {
		return failed(rwsetKind, l.addr, fmt.Errorf("%w: %d bytes to write; expected %d", ErrArgument, len(b), l.WriteSize()))
	}
	if len(b) == 0 {
		return nil
	}
	return l.explain(l.objects.memory.Write(l.own.values, b, exclusive))
}

// Read reads the values of the elements that the region reads, in the order of its list, to b, which has ReadSize
// bytes. One message goes to each process that has any of them. Blocks for a round trip or two. Fails with
// ErrDecomposed.
func (l *LocalRWSet) Read(b []byte) error {
	if int64(len(b)) != l.reads {
		return failed(rwsetKind, l.addr, fmt.Errorf("%w: %d bytes to read; expected %d", ErrArgument, len(b), l.reads))
	}
	for _, at := range l.zero {
		clear(b[at : at+l.set.size])
	}
	if l.reader == nil {
		return nil
	}
	return l.explain(l.reader.Read(b))
}

// Destroy gives the memory of the local set back. No thread uses the set any more. Does not block.
func (l *LocalRWSet) Destroy() {
	if l.reader != nil {
		l.reader.Free()
	}
}

// explain returns the reason of an error: the set has been destroyed, or a region has been decomposed again.
func (l *LocalRWSet) explain(err error) error {
	if err == nil {
		return nil
	}
	s, gone := l.objects.set(l.addr, rwsetCheck)
	if gone != nil {
		return gone
	}
	if s != l.set {
		return failed(rwsetKind, l.addr, ErrNotInitialised)
	}
	var numbers []int
	for number := range l.turns {
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	now, failure := l.readRegions(numbers)
	if failure != nil {
		return failed(rwsetKind, l.addr, errors.Join(err, failure))
	}
	for _, number := range numbers {
		if now[number].turn != l.turns[number] {
			return failed(rwsetKind, l.addr, fmt.Errorf("%w: %d", ErrDecomposed, number))
		}
	}
	return failed(rwsetKind, l.addr, err)
}
