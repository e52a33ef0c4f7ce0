package launch

import (
	"strings"
	"testing"
)

// TestFullDisk runs launchers whose standard output is on a device without room. The output of the run is
// larger than any pipe, so the ranks would wait if the run continued.
func TestFullDisk(t *testing.T) {
	s := newSandbox(t)
	s.file("write", "#!/bin/sh\nyes 0123456789 | head -c 4m\nexec sleep 60\n")
	s.file("in", "1\nacprun\n2\n./write\n")
	const want = "cannot write standard output: no space left on device\n"
	for _, launcher := range []string{"acprun", "macprun"} {
		command := map[string]string{"acprun": "acprun -np 2 ./write", "macprun": "macprun in"}[launcher]
		t.Run(launcher+" on /dev/full", func(t *testing.T) {
			p := s.startShell("PATH=$PWD:$PATH; exec " + command + " >/dev/full")
			if status := p.wait(); status != 1 || p.err.String() != launcher+": "+want {
				t.Errorf("status %d, %q; expected 1 and %q", status, p.err, want)
			}
		})
		t.Run(launcher+" on a file system", func(t *testing.T) {
			p := s.startWithMemoryDir(2048, "", command+" >/dev/shm/output")
			if status := p.wait(); status != 1 || p.err.String() != launcher+": "+want {
				t.Errorf("status %d, %q; expected 1 and %q", status, p.err, want)
			}
		})
		t.Run(launcher+" on a file that may not grow", func(t *testing.T) {
			p := s.startShell("ulimit -f 8; PATH=$PWD:$PATH; exec " + command + " >output")
			if status := p.wait(); status != 1 || !strings.HasSuffix(p.err.String(), launcher+": cannot write standard output: file too large\n") {
				t.Errorf("status %d, %q", status, p.err)
			}
		})
		t.Run(launcher+" for a reader that has ended", func(t *testing.T) {
			p := s.startShell("PATH=$PWD:$PATH; { " + command + "; echo status $? >&2; } | :")
			p.wait()
			if want := launcher + ": standard output was closed\nstatus 141\n"; p.err.String() != want {
				t.Errorf("%q; expected %q", p.err, want)
			}
		})
		t.Run(launcher+" -help", func(t *testing.T) {
			p := s.startShell("PATH=$PWD:$PATH; exec " + launcher + " -help >/dev/full")
			if status := p.wait(); status != 1 || !strings.Contains(p.err.String(), "no space left on device") {
				t.Errorf("status %d, %q", status, p.err)
			}
		})
	}
}
