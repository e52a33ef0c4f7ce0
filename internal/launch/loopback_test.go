package launch

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// TestRunWithoutLoopback starts runs in network namespaces whose loopback interface is down.
func TestRunWithoutLoopback(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("a network namespace needs root")
	}
	s := newSandbox(t)
	s.file("in", "2\nacprun\nacprun\n1\n1\n./member join hello leave\n./member join hello leave\n")
	for _, command := range []string{"acprun -np 2 ./member join hello leave", "macprun in"} {
		cmd := exec.Command("/bin/sh", "-c", "PATH=$PWD:$PATH; exec "+command)
		cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNET}
		p := s.startCommand("", cmd)
		p.ranks(2)
		if status := p.wait(); status != 0 || p.err.String() != "" {
			t.Errorf("%s: status %d, %q", command, status, p.err)
		}
	}
}
