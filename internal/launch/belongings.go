package launch

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/envvar"
	"golang.org/x/sys/unix"
)

// belongings says which processes of this host belong to a run.
type belongings struct {
	proc procfs
	// ancestor is the process whose descendants belong to the run; zero = none. It
	// adopts orphans.
	ancestor identity
	// sessions are the numbers of sessions that the run has started, each with
	// processes that are known to have been in it. A number is that of the same
	// session as long as one of them is: afterwards it may mean another one.
	sessions map[int][]identity
	// dir is the private directory of the run, whose path shows what belongs to it;
	// "" = none. The path is of this run alone as long as the directory exists.
	dir   string
	spare map[identity]bool // what does not belong to the run all the same
}

// newBelongings makes the belongings of a launcher: what descends from this process.
func newBelongings() (belongings, error) {
	self, err := hostProc.identify(unix.Getpid())
	return belongings{proc: hostProc, ancestor: self, sessions: map[int][]identity{}, spare: map[identity]bool{self: true}}, err
}

// sessionOf makes the belongings of a child that leads a session of its own and that
// nothing has waited for yet: what is in that session.
func sessionOf(leader int) (belongings, error) {
	id, err := hostProc.identify(leader)
	return belongings{proc: hostProc, sessions: map[int][]identity{leader: {id}}}, err
}

// members lists the processes of the run.
func (b belongings) members() ([]process, error) {
	all, err := b.proc.processes()
	if err != nil {
		return nil, err
	}
	ours := b.descendants(all)
	inSession := map[int]bool{}
	for number, witnesses := range b.sessions {
		inSession[number] = slices.ContainsFunc(witnesses, func(w identity) bool {
			now, err := b.proc.stat(w.PID)
			return err == nil && now.identity == w && now.session == number
		})
	}
	return slices.DeleteFunc(all, func(p process) bool {
		if b.spare[p.identity] || p.zombie {
			return true
		}
		return !ours[p.identity] && !inSession[p.session] && !b.named(p.PID)
	}), nil
}

// mark is NAME=VALUE in the environment of the run's processes; "" = none.
func (b belongings) mark() string {
	if b.dir == "" {
		return ""
	}
	return envvar.TokenFile + "=" + filepath.Join(b.dir, bridge.TokenFileName)
}

// named reports whether a process names the private directory of the run: in its
// environment or, as a daemon, on its command line.
func (b belongings) named(pid int) bool {
	return b.dir != "" && b.proc.marked(pid, b.mark()) || b.daemon(pid)
}

// daemon reports whether a process is a daemon of Open MPI that mpirun has started on
// another host through the remote shell. It has nothing of the run in its environment.
func (b belongings) daemon(pid int) bool { return b.dir != "" && b.proc.configured(pid, b.dir) }

// descendants finds what descends from the ancestor in a list of all processes.
func (b belongings) descendants(all []process) map[identity]bool {
	ours := map[identity]bool{}
	if b.ancestor == (identity{}) {
		return ours
	}
	children := map[int][]process{}
	for _, p := range all {
		children[p.parent] = append(children[p.parent], p)
	}
	var adopt func(parent identity)
	adopt = func(parent identity) {
		// The number of the parent may have been given away while the list was made.
		// If not, it has meant this process whenever a child was looked at.
		if children[parent.PID] == nil || !b.proc.exists(parent) {
			return
		}
		for _, p := range children[parent.PID] {
			if !ours[p.identity] && !b.spare[p.identity] {
				ours[p.identity] = true
				adopt(p.identity)
			}
		}
	}
	adopt(b.ancestor)
	return ours
}

// remaining lists the descendants of the ancestor that are in a session.
func (b belongings) remaining(session int) ([]identity, error) {
	all, err := b.proc.processes()
	if err != nil {
		return nil, err
	}
	inSession := func(p process) bool { return p.session == session && !p.zombie }
	if !slices.ContainsFunc(all, inSession) {
		return nil, nil
	}
	ours := b.descendants(all)
	var left []identity
	for _, p := range all {
		if inSession(p) && ours[p.identity] {
			left = append(left, p.identity)
		}
	}
	return left, nil
}

// signalAll sends a signal to every process of the run, or none if it is 0, and
// returns how many there were. A process that has ended meanwhile is no error; one
// that may not be signalled belongs to another user.
func (b belongings) signalAll(sig unix.Signal) (int, error) {
	members, err := b.members()
	if err != nil || sig == 0 {
		return len(members), err
	}
	for _, p := range members {
		// A daemon sleeps while ranks are stopped, and prints a line when it is continued.
		if sig != unix.SIGSTOP && sig != unix.SIGCONT || !b.daemon(p.PID) {
			_ = b.proc.signal(p.identity, sig)
		}
	}
	return len(members), nil
}

// clear ends every process that belongs to the run: it asks them to end, and
// kills what is left after patience. It gives up after limit, which only a
// process that cannot be killed survives, and returns how many were left.
func (b belongings) clear(patience, limit time.Duration) int {
	begin := time.Now()
	sig := unix.SIGTERM
	for {
		left, err := b.signalAll(sig)
		if err != nil || left == 0 || time.Since(begin) > limit {
			return left
		}
		sig = 0
		if time.Since(begin) > patience {
			sig = unix.SIGKILL
		}
		time.Sleep(20 * time.Millisecond)
	}
}
