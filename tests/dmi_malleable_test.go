package tests

import (
	"strings"
	"testing"
)

// TestDMIStartLeaves: a process of the start leaves, and its pages are kept.
func TestDMIStartLeaves(t *testing.T) {
	program := suite.DMI(t, "tests/programs/dmi_malleable")
	input := "phase 2 2\nkill 1\nawait 1 3\nfork 0\nphase 2 2\nphase all 2\nnodes\nend\n"
	out := suite.Sandbox(t).MustRead(input, "dmimw", "-n", "2", "-pool", "64m", program)
	for _, line := range []string{"phase 2 2: right\n", "phase all 2: right\n", "nodes: 0:2 2:2\n"} {
		if !strings.Contains(out, line) {
			t.Errorf("%q, expected a line %q", out, line)
		}
	}
}
