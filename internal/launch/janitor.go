package launch

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/goacp/goacp/internal/launch/exit"
	"golang.org/x/sys/unix"
)

// The janitor is a small process beside the launcher, in a session of its own,
// that holds the reading end of a pipe. The launcher tells it through the pipe
// what belongs to the run. When the pipe ends without the word that all is done,
// the launcher has been killed, and the janitor does what was left to do.

// janitorArg makes a launcher binary a janitor; it stands as the first argument.
const janitorArg = "-janitor"

// janitorName is the name of the janitor in process lists.
const janitorName = "acp-janitor"

// note is one line from the launcher to its janitor.
type note struct {
	Run     string `json:"run,omitempty"`     // private directory of the run, by which its processes are known
	Dir     string `json:"dir,omitempty"`     // directory to remove
	Session int    `json:"session,omitempty"` // a session that the launcher has started
	// Witnesses are processes in Session. Without one nothing is left of it.
	Witnesses []identity `json:"witnesses,omitempty"`
	Done      bool       `json:"done,omitempty"` // nothing is left to do
}

// janitor is the launcher's end.
type janitor struct {
	id   identity
	pipe *os.File
	done chan struct{} // closed when the process has ended
}

// startJanitor starts the janitor process.
func startJanitor(r *reaper) (*janitor, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("janitor: %w", err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("janitor: %w", err)
	}
	defer read.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		write.Close()
		return nil, fmt.Errorf("janitor: %w", err)
	}
	defer null.Close()
	j := &janitor{pipe: write, done: make(chan struct{})}
	// Nothing of the launcher's environment is needed, and what the run's
	// processes are recognised by must not be in it.
	j.id, err = r.start(exe, []string{janitorName, janitorArg}, &os.ProcAttr{
		Dir: "/", Env: []string{}, Files: []*os.File{read, null, null}, Sys: &syscall.SysProcAttr{Setsid: true},
	}, func(exit.Status) { close(j.done) })
	if err != nil {
		write.Close()
		return nil, fmt.Errorf("janitor: %w", err)
	}
	return j, nil
}

// tell passes on a note. A janitor that has died is no reason to end the run.
func (j *janitor) tell(n note) {
	if j == nil {
		return
	}
	line, err := json.Marshal(n)
	if err != nil {
		return
	}
	// One write per note: a pipe keeps it together. The error would be that the
	// janitor is gone.
	_, _ = j.pipe.Write(append(line, '\n'))
}

// tellSession passes on which processes are known to be in a session.
func (j *janitor) tellSession(session int, witnesses ...identity) {
	j.tell(note{Session: session, Witnesses: witnesses})
}

// dismiss tells the janitor that nothing is left to do, and waits for its end.
func (j *janitor) dismiss() {
	if j == nil {
		return
	}
	j.tell(note{Done: true})
	j.pipe.Close()
	select {
	case <-j.done:
	case <-time.After(time.Second):
		// It may not even have begun to run. It has nothing to do any more.
		_ = hostProc.signal(j.id, unix.SIGKILL)
		<-j.done
	}
}

// janitorMain is the janitor process: it reads notes until the pipe ends.
func janitorMain(in io.Reader) int {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGTSTP, syscall.SIGUSR1, syscall.SIGUSR2)
	nameProcess(janitorName)
	b, err := newBelongings()
	if err != nil {
		return exit.Failure
	}
	b.ancestor = identity{}
	var dir string
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var n note
		if json.Unmarshal(lines.Bytes(), &n) != nil {
			continue
		}
		switch {
		case n.Done:
			return 0
		case n.Run != "":
			b.dir = n.Run
		case n.Dir != "":
			dir = n.Dir
		case n.Session > 1 && len(n.Witnesses) > 0:
			b.sessions[n.Session] = n.Witnesses
		case n.Session > 1:
			delete(b.sessions, n.Session)
		}
	}
	b.clear(time.Second, 4*time.Second)
	return removeRunDir(dir)
}

// nameProcess sets the name that process lists show and killall looks for.
func nameProcess(name string) {
	// A process that keeps its old name works as well.
	_ = os.WriteFile("/proc/self/comm", []byte(name), 0)
}

// removeRunDir removes the private directory of a run and nothing else.
func removeRunDir(dir string) int {
	if dir == "" || !strings.HasPrefix(filepath.Base(dir), runDirPrefix) {
		return 0
	}
	if os.RemoveAll(dir) != nil {
		return 1
	}
	return 0
}
