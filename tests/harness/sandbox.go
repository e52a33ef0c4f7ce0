package harness

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// envMark is in the environment of every process of a test.
const envMark = "ACPTEST_MARK"

// cleanLimit is how long after the end of a run its processes and files may last.
const cleanLimit = 2 * time.Second

// Sandbox is the environment in which one test runs commands. One goroutine uses it, but commands may run at
// the same time.
type Sandbox struct {
	// Dir is the working directory of commands. The test may write into it.
	Dir string
	// Env is added to the environment of commands.
	Env []string
	// Limit bounds each command. The deadline of the test bounds it too.
	Limit time.Duration

	t     *testing.T
	suite *Suite
	mark  string // NAME=VALUE
	tmp   string // TMPDIR of commands, empty when the test ends
	hosts *network
	shm   string // what commands see as /dev/shm; "" = that of the machine

	mu   sync.Mutex
	seen map[Process]bool // everything that was ever found to belong to the sandbox
}

// Sandbox makes the sandbox of t. When t ends, it fails t if processes, files or shared memory are left.
func (s *Suite) Sandbox(t *testing.T) *Sandbox {
	t.Helper()
	b := &Sandbox{
		t: t, suite: s, Dir: t.TempDir(),
		Limit: 2 * time.Minute, seen: map[Process]bool{},
	}
	b.mark = fmt.Sprintf("%s=%d-%d", envMark, os.Getpid(), time.Now().UnixNano())
	// Names of sockets below it must stay short.
	tmp, err := os.MkdirTemp("", "acpt")
	if err != nil {
		t.Fatal(err)
	}
	b.tmp = tmp
	t.Cleanup(func() { os.RemoveAll(tmp) })
	if os.Geteuid() == 0 {
		// The private /dev/shm must be memory, as the real one. So it is a folder of the real one,
		// which is mounted over it for the commands alone.
		if b.shm, err = os.MkdirTemp("/dev/shm", "acptest-"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(b.shm) })
	}
	t.Cleanup(func() {
		if left := b.waitClean(cleanLimit); left != "" {
			t.Errorf("left behind:\n%s", left)
			b.killAll()
		}
	})
	return b
}

// Write makes a file in the working directory and returns its path.
func (b *Sandbox) Write(name, content string) string {
	b.t.Helper()
	path := filepath.Join(b.Dir, name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		b.t.Fatal(err)
	}
	return path
}

// Script makes a shell script in the working directory and returns its path.
func (b *Sandbox) Script(name, text string) string {
	b.t.Helper()
	path := b.Write(name, "#!/bin/sh\n"+text)
	if err := os.Chmod(path, 0o755); err != nil {
		b.t.Fatal(err)
	}
	return path
}

// Processes returns the living processes of the sandbox. Those of a launcher that
// has been killed are known from earlier calls even if they have no mark.
func (b *Sandbox) Processes() []Process {
	b.mu.Lock()
	defer b.mu.Unlock()
	var roots []int
	for known := range b.seen {
		if known.alive() {
			roots = append(roots, known.PID)
		} else {
			delete(b.seen, known)
		}
	}
	found := find(b.mark, roots)
	for _, f := range found {
		b.seen[f] = true
	}
	return found
}

// Left describes the remains of the sandbox: processes, shared memory, files. It is empty if nothing is
// left.
func (b *Sandbox) Left() string {
	var left strings.Builder
	for _, process := range b.Processes() {
		fmt.Fprintf(&left, "process %v\n", process)
	}
	for _, dir := range []string{b.tmp, b.shm} {
		if dir == "" {
			continue
		}
		_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && path != dir && !b.hosts.owns(path) {
				fmt.Fprintf(&left, "%v %s\n", entry.Type(), path)
			}
			return nil
		})
	}
	return left.String()
}

// waitClean waits until nothing is left, and returns the remains after limit.
func (b *Sandbox) waitClean(limit time.Duration) string {
	end := time.Now().Add(limit)
	for {
		left := b.Left()
		if left == "" || time.Now().After(end) {
			return left
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// GoneWithin fails the test unless everything is gone by limit after since.
func (b *Sandbox) GoneWithin(since time.Time, limit time.Duration) {
	b.t.Helper()
	left := b.waitClean(time.Until(since.Add(limit)))
	if left != "" {
		b.t.Errorf("%v after the fault these are left:\n%s", limit, left)
		return
	}
	b.t.Logf("everything gone %v after the fault", time.Since(since).Round(time.Millisecond))
}

func (b *Sandbox) killAll() {
	for _, process := range b.Processes() {
		_ = syscall.Kill(process.PID, syscall.SIGKILL)
	}
}

// environ is the environment of commands.
func (b *Sandbox) environ() []string {
	env := []string{
		b.mark, "TMPDIR=" + b.tmp, "GOTRACEBACK=all", "HOME=" + b.Dir,
		"PATH=" + filepath.Join(b.suite.build, "bin") + ":" + os.Getenv("PATH"),
	}
	for _, name := range []string{"LANG", "USER", "LOGNAME", "GOROOT", "GOCACHE", "GOMODCACHE", "GOFLAGS", "GOPROXY"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return append(env, b.Env...)
}

// Mpirun returns a command line that starts MPI programs without a launcher of ACP, with the
// settings that they would add on a machine with few processors.
func (b *Sandbox) Mpirun(m MPI) string {
	if m.Flavor != "openmpi" {
		return m.Mpirun
	}
	b.Env = append(b.Env, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_mpi_yield_when_idle=1")
	return m.Mpirun + " --oversubscribe --bind-to none"
}
