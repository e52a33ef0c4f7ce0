package global

import (
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/memory/heap"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/network/am"
)

// ErrFull: the heap of the rank has no room for the block.
var ErrFull = heapview.ErrFull

// Alloc returns the address of a new block of size bytes in the heap of a member. Fails
// with ErrFull. Blocks for one round trip.
func (m *Memory) Alloc(member int, size uint64) (uint64, error) {
	if m.Detaches() {
		return Detached(m, nil,
			func(m *Memory) (uint64, error) { return m.Alloc(member, size) },
			func(m *Memory, block uint64) { _ = m.Free(block) }) // fails if the run is over: then the memory goes with it
	}
	r, err := m.heap(member, &am.Call{Op: am.OpAlloc, Args: [4]uint64{size}})
	return r.Val0, err
}

// Free frees a block of any rank. Blocks for one round trip.
func (m *Memory) Free(at uint64) error {
	if err := m.Check(at); err != nil {
		return err
	}
	if m.Detaches() {
		return m.detached(func(m *Memory) error { return m.Free(at) })
	}
	_, err := m.heap(m.Member(at), &am.Call{Op: am.OpFree, GA: at})
	return err
}

// heap carries out an operation on the heap of a member.
func (m *Memory) heap(member int, c *am.Call) (am.Result, error) {
	if view := m.HeapView(member); view != nil {
		if r, err := am.RunHeap(view, c); m.Final(member, err) {
			return r, Cause(err)
		}
	}
	return m.Far(member, *c)
}

// explained is an error with what a user can do about it.
type explained struct {
	error
	remedy string
}

func (e *explained) Error() string { return e.error.Error() + ": " + e.remedy }

func (e *explained) Unwrap() error { return e.error }

// Explain adds to the error of a full heap to what the heaps may grow, and the option that sets this limit. It returns
// other errors as they are, and heap.ErrLimit, where another limit is in force. Does not block.
func (m *Memory) Explain(err error) error { return m.ExplainBy(err, heapOption) }

// ExplainBy is Explain for programs that set the limit by another option than the one of acprun.
func (m *Memory) ExplainBy(err error, option string) error {
	var done *explained
	if !errors.Is(err, ErrFull) || errors.Is(err, heap.ErrLimit) || errors.As(err, &done) {
		return err
	}
	return &explained{err, m.heapLimit(option)}
}

// HeapLimit says to what the heaps may grow, and which option sets this limit. Does not block.
func (m *Memory) HeapLimit() string { return m.heapLimit(heapOption) }

// heapOption is the option of acprun that sets to what the heaps may grow, with its variable.
const heapOption = "-startermemsize-dl (" + envvar.HeapSize + ")"

func (m *Memory) heapLimit(option string) string {
	least := m.HeapSize(0)
	most := least
	for _, member := range m.ranks.Members() {
		least, most = min(least, m.HeapSize(member)), max(most, m.HeapSize(member))
	}
	sizes := fmt.Sprintf("heaps of at most %d bytes", most)
	if least < most {
		sizes = fmt.Sprintf("heaps of at most %d to %d bytes", least, most)
	}
	return fmt.Sprintf("%s; %s raises the limit", sizes, option)
}
