package launch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/launch/stdio"
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
