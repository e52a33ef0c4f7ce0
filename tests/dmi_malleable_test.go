package tests

import (
	"strings"
	"testing"
)

// TestDMIStartLeaves: a process of the start leaves, and its pages are kept. Threads change the pages while another process joins, and
// parts of the directory move to it.
func TestDMIStartLeaves(t *testing.T) {
	program := suite.DMI(t, "tests/programs/dmi_malleable")
	input := "phase 2 2\ncreate 0\ncreate 1\nfork 0\nawait 2 1\ncreate 2\nkill 1\nawait 1 3\njoin\nphase 3 2\nphase 2 2\nphase all 2\nnodes\nend\n"
	for _, net := range []string{"auto", "tcp"} {
		t.Run(net, func(t *testing.T) {
			out := suite.Sandbox(t).MustRead(input, "dmimw", "-n", "2", "-net", net, "-pool", "64m", program)
			for _, line := range []string{"join: right\n", "phase 3 2: right\n", "phase 2 2: right\n", "phase all 2: right\n", "nodes: 0:2 2:2\n"} {
				if !strings.Contains(out, line) {
					t.Errorf("%q, expected a line %q", out, line)
				}
			}
		})
	}
}
