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

	"github.com/goacp/goacp/internal/launch/stdio"
	"golang.org/x/sys/unix"
)

// slowOutput is more than the pipes hold between a launcher and its reader, and less than all pipes of the run: the ranks end while the
// launcher cannot write.
const slowOutput = 150 << 10

// TestReaderPauses: the reader of the output pauses for longer than the launcher waits for processes that hold their output
// open. No output is lost.
func TestReaderPauses(t *testing.T) {
	for name, command := range map[string]string{
		"acprun":  "acprun -np 1 ./write",
		"macprun": "macprun in",
		"remote":  "acprun -np 1 -host far1 ./write",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newFarSandbox(t)
			s.file("write", fmt.Sprintf("#!/bin/sh\nyes 0123456789 | head -c %d\n", slowOutput))
			s.file("in", "1\nacprun\n1\n./write\n")
			p := s.startShell(fmt.Sprintf("PATH=$PWD:$PATH; { %s; echo status $? >&2; } | { sleep %v; wc -c; }", command, 2.5*stdio.OutputLimit.Seconds()))
			p.wait()
			if size := strings.TrimSpace(p.out.String()); size != fmt.Sprint(slowOutput) || p.err.String() != "status 0\n" {
				t.Errorf("%s bytes of %d, %v", size, slowOutput, p.err)
			}
		})
	}
}

// TestReaderStops: the reader of standard output and standard error stops reading. A signal reaches the ranks and ends the run, and so
// does the time limit.
func TestReaderStops(t *testing.T) {
	for _, test := range []struct {
		name, command string
		signal        syscall.Signal // 0: none
		status        int
	}{
		{"acprun", "acprun -np 1 ./flood", syscall.SIGTERM, 143},
		{"macprun", "macprun in", syscall.SIGINT, 130},
		{"remote", "acprun -np 1 -host far1 ./flood", syscall.SIGTERM, 143},
		{"time limit", "acprun -timeout 10s -np 1 ./flood", 0, 124},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newFarSandbox(t)
			s.file("flood", "#!/bin/sh\ntrap 'touch told; exit 0' TERM INT\nyes 0123456789 &\nwait\n")
			s.file("in", "1\nacprun\n1\n./flood\n")
			output, blocked, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer output.Close()
			cmd := exec.Command("/bin/sh", "-c", "PATH=$PWD:$PATH; exec "+test.command+" >&3 2>&3 3>&-")
			cmd.ExtraFiles = []*os.File{blocked}
			p := s.startCommand("", cmd)
			blocked.Close()
			awaitFull(t, output)
			if test.signal != 0 {
				_ = p.cmd.Process.Signal(test.signal)
			}
			if status := p.wait(); status != test.status {
				t.Errorf("status %d; expected %d", status, test.status)
			}
			if _, err := os.Stat(filepath.Join(s.dir, "told")); err != nil {
				t.Errorf("the rank has got no signal: %v", err)
			}
		})
	}
}

// awaitFull waits until a pipe takes nothing more.
func awaitFull(t *testing.T, pipe *os.File) {
	t.Helper()
	deadline := time.Now().Add(testLimit)
	for before, same := 0, 0; same < 10; time.Sleep(10 * time.Millisecond) {
		size, err := unix.IoctlGetInt(int(pipe.Fd()), unix.TIOCINQ)
		if err != nil {
			t.Fatal(err)
		}
		if same++; size != before || size < 32<<10 {
			before, same = size, 0
		}
		if time.Now().After(deadline) {
			t.Fatalf("the pipe holds %d bytes only", size)
		}
	}
}
