package launch

import (
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/launch/process"
	"github.com/goacp/goacp/internal/launch/supervise"
)

// memberEvent takes news of the rendezvous.
func (r *runner) memberEvent(e bridge.Event) {
	now := time.Now()
	switch e.Kind {
	case bridge.Joined:
		r.sup.MemberJoined(e.Member, e.PID, e.Host, now)
		r.watch(e)
		r.verbose("%s joined", r.sup.Describe(e.Member))
	case bridge.Ready:
		r.verbose("all %d ranks have joined", r.plan.Total)
		r.routes.waiting = r.opts.Verbose
	case bridge.Left:
		r.routes.look(r)
		r.sup.MemberLeft(e.Member)
		r.unwatch(e.Member)
	case bridge.Died:
		r.askStatus(e.Member)
		r.sup.MemberDied(e.Member)
	case bridge.Aborted:
		r.sup.MemberAborted(e.Member, e.Text)
	case bridge.Lost:
		r.sup.MemberLost(e.Member, e.Text)
	case bridge.Rejected:
		r.rejected(e)
	}
}

// rejected reports a process that was not let in. A stranger without the token is
// mentioned only if the user wants to know everything: anybody who can reach the
// port could fill the terminal.
func (r *runner) rejected(e bridge.Event) {
	if e.PID == 0 {
		r.verbose("refused %s", e.Text)
		return
	}
	if r.sup.Outcome() == nil {
		r.say("process %d on host %s (job %d) was not let in: %s", e.PID, e.Host, e.Job, e.Text)
	}
}

// watch holds on to a process of an MPI job on this host. acprun reports about
// its own processes.
func (r *runner) watch(e bridge.Event) {
	if e.Host != r.local.host || r.plan.Jobs[e.Job].Acprun {
		return
	}
	if w := process.WatchExit(e.PID, r.belong.RunVariable()); w != nil {
		r.watched[e.Member] = w
	}
}

// unwatch gives up a process that has left the run in order.
func (r *runner) unwatch(member int) {
	r.watched[member].Close()
	delete(r.watched, member)
}

// askStatus finds out how a lost member ended.
func (r *runner) askStatus(member int) {
	w := r.watched[member]
	if w == nil {
		return
	}
	delete(r.watched, member)
	r.sup.StatusAsked(member)
	go func() {
		defer w.Close()
		status, known := w.Status(supervise.GraceForStatus)
		r.loop.post(func() {
			if known {
				r.sup.ProcessEnded(member, status, time.Now())
			} else {
				r.sup.StatusUnknown(member)
			}
		})
	}()
}
