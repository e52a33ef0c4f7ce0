package launch

import (
	"strings"
	"time"

	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/survey"
)

// stallWatch checks from time to time whether all ranks of a run wait for each other. It belongs to the
// goroutine of the run.
type stallWatch struct {
	stall   *survey.Stall // nil: it never checks
	next    time.Time     // time of the next check
	looking bool
}

// newStallWatch returns the stallWatch of a run with these options.
func newStallWatch(opts *config.Options) stallWatch {
	limit := opts.Stall
	if limit == 0 {
		limit = config.DefaultStall
	}
	// macprun checks the parts of its run, and the launcher of a run its guests.
	if limit == config.NoStall || opts.Multirun || opts.Attaches() {
		return stallWatch{}
	}
	s := survey.NewStall(limit)
	return stallWatch{stall: s, next: time.Now().Add(s.Interval())}
}

// signLimit returns how long the launcher waits for output of another host before it prints a line: signTime,
// or the time of -stall if that is shorter.
func signLimit(opts *config.Options) time.Duration {
	if opts.Stall > 0 && opts.Stall != config.NoStall {
		return min(opts.Stall, signTime)
	}
	return signTime
}

// signTime is longer than logins usually take.
const signTime = 10 * time.Second

// due returns the time of the next check, but no later than latest.
func (w *stallWatch) due(latest time.Time) time.Time {
	if w.stall != nil && !w.looking && w.next.Before(latest) {
		return w.next
	}
	return latest
}

// lookForStall checks whether all ranks wait for each other, if a check is due, and prints a line if they do.
// It does not block.
func (r *runner) lookForStall(now time.Time) {
	w := &r.stalls
	if w.stall == nil || w.looking || now.Before(w.next) {
		return
	}
	w.looking = true
	r.surveyThen(func(run *survey.Run) {
		w.looking, w.next = false, time.Now().Add(w.stall.Interval())
		if line := w.stall.Look(run); line != "" {
			r.console.Say("%s", line)
		}
	})
}

// surveyThen calls f on the goroutine of the run with the states of the ranks. It does not block.
func (r *runner) surveyThen(f func(*survey.Run)) {
	go func() {
		run := r.survey()
		r.loop.post(func() { f(run) })
	}()
}

// sayWhatRanksDo writes the output of acpstat to standard error. It does not block.
func (r *runner) sayWhatRanksDo() {
	r.surveyThen(func(run *survey.Run) {
		var text strings.Builder
		// A Builder never fails.
		_ = run.Write(&text)
		for line := range strings.Lines(text.String()) {
			r.console.Say("%s", strings.TrimSuffix(line, "\n"))
		}
	})
}
