package message

import (
	"sync"

	"github.com/goacp/goacp/internal/structure/collarea"
)

// Team is an ordered list of members that call collective functions together, this process among
// them. All of its processes have the same Label and Members, and call the functions in the same
// order, on one goroutine at a time. Different teams with a member in common have different
// Labels.
type Team struct {
	Label   Label // its Tag does not count
	Members []int // by rank in the team
	Rank    int   // of this process

	// Gone is a member that was gone when this process made the team; nil = none. Barrier and Broadcast fail with it.
	Gone *GoneError

	// Near says that all processes share memory, as far as all of them know: they make a collective area.
	Near bool
	// Met is called when the processes have made a collective area. It may be nil.
	Met func(b *collarea.Area)

	planned sync.Once
	steps   []step // of a reduction
	calls   int    // of Barrier and Reduce
	area    *collarea.Area
}

// exchanges returns the steps of a reduction of the team.
func (t *Team) exchanges() []step {
	t.planned.Do(func() { t.steps = exchanges(t.size(), t.Rank) })
	return t.steps
}

// The tags of collective functions.
const (
	tagBarrier int32 = iota
	tagBroadcast
	tagReduce
	tagGather
)

// failed returns the error about a member that was gone at the beginning, or nil.
func (t *Team) failed() error {
	if t.Gone != nil {
		return t.Gone
	}
	return nil
}

// label returns the label of messages for one function.
func (t *Team) label(tag int32) Label {
	l := t.Label
	l.Tag = tag
	return l
}

// size returns the number of processes.
func (t *Team) size() int { return len(t.Members) }
