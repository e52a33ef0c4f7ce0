package timing

import "slices"

// Message is the values of one message.
type Message struct {
	Number int64
	Values []float64
}

// Plan says which steps of one side of a link have messages, and how values become messages.
type Plan struct {
	Every       int64     // at least 1
	Lag         int64     // of a sender: the values of step s count as those of step s + Lag
	Reduction   Reduction // of a sender
	Interpolate bool      // of a receiver
}

// Ahead returns how many initial messages there are at most.
func (p *Plan) Ahead() int64 { return (p.Lag + p.Every - 1) / p.Every }

// Due returns the number of the message of a step, and whether the step has one.
func (p *Plan) Due(step int64) (number int64, ok bool) {
	at := step + p.Lag
	return at / p.Every, at%p.Every == 0
}

// passed returns how many messages a receiver without interpolation has received when it has come as far as the sender after a
// step, which may be -1.
func (p *Plan) passed(step int64) int64 { return (step + p.Every) / p.Every }

// Sender computes the messages of a sender.
type Sender struct {
	Plan

	step   int64     // the last one; -1: none
	steps  int64     // in totals
	totals []float64 // nil without a reduction
	kept   []Message // that receivers do not have yet if they have come as far as the sender
}

// NewSender returns a Sender for a number of values.
func NewSender(p Plan, values int) *Sender {
	s := &Sender{Plan: p, step: -1}
	if p.Reduction != Last {
		s.totals = make([]float64, values)
	}
	return s
}

// Step returns the last step, or -1.
func (s *Sender) Step() int64 { return s.step }

// Begin takes the values of the initial messages of a sender whose first step is given. It returns the messages, which the
// caller sends.
func (s *Sender) Begin(step int64, values []float64) []Message {
	for number := s.passed(step - 1); number < s.passed(step+s.Lag-1); number++ {
		s.kept = append(s.kept, Message{number, slices.Clone(values)})
	}
	return s.kept
}

// Add takes the values of a step without a message.
func (s *Sender) Add(step int64, values []float64) {
	s.step = step
	s.kept = slices.DeleteFunc(s.kept, func(m Message) bool { return m.Number < s.passed(step) })
	if s.Reduction == Last {
		return
	}
	if s.steps == 0 {
		copy(s.totals, values)
	} else {
		s.Reduction.reduce(s.totals, values)
	}
	s.steps++
}

// Reads reports whether Add needs the values of a step without a message.
func (s *Sender) Reads() bool { return s.Reduction != Last }

// Take takes the values of a step with a message, and returns the values of the message. They are valid until the next call.
// values may be changed.
func (s *Sender) Take(step int64, values []float64) []float64 {
	s.Add(step, values)
	result := values
	if s.Reduction != Last {
		copy(result, s.totals)
	}
	if s.Reduction == Average {
		n := float64(s.steps)
		for i := range result {
			result[i] /= n
		}
	}
	s.steps = 0
	if number, _ := s.Due(step); number >= s.passed(step) {
		s.kept = append(s.kept, Message{number, slices.Clone(result)})
	}
	return result
}
