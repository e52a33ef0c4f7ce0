package process

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/envvar"
	"golang.org/x/sys/unix"
)

// Scope decides which processes of this host belong to a run. A process belongs to it if it descends from the
// ancestor, is in a session that the run has started, or names the run's private directory in its environment
// or, as a daemon of Open MPI, on its command line.
type Scope struct {
	proc ProcFS
	// ancestor is the process whose descendants belong to the run; zero = none. The kernel
	// makes it the parent of orphans among them.
	ancestor Identity
	// sessions are the numbers of sessions that the run has started. Each has witnesses: processes that are
	// known to have been in it. As long as one of them is in it, the number names the same session.
	// Afterwards the kernel may reuse the number.
	sessions map[int][]Identity
	// dir is the private directory of the run; "" = none. As long as the directory exists,
	// its path is of this run alone.
	dir      string
	exempted map[Identity]bool // processes that do not belong to the run all the same
}

// newScope returns the scope of a launcher: the descendants of this process.
func newScope() (*Scope, error) {
	self, err := HostProc.Identify(unix.Getpid())
	return &Scope{proc: HostProc, ancestor: self, sessions: map[int][]Identity{}, exempted: map[Identity]bool{self: true}}, err
}

// SessionScope returns the scope of a child that leads a session: the processes in that
// session. The caller must not have waited for the child yet.
func SessionScope(leader int) (*Scope, error) {
	id, err := HostProc.Identify(leader)
	return &Scope{proc: HostProc, sessions: map[int][]Identity{leader: {id}}}, err
}

// setRunDir sets the run's private directory, by which the run's processes are recognised.
func (s *Scope) setRunDir(dir string) { s.dir = dir }

// Exempt takes a process out of the scope. Its descendants are exempt as well.
func (s *Scope) Exempt(id Identity) { s.exempted[id] = true }

// Include takes an exempt process into the scope again.
func (s *Scope) Include(id Identity) { delete(s.exempted, id) }

// Processes lists the processes that belong to the run.
func (s *Scope) Processes() ([]Info, error) {
	all, err := s.proc.Processes()
	if err != nil {
		return nil, err
	}
	ours := s.descendants(all)
	inSession := map[int]bool{}
	for number, witnesses := range s.sessions {
		inSession[number] = slices.ContainsFunc(witnesses, func(w Identity) bool {
			now, err := s.proc.stat(w.PID)
			return err == nil && now.Identity == w && now.session == number
		})
	}
	return slices.DeleteFunc(all, func(p Info) bool {
		if s.exempted[p.Identity] || p.Zombie || p.kernel {
			return true
		}
		return !ours[p.Identity] && !inSession[p.session] && !s.namesRunDir(p.PID)
	}), nil
}

// RunVariable is the entry NAME=VALUE that the processes of the run have in their environment;
// "" = none.
func (s *Scope) RunVariable() string {
	if s.dir == "" {
		return ""
	}
	return envvar.TokenFile + "=" + filepath.Join(s.dir, bridge.TokenFileName)
}

// RunDir returns the private directory of the run, "" if it is not known.
func (s *Scope) RunDir() string { return s.dir }

// namesRunDir reports whether a process names the private directory of the run in its
// environment or, as a daemon, on its command line.
func (s *Scope) namesRunDir(pid int) bool {
	return s.dir != "" && s.proc.hasVariable(pid, s.RunVariable()) || s.isMPIDaemon(pid)
}

// isMPIDaemon reports whether a process is a daemon of Open MPI that mpirun has started on
// another host through the remote shell. The environment of such a daemon has no variable
// of the run.
func (s *Scope) isMPIDaemon(pid int) bool { return s.dir != "" && s.proc.hasMPIParameter(pid, s.dir) }

// descendants returns the descendants of the ancestor among all processes.
func (s *Scope) descendants(all []Info) map[Identity]bool {
	ours := map[Identity]bool{}
	if s.ancestor == (Identity{}) {
		return ours
	}
	children := map[int][]Info{}
	for _, p := range all {
		children[p.Parent] = append(children[p.Parent], p)
	}
	var adopt func(parent Identity)
	adopt = func(parent Identity) {
		// While the list was made, the parent may have ended and its number may have gone to
		// another process. If the parent still exists, every child in the list is its own.
		if children[parent.PID] == nil || !s.proc.exists(parent) {
			return
		}
		for _, p := range children[parent.PID] {
			if !ours[p.Identity] && !s.exempted[p.Identity] {
				ours[p.Identity] = true
				adopt(p.Identity)
			}
		}
	}
	adopt(s.ancestor)
	return ours
}

// remaining lists, by session, the descendants of the ancestor that are in one of some sessions. It reads
// the list of processes once.
func (s *Scope) remaining(sessions []int) (map[int][]Identity, error) {
	all, err := s.proc.Processes()
	if err != nil {
		return nil, err
	}
	asked := make(map[int]bool, len(sessions))
	for _, session := range sessions {
		asked[session] = true
	}
	inSession := func(p Info) bool { return asked[p.session] && !p.Zombie }
	if !slices.ContainsFunc(all, inSession) {
		return nil, nil
	}
	ours := s.descendants(all)
	left := make(map[int][]Identity)
	for _, p := range all {
		if inSession(p) && ours[p.Identity] {
			left[p.session] = append(left[p.session], p.Identity)
		}
	}
	return left, nil
}

// SignalAll sends a signal to every process of the run and returns how many there are. The
// signal 0 only counts them. It is no error if a process has ended meanwhile, or belongs to
// another user and may not be signalled.
func (s *Scope) SignalAll(sig unix.Signal) (int, error) {
	members, err := s.Processes()
	if err != nil || sig == 0 {
		return len(members), err
	}
	for _, p := range members {
		// While ranks are stopped a daemon sleeps anyway, and it prints a line when it is
		// continued.
		if sig != unix.SIGSTOP && sig != unix.SIGCONT || !s.isMPIDaemon(p.PID) {
			_ = s.proc.Signal(p.Identity, sig)
		}
	}
	return len(members), nil
}

// EndAll ends every process that belongs to the run. It asks them to end with SIGTERM, kills those that are
// left after endLimit, and returns after limit. After that only a process that hangs in the kernel may
// remain. EndAll returns how many are left. It blocks no longer than limit.
func (s *Scope) EndAll(endLimit, limit time.Duration) int {
	begin := time.Now()
	sig := unix.SIGTERM
	for {
		left, err := s.SignalAll(sig)
		if err != nil || left == 0 || time.Since(begin) > limit {
			return left
		}
		sig = 0
		if time.Since(begin) > endLimit {
			sig = unix.SIGKILL
		}
		time.Sleep(20 * time.Millisecond)
	}
}
