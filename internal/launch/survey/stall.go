package survey

import (
	"fmt"
	"time"
)

// Stall finds out that all ranks of a run have been waiting for each other for some time.
type Stall struct {
	limit time.Duration
	told  bool
}

// NewStall returns a Stall for a time, which is not 0.
func NewStall(limit time.Duration) *Stall { return &Stall{limit: limit} }

// Interval is how often Look should be called.
func (s *Stall) Interval() time.Duration { return min(max(s.limit/4, time.Second), 15*time.Second) }

// Look returns what to tell the user about a run, once for each time that all its ranks stop going
// on, and otherwise "".
func (s *Stall) Look(r *Run) string {
	if !s.stuck(r) {
		s.told = false
		return ""
	}
	if s.told {
		return ""
	}
	s.told = true
	text := fmt.Sprintf("all ranks have been waiting for %s", Duration(s.limit))
	if cycle := r.Cycle(s.limit); cycle != nil {
		return text + ": " + r.DescribeCycle(cycle)
	}
	if openings := r.openings(); openings != "" {
		return text + ": " + openings
	}
	for rank := range r.Ranks {
		if r.Ranks[rank].State == Waiting {
			return fmt.Sprintf("%s: rank %d %s", text, rank, r.Explain(rank))
		}
	}
	return text
}

// stuck reports whether all ranks that have not ended have been waiting for the time.
func (s *Stall) stuck(r *Run) bool {
	waiting := 0
	for i := range r.Ranks {
		switch x := &r.Ranks[i]; x.State {
		case Left, Ended:
		case Waiting:
			for _, w := range x.Seen.Waits {
				if w.For < s.limit {
					return false
				}
			}
			waiting++
		default:
			return false
		}
	}
	return waiting > 0 && len(r.Unheard) == 0
}
