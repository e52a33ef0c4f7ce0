package harness

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	// stackTime is how long ranks have to print stacks before the test kills them.
	stackTime = 2 * time.Second
	// reportTime is the part of its deadline that a test keeps to report a failure.
	reportTime = 10 * time.Second
)

// Command is a running command of a Sandbox.
type Command struct {
	sandbox  *Sandbox
	cmd      *exec.Cmd
	out, err *collected
	begin    time.Time
	timedOut bool
	expired  <-chan struct{} // closed when the deadline has passed
	stop     func()
	result   *Result
}

// Result is how a command ended.
type Result struct {
	Status         int            // exit status; -1 if a signal ended it
	Signal         syscall.Signal // 0 if none
	Stdout, Stderr string
	Elapsed        time.Duration
}

// String shows the result in messages of tests.
func (r *Result) String() string {
	how := fmt.Sprintf("status %d", r.Status)
	if r.Signal != 0 {
		how = r.Signal.String()
	}
	return fmt.Sprintf("%s after %v\n--- stdout\n%s--- stderr\n%s", how, r.Elapsed.Round(time.Millisecond), r.Stdout, r.Stderr)
}

// Must runs a command, fails the test unless it succeeds, and returns its standard output.
func (b *Sandbox) Must(argv ...string) string {
	b.t.Helper()
	return b.MustRead("", argv...)
}

// MustRead is Must with a text on standard input.
func (b *Sandbox) MustRead(input string, argv ...string) string {
	b.t.Helper()
	r := b.Run(input, argv...)
	if r.Status != 0 {
		b.t.Fatalf("%s: %v", strings.Join(argv, " "), r)
	}
	return r.Stdout
}

// Run runs a command to its end, with a text on standard input.
func (b *Sandbox) Run(input string, argv ...string) *Result {
	b.t.Helper()
	return b.start(strings.NewReader(input), argv).Wait()
}

// Start starts a command: a launcher by its name in the build tree, or a program
// by its path. Wait for it.
func (b *Sandbox) Start(argv ...string) *Command {
	b.t.Helper()
	return b.start(strings.NewReader(""), argv)
}

// StartRead is Start with standard input.
func (b *Sandbox) StartRead(input io.Reader, argv ...string) *Command {
	b.t.Helper()
	return b.start(input, argv)
}

// StartOn is StartRead on host i.
func (b *Sandbox) StartOn(i int, input io.Reader, argv ...string) *Command {
	b.t.Helper()
	return b.startOn(i, input, argv)
}

func (b *Sandbox) start(input io.Reader, argv []string) *Command {
	b.t.Helper()
	return b.startOn(0, input, argv)
}

func (b *Sandbox) startOn(host int, input io.Reader, argv []string) *Command {
	b.t.Helper()
	words := append([]string(nil), argv...)
	if !strings.Contains(words[0], "/") {
		words[0] = b.suite.Bin(b.t, words[0])
	}
	words = b.enter(host, words)
	c := &Command{sandbox: b, out: newCollected(), err: newCollected(), begin: time.Now()}
	c.cmd = exec.Command(words[0], words[1:]...)
	c.cmd.Dir, c.cmd.Env = b.Dir, b.environ()
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = input, c.out, c.err
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	// Left finds a process that is left over and holds the output open. It must not make Wait wait.
	c.cmd.WaitDelay = 3 * time.Second
	if err := c.cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	c.watch()
	b.t.Cleanup(func() {
		if c.result == nil {
			b.Processes()
			_ = c.cmd.Process.Kill()
			c.wait()
		}
	})
	return c
}

// enter puts the words before a command that give it the private /dev/shm, or start it on a host if
// there are several.
func (b *Sandbox) enter(host int, argv []string) []string {
	if b.hosts != nil {
		return append([]string{b.hosts.onHost, b.hosts.list[host].Name}, argv...)
	}
	if b.shm == "" {
		return argv
	}
	return append([]string{"unshare", "--mount", "--", "sh", "-c", `mount --bind "$0" /dev/shm && exec "$@"`, b.shm}, argv...)
}

// watch ends the command when its time is over.
func (c *Command) watch() {
	limit := c.sandbox.Limit
	if deadline, ok := c.sandbox.t.Deadline(); ok {
		limit = min(limit, time.Until(deadline)-reportTime)
	}
	expired := make(chan struct{})
	c.expired = expired
	kill := time.AfterFunc(limit+stackTime, c.sandbox.killAll)
	stacks := time.AfterFunc(limit, func() {
		c.timedOut = true
		close(expired)
		for _, process := range c.sandbox.Processes() {
			if strings.HasPrefix(process.Executable(), c.sandbox.suite.dir+string(filepath.Separator)) {
				_ = syscall.Kill(process.PID, syscall.SIGCONT)
				_ = syscall.Kill(process.PID, syscall.SIGQUIT)
			}
		}
	})
	c.stop = func() {
		if stacks.Stop() {
			kill.Stop()
		} else {
			<-expired
		}
	}
}

// PID returns the process id of the command, 0 if it has ended.
func (c *Command) PID() int {
	if c.sandbox.hosts == nil {
		return c.cmd.Process.Pid
	}
	// The program that starts commands on the host waits outside.
	return childOf(c.cmd.Process.Pid)
}

// Output waits until ready reports true for the standard output so far, and returns that output. It
// fails the test if the command ends before, or lasts too long.
func (c *Command) Output(ready func(text string) bool) string {
	c.sandbox.t.Helper()
	return c.mustSay(c.out, ready)
}

// Errors is Output for the standard error.
func (c *Command) Errors(ready func(text string) bool) string {
	c.sandbox.t.Helper()
	return c.mustSay(c.err, ready)
}

func (c *Command) mustSay(stream *collected, ready func(text string) bool) string {
	c.sandbox.t.Helper()
	text, ok := c.await(stream, ready)
	if !ok {
		c.sandbox.t.Fatalf("ended before it was ready: %v", c.Wait())
	}
	return text
}

// OutputUnlessEnded is Output for a command that may end before it is ready. Then ok is false.
func (c *Command) OutputUnlessEnded(ready func(text string) bool) (text string, ok bool) {
	c.sandbox.t.Helper()
	return c.await(c.out, ready)
}

func (c *Command) await(stream *collected, ready func(text string) bool) (text string, ok bool) {
	c.sandbox.t.Helper()
	ended := time.NewTicker(50 * time.Millisecond)
	defer ended.Stop()
	process := Process{PID: c.cmd.Process.Pid}
	if s, err := readStat(process.PID); err == nil {
		process.start = s.start
	}
	for {
		alive := process.alive()
		text, changed := stream.text()
		if ready(text) {
			return text, true
		}
		if !alive {
			return text, false
		}
		select {
		case <-changed:
		case <-ended.C:
		case <-c.expired:
			c.sandbox.t.Fatalf("not ready in time: %v", c.Wait())
		}
	}
}

// Signal sends a signal to the command itself.
func (c *Command) Signal(sig syscall.Signal) {
	c.sandbox.t.Helper()
	pid := c.PID()
	if pid == 0 {
		c.sandbox.t.Fatalf("ended before %v: %v", sig, c.Wait())
	}
	if err := syscall.Kill(pid, sig); err != nil {
		c.sandbox.t.Fatal(err)
	}
	if sig == syscall.SIGCONT {
		// The program that started the command on its host stops together with it.
		_ = c.cmd.Process.Signal(sig)
	}
}

// Wait waits for the end of the command. It fails the test if its time is over.
func (c *Command) Wait() *Result {
	c.sandbox.t.Helper()
	r := c.wait()
	if c.timedOut {
		c.sandbox.killAll()
		c.sandbox.t.Fatalf("not ended in time: %s: %v", strings.Join(c.cmd.Args, " "), r)
	}
	return r
}

func (c *Command) wait() *Result {
	if c.result != nil {
		return c.result
	}
	err := c.cmd.Wait()
	c.stop()
	r := &Result{Stdout: c.out.String(), Stderr: c.err.String(), Elapsed: time.Since(c.begin)}
	r.Status = c.cmd.ProcessState.ExitCode()
	if ws, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		r.Signal = ws.Signal()
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		r.Stderr += "(something still holds the output open)\n"
	}
	c.result = r
	return r
}
