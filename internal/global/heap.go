package global

import (
	"github.com/goacp/goacp/internal/am"
	"github.com/goacp/goacp/internal/arena"
)

// ErrFull: the heap of the rank has no room for the block.
var ErrFull = arena.ErrFull

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
	if a := m.Arena(member); a != nil {
		if r, err := am.RunHeap(a, c); m.Final(member, err) {
			return r, Cause(err)
		}
	}
	return m.Far(member, *c)
}
