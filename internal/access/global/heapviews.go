package global

import (
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/network/am"
)

// HeapView returns the heap of a member if this process has mapped all of it that is in use.
// Otherwise, and if the member has left, it returns nil: operations on the heap go to the member's agent. Does not block.
func (m *Memory) HeapView(member int) *heapview.View {
	view := m.heapViews.Load(member)
	if view == nil {
		view = m.findHeapView(member)
	}
	if view == nil || !view.Covers() {
		return nil
	}
	return view
}

// Own returns the heap of this process, all of which is mapped.
func (m *Memory) Own() *heapview.View { return m.HeapView(m.ranks.Self()) }

// HeapViewOf is HeapView for a rank. Fails with am.ErrElsewhere if the heap is not mapped, with
// heapview.ErrBadAddress if there is no such rank, and with ErrRankGone if its memory is gone.
func (m *Memory) HeapViewOf(rank uint64) (*heapview.View, error) {
	if rank >= uint64(m.ranks.Seats()) {
		return nil, fmt.Errorf("%w: there is no rank %d", heapview.ErrBadAddress, rank)
	}
	member := m.ranks.Member(int(rank))
	if !m.ranks.Fellow(member) {
		if err := m.router.Check(member); errors.Is(err, ErrRankGone) {
			return nil, err
		}
	}
	if view := m.HeapView(member); view != nil {
		return view, nil
	}
	return nil, am.ErrElsewhere
}

func (m *Memory) findHeapView(member int) *heapview.View {
	var view *heapview.View
	switch {
	case member == m.ranks.Self():
		view = m.newView(member, m.space)
	case !m.router.Shares(member):
		return nil
	default:
		v, err := m.router.View(member)
		if err != nil {
			return nil // its agent may still be reached
		}
		m.Mapped(member, v)
		view = m.newView(member, v)
	}
	m.entering.Lock()
	defer m.entering.Unlock()
	if member != m.ranks.Self() && !m.ranks.Fellow(member) && m.gone(member) { // Forget has been called, or waits
		return nil
	}
	m.heapViews.Store(member, view)
	return view
}

func (m *Memory) newView(member int, of segment.Memory) *heapview.View {
	x, l := of.Extent(), of.Layout()
	return heapview.New(heapview.Config{
		Base: x.Base, From: l.HeapOffset(), Size: l.Heap, Mapped: x.Heap,
		Rank: m.ranks.Rank(member), Heap: of.Heap(m.alive), Over: m.alive, Gone: m.gone,
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

// gone reports whether a member has left the run or is lost, as far as this process knows.
func (m *Memory) gone(member int) bool {
	return member >= 0 && member < m.ranks.Seats() && errors.Is(m.router.Check(member), ErrRankGone)
}

// Mapped enters what is mapped of the memory of a member in the table of direct access.
func (m *Memory) Mapped(member int, of segment.Memory) {
	rank := m.ranks.Rank(member)
	if m.direct.Has(rank, of.Extent()) {
		return
	}
	m.entering.Lock()
	defer m.entering.Unlock()
	if member != m.ranks.Self() && !m.ranks.Fellow(member) && m.router.Check(member) != nil {
		return
	}
	m.direct.Map(rank, of.Extent(), of.Layout())
}
