package array

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"unsafe"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/process/extension"
	"github.com/goacp/goacp/internal/system/gp/table"
)

// The operations at the owner.
const (
	opCollect = iota // records of places, and the first bytes of their elements
	opDeposit        // few bytes to elements of places
	opRead           // bytes at addresses
	opWrite          // bytes to addresses
)

var systems = extension.Register(extension.Extension[*System]{
	Name:     "gp",
	First:    am.OpGP,
	Optional: true,
	Open:     func(p *extension.Process) (*System, error) { return newSystem(p), nil },
	Operations: []extension.Operation[*System]{
		opCollect: {Name: "collection of elements", Serve: (*System).serveCollect},
		opDeposit: {Name: "deposit to elements", Serve: (*System).serveDeposit},
		opRead:    {Name: "reading of elements", Serve: (*System).serveRead},
		opWrite:   {Name: "writing of elements", Serve: (*System).serveWrite},
	},
	Forget: (*System).forget,
	Close:  (*System).forget,
})

// Of returns the arrays of an *acp.Process.
func Of(process any) *System { return systems.Of(process) }

// System is the arrays and elements of one process. Several goroutines may call its methods at once,
// except collective methods.
type System struct {
	p   *extension.Process
	mem *global.Memory

	mu       sync.RWMutex
	last     int // number of the newest array
	arrays   map[int]*Array
	elements map[unsafe.Pointer]*Element // by address in this process
	table    *table.Table                // for C; nil if the program is in Go
}

func newSystem(p *extension.Process) *System {
	return &System{p: p, mem: p.Memory, arrays: make(map[int]*Array), elements: make(map[unsafe.Pointer]*Element)}
}

// forget ends all arrays and elements: their memory is gone.
func (s *System) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.arrays {
		s.hide(a)
	}
	for _, e := range s.elements {
		e.gone.Store(true)
	}
	clear(s.arrays)
	clear(s.elements)
}

// NewHandle returns an array without places. Collective. Blocks until every rank has called
// it.
func (s *System) NewHandle() (*Array, error) {
	if err := s.everywhere(); err != nil {
		return nil, err
	}
	if err := s.p.Begin("GP_Create_handle"); err != nil {
		return nil, err
	}
	return s.New(), nil
}

// everywhere fails if the program of a rank is without global pointer arrays, or the ranks are not fixed and those from 0 on: an
// array lies on all ranks.
func (s *System) everywhere() error {
	switch {
	case s.p.Ranks.Elastic():
		return errors.New("global pointer arrays need fixed ranks; start the run without -max")
	case s.p.Ranks.First() > 0:
		return errors.New("global pointer arrays are not for guests of a run")
	}
	for m := range s.p.Ranks.Size() {
		if !s.p.Present(m) {
			return fmt.Errorf("the program of rank %d is without global pointer arrays", s.p.Ranks.Rank(m))
		}
	}
	return nil
}

// New is NewHandle without waiting for other ranks, which call it in the same order.
func (s *System) New() *Array {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		s.last = s.last%math.MaxInt32 + 1
		if s.arrays[s.last] == nil {
			break
		}
	}
	a := &Array{sys: s, number: s.last}
	s.arrays[a.number] = a
	return a
}

// Find returns the array with a number, or nil.
func (s *System) Find(number int) *Array {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.arrays[number]
}

// remove ends an array. Its places have no records any more.
func (s *System) remove(a *Array) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hide(a)
	delete(s.arrays, a.number)
}

// Share returns the table of arrays for C. It will contain the arrays that are allocated from now on.
// Fails if there is no memory for the table.
func (s *System) Share() (unsafe.Pointer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.table == nil {
		t, err := table.New(s.mem.Direct())
		if err != nil {
			return nil, err
		}
		s.table = t
	}
	return s.table.Address(), nil
}

// show adds an array to the table for C after its allocation.
func (s *System) show(a *Array, p *placed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.table != nil {
		s.table.Add(a.number, p.layout, p.blocks)
	}
}

// hide marks an array as ended, and removes it from the table for C. The caller holds the lock.
func (s *System) hide(a *Array) {
	a.gone.Store(true)
	if s.table != nil {
		s.table.Remove(a.number)
	}
}

// Clear destroys all arrays and frees all elements. Collective. Blocks until every rank has
// called it.
func (s *System) Clear() error {
	if err := s.p.Begin("GP_Terminate"); err != nil {
		return err
	}
	s.mu.RLock()
	var blocks []uint64
	for _, a := range s.arrays {
		if placed := a.placed.Load(); placed != nil && placed.own != 0 {
			blocks = append(blocks, placed.own)
		}
	}
	for _, e := range s.elements {
		blocks = append(blocks, e.at)
	}
	s.mu.RUnlock()
	s.forget()
	for _, block := range blocks {
		if err := s.mem.Free(block); err != nil {
			return fmt.Errorf("block at %#x: %w", block, err)
		}
	}
	return nil
}

// Memory returns the memory of all ranks.
func (s *System) Memory() *global.Memory { return s.mem }

// rank returns the rank of this process.
func (s *System) rank() int { return s.p.Ranks.Own() }
