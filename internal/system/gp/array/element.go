package array

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/memory/ga"
)

// Element is memory of this process that may be assigned to places. Its methods may be called by
// several goroutines at once.
type Element struct {
	sys  *System
	at   uint64         // address for all ranks
	addr unsafe.Pointer // address in this process
	size uint64
	gone atomic.Bool

	named int // places that have the element; guarded by the lock of sys
}

// Alloc returns a new element, aligned to 16 bytes, whose contents are undefined. Fails with
// global.ErrFull. Does not wait for other ranks.
func (s *System) Alloc(size uint64) (*Element, error) {
	if err := s.mem.Alive(); err != nil {
		return nil, err
	}
	if size > ga.MaxPos {
		size = ga.MaxPos // no heap is so large, and sums do not overflow
	}
	at, err := s.mem.Alloc(s.p.Ranks.Self(), size)
	if err != nil {
		return nil, s.mem.Explain(err)
	}
	b, err := s.mem.Own().Bytes(at, size)
	if err != nil {
		return nil, err
	}
	e := &Element{sys: s, at: at, addr: unsafe.Pointer(unsafe.SliceData(b)), size: size}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.elements[e.addr] = e
	return e, nil
}

// Element returns the element at an address in this process. Fails with ErrNotElement.
func (s *System) Element(addr unsafe.Pointer) (*Element, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if e := s.elements[addr]; e != nil {
		return e, nil
	}
	return nil, fmt.Errorf("%w: %p", ErrNotElement, addr)
}

// Address returns where the element lies in this process.
func (e *Element) Address() unsafe.Pointer { return e.addr }

// Size returns the bytes of the element.
func (e *Element) Size() uint64 { return e.size }

// Rank returns the rank of the process that has the element.
func (e *Element) Rank() int { return e.sys.rank() }

// Bytes returns the memory of the element, or nil if it has been freed.
func (e *Element) Bytes() []byte {
	if e.gone.Load() {
		return nil
	}
	return unsafe.Slice((*byte)(e.addr), e.size)
}

// Free gives the memory back. Fails with ErrAssigned and ErrDestroyed.
func (e *Element) Free() error {
	if err := e.sys.mem.Alive(); err != nil {
		return err
	}
	if err := e.sys.drop(e); err != nil {
		return err
	}
	return e.sys.mem.Free(e.at)
}

// drop forgets an element that no place has.
func (s *System) drop(e *Element) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case e.gone.Load():
		return ErrDestroyed
	case e.named > 0:
		return fmt.Errorf("%w: it has %d", ErrAssigned, e.named)
	}
	e.gone.Store(true)
	delete(s.elements, e.addr)
	return nil
}
