package tests

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goacp/goacp/tests/harness"
)

// A debugger, a freezer or Ctrl-Z can stop a rank, a launcher, or a process between them. The
// library must not treat it as dead.

const (
	// stopTime is how long a process stays stopped. Hosts count as vanished after about ten
	// seconds.
	stopTime = 15 * time.Second

	// starterSize is the starter memory that the program streams needs.
	starterSize = "20m"
)

// stopped is a run of the program streams.
type stopped struct {
	sandbox *harness.Sandbox
	run     *harness.Command
	input   *os.File
	pids    []int
}

// startStreams starts three ranks under acprun.
func startStreams(t *testing.T, sandbox *harness.Sandbox, options ...string) *stopped {
	t.Helper()
	argv := append([]string{"acprun", "-np", "3", "-net", "tcp", "-smemsize", starterSize}, options...)
	s := &stopped{sandbox: sandbox}
	s.run, s.input = startWithInput(t, sandbox, append(argv, suite.C(t, "streams"))...)
	s.pids = ready(t, s.run, 3)
	return s
}

// startWithInput starts a command that reads what the test writes into input. The test closes it at its end.
func startWithInput(t *testing.T, sandbox *harness.Sandbox, argv ...string) (c *harness.Command, input *os.File) {
	t.Helper()
	read, input, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	t.Cleanup(func() { input.Close() })
	return sandbox.StartRead(read, argv...), input
}

// proceed lets rank 0 read a line.
func (s *stopped) proceed() { fmt.Fprintln(s.input, "go on") }

// finish ends the run and checks that it has succeeded.
func (s *stopped) finish(t *testing.T) {
	t.Helper()
	s.proceed()
	s.input.Close()
	if r := s.run.Wait(); r.Status != 0 || !strings.Contains(r.Stdout, "right") || r.Stderr != "" {
		t.Errorf("the stop has disturbed the run: %v", r)
	}
}

// pause stops a process for some time.
func pause(t *testing.T, pid int, stop syscall.Signal, duration time.Duration) {
	t.Helper()
	if err := syscall.Kill(pid, stop); err != nil {
		t.Fatal(err)
	}
	time.Sleep(duration)
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
}

// TestStopped stops parts of a run on one host.
func TestStopped(t *testing.T) {
	if testing.Short() {
		t.Skip("takes as long as a stop lasts")
	}
	t.Parallel()
	for name, do := range map[string]func(t *testing.T, s *stopped){
		"rank with traffic": func(t *testing.T, s *stopped) {
			s.proceed()
			time.Sleep(200 * time.Millisecond)
			pause(t, s.pids[2], syscall.SIGSTOP, stopTime)
		},
		"rank at first contact": func(t *testing.T, s *stopped) {
			go func() {
				time.Sleep(100 * time.Millisecond)
				s.proceed()
			}()
			pause(t, s.pids[1], syscall.SIGSTOP, stopTime)
		},
		"launcher": func(t *testing.T, s *stopped) {
			s.proceed()
			pause(t, s.run.PID(), syscall.SIGSTOP, stopTime)
		},
		"whole run": func(t *testing.T, s *stopped) { // Ctrl-Z, and fg
			s.proceed()
			pause(t, s.run.PID(), syscall.SIGTSTP, stopTime)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startStreams(t, suite.Sandbox(t))
			do(t, s)
			s.finish(t)
		})
	}
}

// TestStoppedOnHosts stops parts of a run on two hosts.
func TestStoppedOnHosts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes as long as a stop lasts")
	}
	t.Parallel()
	for name, victim := range map[string]func(s *stopped, p harness.Process) bool{
		"rank":         func(s *stopped, p harness.Process) bool { return s.sandbox.On(p, 1) && p.Name() == "streams" },
		"proxy":        func(s *stopped, p harness.Process) bool { return s.sandbox.On(p, 1) && p.Name() == "acprun" },
		"remote shell": func(s *stopped, p harness.Process) bool { return s.sandbox.On(p, 0) && s.sandbox.IsAgent(p) },
		"launcher":     func(s *stopped, p harness.Process) bool { return p.PID == s.run.PID() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sandbox := suite.Sandbox(t)
			sandbox.Hosts(2)
			s := startStreams(t, sandbox, "-nodefile", sandbox.Nodefile(0, 1, 0))
			s.proceed()
			time.Sleep(200 * time.Millisecond)
			for _, p := range sandbox.Processes() {
				if victim(s, p) {
					pause(t, p.PID, syscall.SIGSTOP, stopTime)
					s.run.Signal(syscall.SIGCONT)
					s.finish(t)
					return
				}
			}
			t.Fatalf("no %s among %v", name, sandbox.Processes())
		})
	}
}

// TestStoppedAtStart stops the launcher before its processes connect to the rendezvous, for longer
// than any time limit of a process.
func TestStoppedAtStart(t *testing.T) {
	if testing.Short() {
		t.Skip("takes as long as a stop lasts")
	}
	t.Parallel()
	const long = 30 * time.Second
	sandbox := suite.Sandbox(t)
	// The ranks wait for the file before they call acp_init.
	script := sandbox.Script("late", "echo started\nwhile [ ! -e go ]; do sleep 0.05; done\nexec "+suite.C(t, "ring")+" 10 1\n")
	run := sandbox.Start("acprun", "-np", strconv.Itoa(2), "-net", "tcp", script)
	run.Output(func(text string) bool { return strings.Count(text, "started") == 2 })
	if err := syscall.Kill(run.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	sandbox.Write("go", "")
	time.Sleep(long)
	run.Signal(syscall.SIGCONT)
	if r := run.Wait(); r.Status != 0 {
		t.Errorf("the stop has disturbed the run: %v", r)
	}
}
