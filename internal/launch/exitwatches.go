package launch

import (
	"time"

	"github.com/goacp/goacp/internal/launch/process"
	"github.com/goacp/goacp/internal/launch/supervise"
)

// exitWatches find out how processes of MPI jobs on this host end, which are no children of
// the launcher.
type exitWatches struct {
	sup     *supervise.Supervisor
	post    func(func())
	watches map[int]*process.ExitWatch // by member
}

// start watches the process of a member. mark is what the processes of the run have in their
// environment.
func (w exitWatches) start(member, pid int, mark string) {
	if watch := process.WatchExit(pid, mark); watch != nil {
		w.watches[member] = watch
	}
}

// stop ends the watch over a member that has left the run in order.
func (w exitWatches) stop(member int) {
	w.watches[member].Close()
	delete(w.watches, member)
}

// ask finds out how a lost member has ended, and tells the supervisor. It does not block.
func (w exitWatches) ask(member int) {
	watch := w.watches[member]
	if watch == nil {
		return
	}
	delete(w.watches, member)
	w.sup.StatusAsked(member)
	go func() {
		defer watch.Close()
		status, known := watch.Status(supervise.GraceForStatus)
		w.post(func() {
			if known {
				w.sup.ProcessEnded(member, status, time.Now())
			} else {
				w.sup.StatusUnknown(member)
			}
		})
	}()
}
