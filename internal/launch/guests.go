package launch

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/launch/control"
	"github.com/goacp/goacp/internal/launch/survey"
)

// guests are the jobs of other launchers that have attached to the run of this one. It belongs to the goroutine of
// the run.
type guests struct {
	server *control.Socket // nil: the run takes no guests
	parts  []*guestPart    // in the order of their ranks
	gone   int             // how many parts have ended
}

// guestPart is the jobs of one launcher.
type guestPart struct {
	seats   *bridge.Guests
	request *control.Request
	names   []string // of the jobs
	ranks   []survey.Rank
}

// close admits no more guests.
func (g *guests) close() { g.server.Close() }

// openControl lets other launchers attach jobs through the socket path. If the socket cannot be opened, the run
// continues without guests.
func (r *runner) openControl(path string) {
	server, err := control.Listen(path, controlledRun{r})
	if err != nil {
		r.console.Verbose("no process can attach to this run: %v", err)
		return
	}
	r.guests.server = server
}

// controlledRun implements control.Run for a runner.
type controlledRun struct{ r *runner }

// Attach implements control.Run.
func (c controlledRun) Attach(q *control.Request, events func(bridge.Event)) (*bridge.Guests, control.Admission, error) {
	return c.r.rendezvous.Attach(strconv.Itoa(os.Getpid()), q, events)
}

// Attached implements control.Run.
func (c controlledRun) Attached(g *bridge.Guests, q *control.Request) {
	c.r.loop.post(func() { c.r.guestsAttached(g, q) })
}

// Event implements control.Run.
func (c controlledRun) Event(g *bridge.Guests, e bridge.Event) {
	c.r.loop.post(func() { c.r.guests.event(g, e) })
}

// Detached implements control.Run.
func (c controlledRun) Detached(g *bridge.Guests) {
	c.r.loop.post(func() { c.r.guestsDetached(g) })
}

// guestsAttached records jobs that have attached.
func (r *runner) guestsAttached(g *bridge.Guests, q *control.Request) {
	part := &guestPart{seats: g, request: q, names: g.Names()}
	for j, job := range q.Jobs {
		for range job.Size {
			part.ranks = append(part.ranks, survey.Rank{Rank: g.First() + len(part.ranks), Job: g.Job() + j, Cohort: g.Number(), State: survey.NotStarted})
		}
	}
	r.guests.parts = append(r.guests.parts, part)
	slices.SortFunc(r.guests.parts, func(a, b *guestPart) int { return a.seats.First() - b.seats.First() })
	r.console.Verbose("%s: attached by %s (host %s, pid %d)", part.describe(), q.Command, q.Host, q.PID)
}

// guestsDetached forgets jobs whose launcher has ended.
func (r *runner) guestsDetached(g *bridge.Guests) {
	if part := r.guests.part(g); part != nil {
		r.console.Verbose("%s: its launcher has ended", part.describe())
		r.guests.parts = slices.DeleteFunc(r.guests.parts, func(p *guestPart) bool { return p == part })
		r.guests.gone++
	}
}

// part returns the jobs of a launcher, nil if they have ended.
func (g *guests) part(seats *bridge.Guests) *guestPart {
	for _, part := range g.parts {
		if part.seats == seats {
			return part
		}
	}
	return nil
}

// describe names the jobs and their ranks.
func (p *guestPart) describe() string {
	first, last := p.ranks[0], p.ranks[len(p.ranks)-1]
	text := bridge.JobText(first.Job, p.names[0])
	if first.Job != last.Job {
		text = fmt.Sprintf("jobs %d-%d", first.Job, last.Job)
	}
	if first.Rank == last.Rank {
		return fmt.Sprintf("%s, rank %d", text, first.Rank)
	}
	return fmt.Sprintf("%s, ranks %d-%d", text, first.Rank, last.Rank)
}

// event records an event of guests.
func (g *guests) event(seats *bridge.Guests, e bridge.Event) {
	part := g.part(seats)
	if part == nil || e.Member < part.ranks[0].Rank || e.Member > part.ranks[len(part.ranks)-1].Rank {
		return
	}
	rank := &part.ranks[e.Member-part.ranks[0].Rank]
	switch e.Kind {
	case bridge.Joined:
		rank.Host, rank.PID, rank.State = e.Host, e.PID, survey.NotSeen
	case bridge.Left:
		rank.State = survey.Left
	case bridge.Died, bridge.Lost, bridge.Aborted:
		rank.State = survey.Ended
	}
}

// addTo enters the jobs and ranks into the description of the run.
func (g *guests) addTo(run *survey.Run) {
	for _, part := range g.parts {
		first := part.ranks[0]
		for j, job := range part.request.Jobs {
			run.Jobs = append(run.Jobs, survey.Job{Number: first.Job + j, Name: part.names[j], First: first.Rank, Size: job.Size, Command: part.request.Command})
			first.Rank += job.Size
		}
		run.Ranks = append(run.Ranks, part.ranks...)
	}
	run.Gone = g.gone
}
