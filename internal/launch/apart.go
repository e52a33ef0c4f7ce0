package launch

import (
	"fmt"
	"time"

	"github.com/goacp/goacp/internal/ground/ranges"
	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/supervise"
)

// This file reports the ends of processes without which the run goes on.

// apartNote is a line that waits until it is certain that the run goes on.
type apartNote struct {
	member int
	text   string
	done   bool // it was printed, or the run has ended
}

// noteApart reports the end of a process without which the run goes on, unless it has joined and ended well, or its end was
// reported before. If the run has ended well meanwhile, it reports only a process that was killed: others have printed that the
// run has ended.
func (r *runner) noteApart(member int, status exit.Status) {
	m := r.sup.Member(member)
	if r.sup.Apart(member) && !m.Joined {
		r.rendezvous.FailJoin(member, fmt.Sprintf("%s %v", r.sup.Describe(member), status))
	}
	switch {
	case !r.sup.Apart(member) || m.Ended || status.OK() && m.Joined || r.sup.Outcome() != nil:
	case r.sup.GoesOn():
		text := fmt.Sprintf("%s %v; the run goes on", r.sup.Describe(member), status)
		if status.Signal != 0 {
			r.console.Say("%s", text)
			return
		}
		// The process may have ended because the run ends. The event of the rendezvous comes on another way, and perhaps later.
		note := &apartNote{member: member, text: text}
		r.notes = append(r.notes, note)
		time.AfterFunc(supervise.EventLimit, func() { r.loop.post(func() { r.say(note) }) })
	case status.Signal != 0 && !r.sup.KilledHere(member, status):
		r.console.Say("%s %v", r.sup.Describe(member), status)
	}
}

// gone reports that processes without which the run goes on have ended or were never started, for a cause, and that their status will not
// be known.
func (r *runner) gone(cause string, members ...int) {
	r.console.Say("%s: %s; the run goes on", ranges.Of(members), cause)
	for _, member := range members {
		r.doesNotCome(member, cause)
		r.sup.Gone(member)
	}
}

// doesNotCome tells the ranks of the run and the launcher that has asked for a process why it does not join. It does nothing if the process
// has joined.
func (r *runner) doesNotCome(member int, cause string) {
	r.starts.fail(member, cause)
	r.rendezvous.FailJoin(member, cause)
}

// say prints a line, unless it was printed, or the end of the run explains it. A process may also be informed of the loss of another one,
// while the run goes on.
func (r *runner) say(note *apartNote) {
	if !note.done && r.sup.Outcome() == nil && (r.sup.GoesOn() || !r.sup.Member(note.member).Informed) {
		r.console.Say("%s", note.text)
	}
	note.done = true
}

// sayRemaining prints the lines that wait when the run has ended, and all events of the rendezvous are known.
func (r *runner) sayRemaining() {
	for _, note := range r.notes {
		r.say(note)
	}
}
