package process

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/goacp/goacp/internal/launch/exit"
	"golang.org/x/sys/unix"
)

// The cleaner is a small process beside a launcher or proxy, in a session of its own. It reads a pipe through
// which the launcher sends it notes about the processes and directories of the run. If the pipe ends without
// the launcher's last note, the launcher has been killed. Then the cleaner ends the processes of the run and
// removes its private directory.

// CleanerArg, as the first argument, makes a launcher program a cleaner.
const CleanerArg = "-cleaner"

// cleanerName is the name of the cleaner in process lists.
const cleanerName = "acp-cleaner"

// note is one line from the launcher to its cleaner.
type note struct {
	Run     string `json:"run,omitempty"`     // private directory of the run, by which its processes are known
	Dir     string `json:"dir,omitempty"`     // directory to remove
	Session int    `json:"session,omitempty"` // a session that the launcher has started
	// Witnesses are processes in Session. If there are none, all processes of the session have ended.
	Witnesses []Identity `json:"witnesses,omitempty"`
	Done      bool       `json:"done,omitempty"` // nothing is left to do
}

// cleaner is the launcher's end of the pipe. Its methods do nothing on a nil cleaner: a part
// of a run has none.
type cleaner struct {
	id   Identity
	pipe *os.File
	done chan struct{} // closed when the process has ended
}

// startCleaner starts the cleaner process.
func startCleaner(r *childReaper) (*cleaner, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("cleaner: %w", err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("cleaner: %w", err)
	}
	defer read.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		write.Close()
		return nil, fmt.Errorf("cleaner: %w", err)
	}
	defer null.Close()
	c := &cleaner{pipe: write, done: make(chan struct{})}
	// The cleaner needs no variable of the launcher's environment, and must not have the variable by which
	// the run's processes are recognised.
	c.id, err = r.start(exe, []string{cleanerName, CleanerArg}, &os.ProcAttr{
		Dir: "/", Env: []string{}, Files: []*os.File{read, null, null}, Sys: &syscall.SysProcAttr{Setsid: true},
	}, func(exit.Status) { close(c.done) })
	if err != nil {
		write.Close()
		return nil, fmt.Errorf("cleaner: %w", err)
	}
	return c, nil
}

// tell sends a note. If the cleaner has died, the run continues.
func (c *cleaner) tell(n note) {
	if c == nil {
		return
	}
	line, err := json.Marshal(n)
	if err != nil {
		return
	}
	// A pipe keeps the bytes of one write together. The only possible error is that the cleaner has ended.
	_, _ = c.pipe.Write(append(line, '\n'))
}

// nameRun sends the cleaner the run's private directory, by which the run's processes are recognised.
func (c *cleaner) nameRun(dir string) { c.tell(note{Run: dir}) }

// removeAtEnd has the cleaner remove a private directory of a run if the launcher is killed.
func (c *cleaner) removeAtEnd(dir string) { c.tell(note{Dir: dir}) }

// tellSession sends the cleaner the processes that are known to be in a session.
func (c *cleaner) tellSession(session int, witnesses ...Identity) {
	c.tell(note{Session: session, Witnesses: witnesses})
}

// dismiss sends the cleaner its last note, and waits for its end. After a second it kills the cleaner.
func (c *cleaner) dismiss() {
	if c == nil {
		return
	}
	c.tell(note{Done: true})
	c.pipe.Close()
	select {
	case <-c.done:
	case <-time.After(time.Second):
		// On a busy machine the cleaner may not even have begun to run.
		_ = HostProc.Signal(c.id, unix.SIGKILL)
		<-c.done
	}
}

// CleanerMain is the cleaner process. It reads notes until the pipe ends, and returns its exit
// status.
func CleanerMain(in io.Reader) int {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGTSTP, syscall.SIGUSR1, syscall.SIGUSR2)
	nameProcess(cleanerName)
	scope, err := newScope()
	if err != nil {
		return exit.Failure
	}
	scope.ancestor = Identity{}
	left, done := readNotes(in, scope)
	defer left.lock.Close()
	if done {
		return 0
	}
	if scope.clearRun(left.dir) != nil {
		return exit.Failure
	}
	return 0
}

// remains is the private directory that a launcher leaves if it is killed.
type remains struct {
	dir string // "" = none
	// lock shows launchers that begin meanwhile that the directory has a cleaner; nil = none.
	lock *os.File
}

// clearRun ends the processes of a run whose launcher was killed, and removes its private directory.
func (s *Scope) clearRun(dir string) error {
	s.EndAll(time.Second, 4*time.Second)
	return removeRunDir(dir)
}

// readNotes reads notes until the pipe ends, and enters their sessions and directories into scope. done is
// true if the launcher has sent its last note. The length of a note has no limit: one names all processes
// that are left of a session.
func readNotes(in io.Reader, scope *Scope) (left remains, done bool) {
	for lines := bufio.NewReader(in); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return left, false
		}
		var n note
		if json.Unmarshal(line, &n) != nil {
			continue
		}
		switch {
		case n.Done:
			return left, true
		case n.Run != "":
			scope.dir = n.Run
			// If the directory has been removed already, no lock is needed.
			left.lock, _ = lockRunDir(n.Run, unix.LOCK_SH)
		case n.Dir != "":
			left.dir = n.Dir
		case n.Session > 1 && len(n.Witnesses) > 0:
			scope.sessions[n.Session] = n.Witnesses
		case n.Session > 1:
			delete(scope.sessions, n.Session)
		}
	}
}

// nameProcess sets the name that process lists show.
func nameProcess(name string) {
	// If that fails, the process keeps its old name, which does no harm.
	_ = os.WriteFile("/proc/self/comm", []byte(name), 0)
}
