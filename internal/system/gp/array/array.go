package array

import (
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/system/gp/grid"
)

// Array is one global pointer array. Several goroutines may call its methods at once, except
// collective methods.
type Array struct {
	sys    *System
	number int
	gone   atomic.Bool
	placed atomic.Pointer[placed] // nil until the array has places
}

// placed is where the places of an array are. It does not change.
type placed struct {
	layout *grid.Layout
	blocks []uint64 // address of the records of each rank, 0 if it has none
	own    uint64   // that of this process
	mine   grid.Section
	recs   records // of this process
}

// Number returns the number of the array, which is the same on all ranks and greater than 0.
func (a *Array) Number() int { return a.number }

// Address returns the address of the first records, which is unique among all structures.
func (a *Array) Address() uint64 {
	if p := a.placed.Load(); p != nil {
		for _, block := range p.blocks {
			if block != ga.Null {
				return block
			}
		}
	}
	return ga.Null
}

// Layout returns how the places lie on the ranks. Fails with ErrDestroyed and ErrNotAllocated,
// and if the run is over.
func (a *Array) Layout() (*grid.Layout, error) {
	p, err := a.use()
	if err != nil {
		return nil, err
	}
	return p.layout, nil
}

// use returns where the places are. Fails as Layout does.
func (a *Array) use() (*placed, error) {
	if err := a.sys.mem.Alive(); err != nil {
		return nil, err
	}
	if a.gone.Load() {
		return nil, ErrDestroyed
	}
	p := a.placed.Load()
	if p == nil {
		return nil, ErrNotAllocated
	}
	return p, nil
}

// own returns the index of a place of this process. Fails with ErrBounds and ErrNotOwner.
func (a *Array) own(place []int) (p *placed, index int, err error) {
	if p, err = a.use(); err != nil {
		return nil, 0, err
	}
	if !p.layout.Contains(place) {
		return nil, 0, fmt.Errorf("%w: place %v of dimensions %v", ErrBounds, place, p.layout.Dims())
	}
	rank, index := p.layout.Find(place)
	if own := a.sys.rank(); rank != own {
		err := fmt.Errorf("%w: rank %d has it, and not rank %d", ErrNotOwner, rank, own)
		return nil, 0, &PlaceError{Place: slices.Clone(place), Owner: rank, Err: err}
	}
	return p, index, nil
}

// Assign attaches the first size bytes of an element to a place of this process. It replaces the
// previous element of the place. Fails with ErrBounds, ErrNotOwner, ErrSize and ErrDestroyed.
// Does not block.
func (a *Array) Assign(e *Element, size uint64, place []int) error {
	p, index, err := a.own(place)
	if err != nil {
		return err
	}
	if size == 0 || size > e.size {
		err := fmt.Errorf("%w: %d bytes of an element that was allocated with %d", ErrSize, size, e.size)
		return &PlaceError{Place: slices.Clone(place), Owner: a.sys.rank(), Want: size, Have: e.size, Err: err}
	}
	s := a.sys
	if e.sys != s {
		err := fmt.Errorf("%w: rank %d has the element, and rank %d the place", ErrNotOwner, e.Rank(), s.rank())
		return &PlaceError{Place: slices.Clone(place), Owner: s.rank(), Err: err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.gone.Load() {
		return fmt.Errorf("element: %w", ErrDestroyed)
	}
	s.unname(p, index)
	e.named++
	p.recs.store(index, e.at, size)
	return nil
}

// Detach detaches the element of a place of this process and returns it with the bytes that
// the place had of it, or nil if none was assigned. Otherwise as Assign.
func (a *Array) Detach(place []int) (*Element, uint64, error) {
	p, index, err := a.own(place)
	if err != nil {
		return nil, 0, err
	}
	s := a.sys
	s.mu.Lock()
	defer s.mu.Unlock()
	size := p.recs.all[index].pair().size
	e := s.unname(p, index)
	if e != nil {
		p.recs.store(index, 0, 0)
	}
	return e, size, nil
}

// Element returns the element of a place of this process and the bytes that the place has of it,
// or nil if none is assigned. Otherwise as Assign.
func (a *Array) Element(place []int) (*Element, uint64, error) {
	p, index, err := a.own(place)
	if err != nil {
		return nil, 0, err
	}
	s := a.sys
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.element(p, index), p.recs.all[index].pair().size, nil
}

// element returns the element of a place of this process, or nil. The caller holds the lock.
func (s *System) element(p *placed, index int) *Element {
	at := p.recs.all[index].pair().at
	if at == 0 {
		return nil
	}
	b, err := s.mem.Own().Bytes(at, 0)
	if err != nil {
		return nil
	}
	return s.elements[unsafe.Pointer(unsafe.SliceData(b))]
}

// unname notes that a place of this process gives its element up, and returns that, or nil. The
// caller holds the lock, and changes the record.
func (s *System) unname(p *placed, index int) *Element {
	e := s.element(p, index)
	if e != nil {
		e.named--
	}
	return e
}

// Local calls f with each assigned place of this process, in C order, and the bytes of its
// element, until f returns false. f may keep the place.
func (a *Array) Local(f func(place []int, mem []byte) bool) error {
	p, err := a.use()
	if err != nil {
		return err
	}
	for i := range p.recs.all {
		mem, err := p.memory(a.sys, i)
		if err != nil {
			return err
		}
		if mem != nil && !f(p.mine.Place(i), mem) {
			return nil
		}
	}
	return nil
}

// memory returns the bytes of the element of a place of this process, or nil.
func (p *placed) memory(s *System, index int) ([]byte, error) {
	at, size, err := p.recs.load(index, s.mem.Alive)
	if err != nil || size == 0 {
		return nil, err
	}
	return s.mem.Own().Bytes(at, size)
}

// Zero sets all bytes of all elements to 0. Collective. Blocks until every rank has done it.
func (a *Array) Zero() error {
	if _, err := a.use(); err != nil {
		return err
	}
	name := fmt.Sprintf("GP_Memzero of array %d", a.number)
	if err := a.sys.p.Begin(name); err != nil {
		return err
	}
	err := a.Local(func(_ []int, mem []byte) bool {
		clear(mem)
		return true
	})
	if err != nil {
		return err
	}
	return a.sys.p.Begin(name)
}
