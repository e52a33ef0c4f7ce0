package launch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/launch/process"
	"golang.org/x/sys/unix"
)

// TestSignalAtBegin sends a signal to a launcher when the private directory of its run appears.
func TestSignalAtBegin(t *testing.T) {
	s := newSandbox(t)
	s.file("in", "1\nacprun\n1\nsleep 60\n")
	for i := range 6 {
		launcher, args := "acprun", []string{"sleep", "60"}
		if i%2 == 1 {
			launcher, args = "macprun", []string{"in"}
		}
		p := s.start("", launcher, args...)
		for begin := time.Now(); !p.madeRunDir(); {
			if time.Since(begin) > testLimit {
				t.Fatalf("%s makes no directory\n%v", launcher, p.err)
			}
		}
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		if status := p.wait(); status != 128+int(syscall.SIGTERM) || !strings.Contains(p.err.String(), "signal 15") {
			t.Errorf("%s: status %d, %q; expected %d and the name of the signal", launcher, status, p.err, 128+int(syscall.SIGTERM))
		}
	}
}

// madeRunDir reports whether the private directory of the run exists in memory.
func (p *launcherRun) madeRunDir() bool {
	all, err := os.ReadDir(process.MemoryDir)
	if err != nil {
		p.s.t.Fatal(err)
	}
	for _, entry := range all {
		if strings.HasPrefix(entry.Name(), fmt.Sprintf("%s%d-", process.RunDirPrefix, p.cmd.Process.Pid)) {
			return true
		}
	}
	return false
}

// TestFewOpenFiles starts launchers that may open fewer files than they need: for themselves, and for
// their ranks.
func TestFewOpenFiles(t *testing.T) {
	s := newSandbox(t)
	s.file("in", "1\nacprun\n40\n./member join leave\n")
	for _, limit := range []int{4, 6, 7, 12, 20, 28, 70} {
		for _, command := range []string{"acprun -np 40 ./member join leave", "macprun in"} {
			p := s.startShell(fmt.Sprintf("ulimit -n %d; PATH=$PWD:$PATH; exec %s", limit, command))
			want := fmt.Sprintf("too many open files; the limit of open files is %d (ulimit -n)", limit)
			if status := p.wait(); status != 1 || strings.Count(p.err.String(), "\n") != 1 || !strings.Contains(p.err.String(), want) {
				t.Errorf("%s with %d files: status %d, %q; expected 1 and one line with %q", command, limit, status, p.err, want)
			}
		}
	}
}

// startShell starts a command of the shell, by which a launcher takes the place of the shell.
func (s *sandbox) startShell(command string) *launcherRun {
	s.t.Helper()
	return s.startCommand("", exec.Command("/bin/sh", "-c", command))
}

// startWithMemoryDir starts a launcher with a private MemoryDir of size KiB. It skips the test if this
// process may not mount one.
func (s *sandbox) startWithMemoryDir(size int, prepare, command string) *launcherRun {
	s.t.Helper()
	if os.Geteuid() != 0 {
		s.t.Skip("a mount namespace needs root")
	}
	cmd := exec.Command("/bin/sh", "-c", fmt.Sprintf("mount -t tmpfs -o size=%dk none %s && %s PATH=$PWD:$PATH && exec %s", size, process.MemoryDir, prepare, command))
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	return s.startCommand("", cmd)
}

// TestMemoryDirFull fills MemoryDir. The private directory of the run is then where temporary files are. If
// there is no room there either, the message names both places.
func TestMemoryDirFull(t *testing.T) {
	s := newSandbox(t)
	s.file("in", "1\nacprun\n2\n./member join hello leave\n")
	const fill = "head -c 64k /dev/zero >/dev/shm/fill &&"
	for _, command := range []string{"acprun -np 2 ./member join hello leave", "macprun in"} {
		p := s.startWithMemoryDir(64, fill, command)
		if status := p.wait(); status != 0 || len(p.ranks(2)) != 2 || p.err.String() != "" {
			t.Errorf("%s: status %d, %q", command, status, p.err)
		}
		p = s.startWithMemoryDir(64, fill+" export TMPDIR=/dev/full &&", command)
		const want = "no private directory for the run: /dev/shm: no space left on device; /dev/full: not a directory"
		if status := p.wait(); status != 1 || !strings.Contains(p.err.String(), want) {
			t.Errorf("%s: status %d, %q; expected 1 and %q", command, status, p.err, want)
		}
	}
}

// TestDeadRun kills a launcher and its cleaner. The next launcher removes their processes and their
// directory, and prints a line.
func TestDeadRun(t *testing.T) {
	s := newSandbox(t)
	// The rank is no child of the launcher, so that the launcher's end does not end it.
	dead := s.startWithMemoryDir(4096, "", "acprun sh -c './member stubborn join hello hang & wait'")
	rank := dead.ranks(1)[0]
	mounts, err := os.Open(fmt.Sprintf("/proc/%d/ns/mnt", dead.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	defer mounts.Close()
	dead.kill(cleanerOf(t, dead.cmd.Process.Pid))
	dead.kill(dead.cmd.Process.Pid)
	<-dead.done
	awaitUnlocked(t, fmt.Sprintf("/proc/%d/root%s/%s%d-*", rank, process.MemoryDir, process.RunDirPrefix, dead.cmd.Process.Pid))
	if err := unix.Kill(rank, 0); err != nil {
		t.Errorf("the rank has ended: %v; expected it to go on", err)
	}
	next := exec.Command("nsenter", "--mount=/proc/self/fd/3", "--wdns="+s.dir, filepath.Join(s.dir, "acprun"), "sh", "-c", "ls -d /dev/shm/*")
	next.ExtraFiles = []*os.File{mounts}
	p := s.startCommand("", next)
	status := p.wait() // the rank has ended, too
	if line := oneLine(t, p.err.String(), "acprun:"); status != 0 || !strings.Contains(line, fmt.Sprintf("removed /dev/shm/goacp-%d-", dead.cmd.Process.Pid)) {
		t.Errorf("status %d, %q", status, line)
	}
	if strings.Count(p.out.String(), "\n") != 1 {
		t.Errorf("directories %q; expected that of the second run alone", p.out)
	}
}

// awaitUnlocked waits until no process has locked the only directory that matches a pattern. The kernel may close the files of a
// process that was killed after its end.
func awaitUnlocked(t *testing.T, pattern string) {
	t.Helper()
	for begin := time.Now(); time.Since(begin) < testLimit; time.Sleep(time.Millisecond) {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: %v, %v", pattern, found, err)
		}
		dir, err := os.Open(found[0])
		if err != nil {
			t.Fatal(err)
		}
		err = unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		dir.Close()
		if err == nil {
			return
		}
	}
	t.Fatalf("%s is still locked", pattern)
}

// cleanerOf returns the process id of the cleaner of a launcher. The cleaner takes its name soon after its start.
func cleanerOf(t *testing.T, launcher int) int {
	t.Helper()
	for begin := time.Now(); time.Since(begin) < testLimit; time.Sleep(time.Millisecond) {
		all, err := process.HostProc.Processes()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range all {
			name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", p.PID))
			if err == nil && p.Parent == launcher && strings.TrimSpace(string(name)) == "acp-cleaner" {
				return p.PID
			}
		}
	}
	t.Fatal("the launcher has no cleaner")
	return 0
}
