package object

import (
	"errors"
	"fmt"
	"math/bits"
)

// Errors of read-write-sets.
var (
	ErrWriter     = errors.New("another region writes the element")
	ErrTwice      = errors.New("the element occurs twice")
	ErrDecomposed = errors.New("the region is being decomposed, or has been decomposed again")
)

// InitRWSet makes the RWSetSize bytes at addr a read-write-set of elements that have elementSize bytes each, in some
// regions. No element has a writer. Any process may call it. Blocks for a round trip.
func (o *Objects) InitRWSet(addr, elements, elementSize int64, regions int) error {
	s := set{regions: regions, elements: elements, size: elementSize}
	err := s.check()
	if err == nil {
		s.directory, err = o.memory.Map(directoryPage, (elements+writersOfPage-1)/writersOfPage)
	}
	if err != nil {
		return failed(rwsetKind, addr, err)
	}
	if s.table, err = o.memory.Map(tablePage, (int64(regions)+regionsOfPage-1)/regionsOfPage); err != nil {
		_ = o.memory.Unmap(s.directory)
		return failed(rwsetKind, addr, err)
	}
	x := exchanges.Get().(*exchange)
	defer exchanges.Put(x)
	s.put(x.in[:])
	if err := o.call(addr, rwsetInit, x); err != nil {
		_ = o.memory.Unmap(s.directory)
		_ = o.memory.Unmap(s.table)
		return err
	}
	return nil
}

// mostBytes bounds the values and the directory of a set.
const mostBytes = 1 << 52

// check fails if there is no such set.
func (s *set) check() error {
	if s.elements < 1 || s.size < 1 || s.regions < 1 || int(int32(s.regions)) != s.regions {
		return fmt.Errorf("%w: %d elements of %d bytes in %d regions", ErrArgument, s.elements, s.size, s.regions)
	}
	if high, low := bits.Mul64(uint64(s.elements), uint64(max(s.size, writerBytes))); high != 0 || low > mostBytes {
		return fmt.Errorf("%w: %d elements of %d bytes", ErrArgument, s.elements, s.size)
	}
	return nil
}

// set returns the read-write-set at addr.
func (o *Objects) set(addr int64, op Builtin) (s set, err error) {
	x := exchanges.Get().(*exchange)
	defer exchanges.Put(x)
	err = o.call(addr, op, x)
	return setAt(x.out[:]), err
}

// checkRegion fails if a set does not have a region or an element.
func (s *set) checkRegion(region int, elements []int64) error {
	if region < 0 || region >= s.regions {
		return fmt.Errorf("%w: region %d; it has 0 to %d", ErrArgument, region, s.regions-1)
	}
	for _, e := range elements {
		if e < 0 || e >= s.elements {
			return fmt.Errorf("%w: element %d; it has 0 to %d", ErrArgument, e, s.elements-1)
		}
	}
	return nil
}

// DestroyRWSet ends a read-write-set and its values. Any process may call it. Blocks for a round trip for each region.
func (o *Objects) DestroyRWSet(addr int64) error {
	s, err := o.set(addr, rwsetDestroy)
	if err != nil {
		return err
	}
	b := make([]byte, tablePage)
	for first := 0; first < s.regions; first += regionsOfPage {
		n := min(regionsOfPage, s.regions-first)
		if err := o.memory.Read(s.region(first), b[:n*regionBytes], get); err != nil {
			return failed(rwsetKind, addr, err)
		}
		for i := range n {
			r := regionAt(b[i*regionBytes:])
			err = errors.Join(err, o.unmapRegion(&r))
		}
	}
	err = errors.Join(err, o.memory.Unmap(s.directory), o.memory.Unmap(s.table))
	if err != nil {
		return failed(rwsetKind, addr, err)
	}
	return nil
}

// unmapRegion ends the spaces of a region.
func (o *Objects) unmapRegion(r *region) error {
	if r.values == 0 {
		return nil
	}
	return errors.Join(o.memory.Unmap(r.values), o.memory.Unmap(r.list))
}

// Decompose says which elements a region writes, in which order. Elements that it has written before keep their values,
// and the others begin with 0. The values come to this process. Local sets with values of the region fail from then on.
// Any process may call it. Blocks for some round trips. Fails with ErrWriter, ErrTwice and ErrDecomposed.
func (o *Objects) Decompose(addr int64, region int, elements []int64) error {
	s, err := o.set(addr, rwsetCheck)
	if err != nil {
		return err
	}
	err = s.checkRegion(region, elements)
	if err == nil {
		d := decomposition{objects: o, set: &s, region: region, elements: elements}
		err = d.run()
	}
	if err != nil {
		return failed(rwsetKind, addr, err)
	}
	return nil
}
