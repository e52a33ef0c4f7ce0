package survey

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/goacp/goacp/internal/ground/ranges"
)

// Stall detects that all ranks of a run have been waiting for each other for some time.
type Stall struct {
	limit    time.Duration
	reported bool
}

// NewStall returns a Stall for a time, which is not 0.
func NewStall(limit time.Duration) *Stall { return &Stall{limit: limit} }

// Interval is how often Look should be called.
func (s *Stall) Interval() time.Duration { return min(max(s.limit/4, time.Second), 15*time.Second) }

// Look returns a line for the user, once for each time that all ranks of a run come to a stop, and otherwise
// "".
func (s *Stall) Look(r *Run) string {
	if !s.stuck(r) {
		s.reported = false
		return ""
	}
	if s.reported {
		return ""
	}
	s.reported = true
	text := fmt.Sprintf("all ranks have been waiting for %s", Duration(s.limit))
	if cycle := r.Cycle(s.limit); cycle != nil {
		return text + ": " + r.DescribeCycle(cycle)
	}
	text += ": " + r.whoWaits()
	if advice := r.openingAdvice(); advice != "" {
		text += "; " + advice
	}
	return text
}

// maxReasons is how many reasons a line has at most.
const maxReasons = 6

// whoWaits returns a text with the waiting ranks and their reasons. Ranks with the same place and reason are
// named together.
func (r *Run) whoWaits() string {
	type reason struct{ call, at, why string }
	var reasons []reason // in the order of the first rank
	ranks, first := map[reason][]int{}, map[reason]Wait{}
	for i := range r.Ranks {
		rank := r.Ranks[i].Rank
		if r.Ranks[i].State != Waiting {
			continue
		}
		for _, w := range r.Ranks[i].Seen.Waits {
			why := reason{w.Call, w.At, r.because(i, w)}
			switch {
			case ranks[why] == nil:
				reasons = append(reasons, why)
				first[why] = w
			case slices.Contains(ranks[why], rank):
				continue
			}
			ranks[why] = append(ranks[why], rank)
		}
	}
	var texts []string
	for _, why := range reasons[:min(len(reasons), maxReasons)] {
		verb, w := " waits", first[why]
		if len(ranks[why]) > 1 {
			verb = " wait"
		}
		texts = append(texts, ranges.Of(ranks[why])+verb+w.place()+why.why)
	}
	if more := len(reasons) - len(texts); more > 0 {
		texts = append(texts, fmt.Sprintf("%d more waits", more))
	}
	return strings.Join(texts, "; ")
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
