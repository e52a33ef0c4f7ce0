package global

import (
	"fmt"

	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/network/am"
)

// Arena returns the heap of a member if this process has mapped all of it that is in use.
// Otherwise it returns nil: operations on the heap go to the member's agent. Does not block.
func (m *Memory) Arena(member int) *heapview.Arena {
	a := m.arenas.Load(member)
	if a == nil {
		a = m.findArena(member)
	}
	if a == nil || !a.Covers() {
		return nil
	}
	return a
}

// Own returns the heap of this process, all of which is mapped.
func (m *Memory) Own() *heapview.Arena { return m.Arena(m.ranks.Self()) }

// ArenaOf is Arena for a rank. Fails with am.ErrElsewhere if the heap is not mapped, and
// with arena.ErrBadAddress if there is no such rank.
func (m *Memory) ArenaOf(rank uint64) (*heapview.Arena, error) {
	if rank >= uint64(m.ranks.Size()) {
		return nil, fmt.Errorf("%w: there is no rank %d", heapview.ErrBadAddress, rank)
	}
	if a := m.Arena(m.ranks.Member(int(rank))); a != nil {
		return a, nil
	}
	return nil, am.ErrElsewhere
}

func (m *Memory) findArena(member int) *heapview.Arena {
	var a *heapview.Arena
	switch {
	case member == m.ranks.Self():
		a = m.newArena(member, m.space)
	case !m.router.Shares(member):
		return nil
	default:
		v, err := m.router.View(member)
		if err != nil {
			return nil // its agent may still be reached
		}
		m.Mapped(member, v)
		a = m.newArena(member, v)
	}
	m.arenas.Store(member, a)
	return a
}

func (m *Memory) newArena(member int, of segment.Memory) *heapview.Arena {
	x, l := of.Extent(), of.Layout()
	return heapview.New(heapview.Config{
		Base: x.Base, From: l.HeapOffset(), Size: l.Heap, Mapped: x.Heap,
		Rank: m.ranks.Rank(member), Heap: of.Heap(m.alive), Over: m.alive,
		Reach: func(n uint64) heapview.Mapped {
			x := of.Reach(n)
			if x == nil {
				return heapview.Mapped{}
			}
			m.Mapped(member, of)
			return heapview.Mapped{Base: x.Base, Size: x.Heap}
		},
	})
}

// Mapped enters what is mapped of the memory of a member in the table of direct access.
func (m *Memory) Mapped(member int, of segment.Memory) {
	rank := m.ranks.Rank(member)
	if m.direct.Has(rank, of.Extent()) {
		return
	}
	m.entering.Lock()
	defer m.entering.Unlock()
	m.direct.Map(rank, of.Extent(), of.Layout())
}
