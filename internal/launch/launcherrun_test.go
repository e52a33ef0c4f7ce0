package launch

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/process"
	"golang.org/x/sys/unix"
)

// testLimit is how long a test waits for an event that happens at once on an idle machine. Testing machines
// are not idle.
const testLimit = 30 * time.Second

// launcherRun is one run of a launcher in a test.
type launcherRun struct {
	s        *sandbox
	cmd      *exec.Cmd
	out, err *transcript
	done     chan struct{}
	status   int
	ended    time.Time
}

// transcript collects output and can be waited on.
type transcript struct {
	mu      sync.Mutex
	text    bytes.Buffer
	changed chan struct{}
}

func (t *transcript) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text.Write(p)
	close(t.changed)
	t.changed = make(chan struct{})
	return len(p), nil
}

func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

// start starts a launcher of the sandbox in the sandbox's directory.
func (s *sandbox) start(stdin string, name string, args ...string) *launcherRun {
	s.t.Helper()
	return s.startCommand(stdin, exec.Command(filepath.Join(s.dir, name), args...))
}

// startCommand starts a command that is a launcher, or becomes one, in the sandbox's directory.
func (s *sandbox) startCommand(stdin string, cmd *exec.Cmd) *launcherRun {
	s.t.Helper()
	p := &launcherRun{s: s, cmd: cmd, done: make(chan struct{}), out: &transcript{changed: make(chan struct{})}, err: &transcript{changed: make(chan struct{})}}
	p.cmd.Dir, p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = s.dir, s.env, p.out, p.err
	p.cmd.Stdin = strings.NewReader(stdin)
	if p.cmd.SysProcAttr == nil {
		p.cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	p.cmd.SysProcAttr.Setpgid = true
	p.cmd.WaitDelay = 5 * time.Second
	if err := p.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() {
		defer close(p.done)
		err := p.cmd.Wait()
		var failed *exec.ExitError
		p.status = 0
		if errors.As(err, &failed) {
			p.status = exit.StatusOf(failed.Sys().(syscall.WaitStatus)).ExitStatus()
		} else if err != nil {
			p.status = -1
		}
		p.ended = time.Now()
	}()
	s.t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.done
	})
	return p
}

// wait waits for the end of the launcher and checks that no process and no private directory is left.
func (p *launcherRun) wait() int {
	p.s.t.Helper()
	select {
	case <-p.done:
	case <-time.After(testLimit):
		_ = p.cmd.Process.Signal(syscall.SIGQUIT)
		p.s.t.Fatalf("the launcher did not end\nstdout:\n%v\nstderr:\n%v", p.out, p.err)
	}
	if left := append(p.s.leftovers(), p.runDirs()...); len(left) > 0 {
		p.s.t.Errorf("left behind: %v", left)
	}
	return p.status
}

// run runs a launcher to its end.
func (s *sandbox) run(stdin string, name string, args ...string) (status int, stdout, stderr string) {
	s.t.Helper()
	p := s.start(stdin, name, args...)
	status = p.wait()
	return status, p.out.String(), p.err.String()
}

// await waits until the output matches count times.
func (p *launcherRun) await(pattern string, count int) [][]string {
	p.s.t.Helper()
	re := regexp.MustCompile(pattern)
	timeout := time.After(testLimit)
	for {
		p.out.mu.Lock()
		found := re.FindAllStringSubmatch(p.out.text.String(), -1)
		changed := p.out.changed
		p.out.mu.Unlock()
		if len(found) >= count {
			return found
		}
		select {
		case <-changed:
		case <-p.done:
			if len(re.FindAllString(p.out.String(), -1)) < count {
				p.s.t.Fatalf("the launcher ended with status %d before %q came %d times\nstdout:\n%v\nstderr:\n%v", p.status, pattern, count, p.out, p.err)
			}
		case <-timeout:
			p.s.t.Fatalf("%q did not come %d times\nstdout:\n%v\nstderr:\n%v", pattern, count, p.out, p.err)
		}
	}
}

// ranks waits until n members have printed their hello line and returns their process ids by rank.
func (p *launcherRun) ranks(n int) map[int]int {
	p.s.t.Helper()
	pids := map[int]int{}
	for _, m := range p.await(`(?m)rank (\d+) of \d+ pid (\d+)$`, n) {
		rank, _ := strconv.Atoi(m[1])
		pids[rank], _ = strconv.Atoi(m[2])
	}
	return pids
}

// kill sends SIGKILL and returns the time.
func (p *launcherRun) kill(pid int) time.Time {
	p.s.t.Helper()
	now := time.Now()
	if err := unix.Kill(pid, unix.SIGKILL); err != nil {
		p.s.t.Fatal(err)
	}
	return now
}

// leftovers lists processes whose program or working directory is in the sandbox.
func (s *sandbox) leftovers() []string {
	all, err := process.HostProc.Processes()
	if err != nil {
		s.t.Fatal(err)
	}
	var left []string
	for _, proc := range all {
		if proc.Zombie || proc.PID == os.Getpid() {
			continue
		}
		for _, link := range []string{"exe", "cwd"} {
			path, err := os.Readlink(fmt.Sprintf("/proc/%d/%s", proc.PID, link))
			if err == nil && strings.HasPrefix(path, s.dir) {
				line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", proc.PID))
				left = append(left, fmt.Sprintf("%d %q", proc.PID, line))
				break
			}
		}
	}
	return left
}

// awaitNothing waits until no process of the sandbox is left, nor the private
// directory of the run; begin is when that had to start.
func (p *launcherRun) awaitNothing(begin time.Time) {
	t := p.s.t
	t.Helper()
	for {
		left := append(p.s.leftovers(), p.runDirs()...)
		if len(left) == 0 {
			return
		}
		if time.Since(begin) > testLimit {
			t.Fatalf("left behind: %v", left)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// runDirs lists the private directories of the run.
func (p *launcherRun) runDirs() []string {
	p.s.t.Helper()
	var dirs []string
	for _, base := range []string{process.MemoryDir, os.TempDir()} {
		found, err := filepath.Glob(filepath.Join(base, fmt.Sprintf("%s%d-*", process.RunDirPrefix, p.cmd.Process.Pid)))
		if err != nil {
			p.s.t.Fatal(err)
		}
		dirs = append(dirs, found...)
	}
	return dirs
}

// oneLine checks that exactly one line of text begins with the launcher's name,
// and returns it.
func oneLine(t *testing.T, text, prefix string) string {
	t.Helper()
	var lines []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, prefix) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	if len(lines) != 1 {
		t.Fatalf("expected one line of the launcher, got %q in:\n%s", lines, text)
	}
	return lines[0]
}
