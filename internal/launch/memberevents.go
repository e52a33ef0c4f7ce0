package launch

import (
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/debuglog"
)

// memberEvent handles an event of the rendezvous.
func (r *runner) memberEvent(e bridge.Event) {
	r.logMember(e)
	switch e.Kind {
	case bridge.Joined:
		r.sup.MemberJoined(e.Member, e.PID, e.Host, time.Now())
		r.starts.started(e.Member) // the report of its start comes on another way
		r.askUnwanted(e.Member)
		// For its processes acprun reports how they end.
		if e.Host == r.local.Host && !r.plan.Jobs[e.Job].Acprun {
			r.watches.start(e.Member, e.PID, r.children.Scope.RunVariable())
		}
		r.console.Verbose("%s joined", r.sup.Describe(e.Member))
	case bridge.Ready:
		r.watches.endSearch()
		r.console.Verbose("all %d ranks have joined", r.plan.Total)
		r.routes.waiting = r.opts.Verbose
	case bridge.Left:
		r.routes.look(r.rendezvous, r.console)
		r.sup.MemberLeft(e.Member)
		r.watches.stop(e.Member)
		r.watches.forgetStarted(e.Member)
	case bridge.Adopted:
		r.sup.Adopted(e.Member)
		r.console.Verbose("%s belongs to the run now", r.sup.Describe(e.Member))
	case bridge.Departed:
		r.sup.Departed(e.Member)
		r.console.Verbose("%s has left the run", r.sup.Describe(e.Member))
	case bridge.JoinAsked:
		r.growFor(e.Member, e.Asks)
	case bridge.Died:
		r.sup.MemberDied(e.Member, e.Text, time.Now())
	case bridge.Aborted:
		r.sup.MemberAborted(e.Member, e.Text)
	case bridge.Lost:
		r.sup.MemberLost(e.Member, e.Text)
	case bridge.Rejected:
		r.rejected(e)
	case bridge.Informed:
		r.sup.MemberInformed(e.Member)
	}
}

// logMember writes the event into the log.
func (r *runner) logMember(e bridge.Event) {
	e.Member = r.plan.Rank(e.Member)
	switch e.Kind {
	case bridge.Joined:
		debuglog.Rendezvous.Printf("rank %d has joined: pid %d on host %s, %s", e.Member, e.PID, e.Host, r.jobText(e.Job))
	case bridge.Ready:
		debuglog.Rendezvous.Printf("all %d ranks have joined", r.plan.Total)
	case bridge.Left:
		debuglog.Rendezvous.Printf("rank %d has left in order", e.Member)
	case bridge.Adopted:
		debuglog.Rendezvous.Printf("rank %d is adopted", e.Member)
	case bridge.Departed:
		debuglog.Rendezvous.Printf("rank %d has left its epoch", e.Member)
	case bridge.JoinAsked:
		debuglog.Rendezvous.Printf("rank %d asks for %d processes", e.Member, e.Asks.Count)
	case bridge.Died:
		text := ""
		if e.Text != "" {
			text = ": " + e.Text
		}
		debuglog.Liveness.Printf("rank %d is lost: its connection to the launcher has ended and it has not left%s", e.Member, text)
	case bridge.Aborted:
		debuglog.Rendezvous.Printf("rank %d ends the run: %s", e.Member, e.Text)
	case bridge.Lost:
		debuglog.Liveness.Printf("rank %d gives up: it %s", e.Member, e.Text)
	case bridge.Informed:
		debuglog.Rendezvous.Printf("rank %d knows that the run ends", e.Member)
	case bridge.Rejected:
		debuglog.Rendezvous.Printf("process %d on host %q (%s) was not let in: %s", e.PID, e.Host, r.jobText(e.Job), e.Text)
	}
}

// jobText names a job as messages do. A refused process may have named a job that does not exist.
func (r *runner) jobText(number int) string {
	if number < 0 || number >= len(r.plan.Jobs) {
		return bridge.JobText(number, "")
	}
	return r.plan.Jobs[number].String()
}

// rejected reports a process that was refused. A process without the token is reported only with -verbose:
// otherwise any program that can reach the port could fill the terminal.
func (r *runner) rejected(e bridge.Event) {
	if e.PID == 0 {
		r.console.Verbose("refused %s", e.Text)
		return
	}
	if member := r.watches.memberOf(e.PID); member >= 0 && e.Host == r.local.Host {
		r.sup.MemberInformed(member)
	}
	if r.sup.Outcome() == nil {
		r.console.Say("process %d on host %s (%s) was not let in: %s", e.PID, e.Host, r.jobText(e.Job), e.Text)
	}
}
