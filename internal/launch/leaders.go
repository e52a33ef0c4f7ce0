package launch

import (
	"github.com/goacp/goacp/internal/launch/process"
	"github.com/goacp/goacp/internal/launch/supervise"
	"golang.org/x/sys/unix"
)

// leaders are the processes of the run that the launcher has started itself on this host: the
// launchers of the jobs, or the ranks of acprun. Their numbers are those of jobs or ranks.
type leaders struct {
	children *process.Children
	sup      *supervise.Supervisor
	ids      map[int]process.Identity // of the leaders that have not ended
}

// newLeaders returns leaders, none of which has been started.
func newLeaders(children *process.Children, sup *supervise.Supervisor) leaders {
	return leaders{children: children, sup: sup, ids: map[int]process.Identity{}}
}

// started records that a leader was started.
func (l leaders) started(number int, id process.Identity) { l.ids[number] = id }

// ended records that a leader has ended.
func (l leaders) ended(number int) {
	id := l.ids[number]
	delete(l.ids, number)
	l.children.LeaderEnded(id)
}

// has reports whether a leader was started and has not ended.
func (l leaders) has(number int) bool {
	_, ok := l.ids[number]
	return ok
}

// signal sends a signal to the leaders that are not spared.
func (l leaders) signal(sig unix.Signal, spared map[int]bool) {
	for number, id := range l.ids {
		if spared[number] {
			continue
		}
		if asksToEnd(sig) && process.HostProc.Running(id) {
			l.sup.LeaderSignalled(number, sig)
		}
		l.children.SignalLeader(id, sig)
	}
}

// noteKill records in the supervisor that the running leaders get SIGKILL.
func (l leaders) noteKill() {
	for number, id := range l.ids {
		if process.HostProc.Running(id) {
			l.sup.LeaderSignalled(number, unix.SIGKILL)
		}
	}
}
