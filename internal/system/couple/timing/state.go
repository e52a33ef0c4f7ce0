package timing

import (
	"fmt"
	"slices"
)

// State returns the state of the sender, which shares its memory.
func (s *Sender) State() State {
	state := State{Step: s.step, Messages: s.kept}
	if s.steps > 0 && s.Reduction != Last {
		state.Steps, state.Totals = s.steps, s.totals
	}
	return state
}

// Restore continues from a state of a sender with the same plan and number of values. It returns the messages that the caller
// sends again, since the receivers may not have them.
func (s *Sender) Restore(state *State) ([]Message, error) {
	if int64(len(state.Messages)) > s.Ahead() || state.Steps > 0 && (len(state.Totals) != len(s.totals)) {
		return nil, fmt.Errorf("%w: %d messages and %d totals of %d steps, which no sender with %v has", ErrFile, len(state.Messages), len(state.Totals), state.Steps, s.Plan)
	}
	s.step, s.steps = state.Step, state.Steps
	copy(s.totals, state.Totals)
	s.kept = slices.Clone(state.Messages)
	return s.kept, nil
}

// State returns the state of the receiver, which shares its memory.
func (r *Receiver) State() State {
	messages := []Message{r.before, r.latest}
	return State{Step: r.step, Next: r.next, Messages: messages[2-r.held:]}
}

// Restore continues from a state of a receiver with the same plan.
func (r *Receiver) Restore(state *State) error {
	n := len(state.Messages)
	if n > 2 || n == 0 && r.Interpolate && state.Next > 0 || n > 0 && (!r.Interpolate || state.Messages[n-1].Number != state.Next-1) {
		return fmt.Errorf("%w: %d messages before message %d, which no receiver with %v has", ErrFile, n, state.Next, r.Plan)
	}
	r.step, r.next, r.resumed, r.have = state.Step, state.Next, true, false
	r.before, r.latest, r.held = Message{}, Message{}, n
	if n > 0 {
		r.latest = state.Messages[n-1]
	}
	if n > 1 {
		r.before = state.Messages[0]
	}
	return nil
}
