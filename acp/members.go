package acp

import (
	"fmt"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/activity"
)

// State is the state of a rank, as a process has received it.
type State int

// The states of ranks. A guest that waits in Open for the others of its launcher is not present yet.
const (
	StateNone    State = iota // no process has come as this rank
	StateWaiting              // it waits in Init or Open for Adopt of the residents
	StatePresent              // it belongs to the run
	StateLeft                 // a resident that has left by Adopt, or a guest that has finalized the library
	StateLost                 // it has ended otherwise, and the run goes on
)

var stateNames = [...]string{"none", "waiting", "present", "left", "lost"}

// String returns the state in one word.
func (s State) String() string {
	if s < 0 || int(s) >= len(stateNames) {
		return fmt.Sprintf("State(%d)", int(s))
	}
	return stateNames[s]
}

// Seats returns how many ranks the run can ever have: those of its beginning, those that join it, and guests. Ranks are
// less than it. It is at least Procs. Local. Does not block.
func (p *Process) Seats() int { return p.ranks.Seats() }

// State returns the state of a rank. Another process may have received a change earlier. Fails with ErrBadRank if the
// run can never have the rank. Local. Does not block.
func (p *Process) State(rank Rank) (State, error) {
	if err := p.checkSeat(rank); err != nil {
		return StateNone, p.lifeError("state of a rank", err)
	}
	switch p.met.Roster.State(p.member(rank)) {
	case bridge.MemberPresent:
		return StatePresent, nil
	case bridge.MemberWaiting:
		return StateWaiting, nil
	case bridge.MemberHasLeft:
		return StateLeft, nil
	case bridge.MemberIsLost:
		return StateLost, nil
	}
	return StateNone, nil
}

// Cohort returns the number of the cohort of a rank: the processes that call collective functions together. It is 0 for
// the residents: the ranks of the beginning of the run, and those that have joined them. Guests keep theirs when they have
// left. Fails with ErrBadRank if no process has come as the rank. Local. Does not block.
func (p *Process) Cohort(rank Rank) (int, error) {
	err := p.checkSeat(rank)
	if err == nil && p.met.Roster.CohortOf(p.member(rank)) == nil {
		err = fmt.Errorf("%w: no process has come as rank %d", ErrBadRank, rank)
	}
	if err != nil {
		return 0, p.lifeError("cohort of a rank", err)
	}
	return p.mem.Cohort(p.member(rank)), nil
}

// checkSeat returns an error if the run can never have a rank, or is over.
func (p *Process) checkSeat(rank Rank) error {
	if err := p.alive(); err != nil {
		return err
	}
	if rank < 0 || int(rank) >= p.Seats() {
		return fmt.Errorf("%w: rank %d, of %d that the run can have", ErrBadRank, rank, p.Seats())
	}
	return nil
}

// AwaitChange waits until this process has received more than seen changes of the members of the run, and returns how
// many it has received. A change is the arrival of processes, the end of one that the run survives, another epoch of the
// residents, or a request to leave. A program that has looked at the states of the ranks after AwaitChange has returned n
// passes n to wait for the next change. With a negative number it returns at once. Fails with the error of the context of p, and with ErrPeerDead when the run is over. Local. Blocks until then.
func (p *Process) AwaitChange(seen int64) (int64, error) {
	if err := p.alive(); err != nil {
		return 0, p.lifeError("wait for a change", err)
	}
	roster := p.met.Roster
	err := p.cond.WaitContext(p.ctx, activity.For(activity.Change), func() bool { return roster.Changes() > seen })
	return roster.Changes(), p.lifeError("wait for a change", err)
}
