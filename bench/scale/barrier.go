package main

import (
	"errors"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/maptable"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/process/barrier"
	"github.com/goacp/goacp/internal/process/startup"
)

// neighbourhood tells the grouping of a barrier which ranks share memory, as the network of a process does.
type neighbourhood struct {
	members *bridge.Members
	space   *segment.Space
}

func newNeighbourhood(c *crowd) (*neighbourhood, error) {
	layout := segment.Layout{Starter: segment.StarterOffset, Heap: startup.MinHeapSize}
	space, err := segment.New(c.Token().Run(), c.Member(), layout, segment.SlotOf(0, c.shape.perHost))
	return &neighbourhood{space: space}, err
}

// ShareMemory implements startup.Fabric.
func (n *neighbourhood) ShareMemory(a, b int) (bool, error) {
	route, _, err := n.members.Route(a, b)
	return err == nil && route.SharesMemory(), err
}

// View implements startup.Fabric. Rank 0 leads its group, so it needs no view of a leader.
func (n *neighbourhood) View(int) (*segment.View, error) {
	return nil, errors.New("there is no such rank")
}

// Space implements startup.Fabric.
func (n *neighbourhood) Space() *segment.Space { return n.space }

// meeting is what a barrier costs.
type meeting struct {
	groups int // of ranks that share memory
	notes  int // messages that the leader of a group sends
	depth  int // longest chain of steps: arrivals in memory, notes, and releases in memory
}

// meet lets a leader come to one barrier, to which all other ranks come at the same time.
func meet(self int, leaders []int) (meeting, error) {
	var m meeting
	group := uint32(0)
	for member, l := range leaders {
		if l == member {
			m.groups++
		}
		if l == self {
			group++
		}
	}
	b := barrier.New(new(maptable.Barrier))
	cfg := barrier.Config{
		Self: self, Leaders: leaders, Budget: new(wait.Budget), Poll: func() bool { return false },
		// All leaders send the same note in a round. So the note to another one is also what comes from one.
		Notify: func(_ int, round uint32, note uint64) error {
			m.notes++
			b.Note(round, note)
			return nil
		},
	}
	if group > 1 {
		arrived := group - 1 // the others of the group
		cfg.Words = &segment.Barrier{Arrived: &arrived, Released: new(uint32), Sleepers: new(uint32), Marks: new([2]uint64)}
		m.depth = 2 // an arrival, and the release
	}
	b.Form(cfg)
	if _, err := b.Wait(0); err != nil {
		return m, err
	}
	m.depth += m.notes
	return m, nil
}
