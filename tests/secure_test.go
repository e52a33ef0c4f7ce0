package tests

import (
	"bytes"
	"strings"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// TestSecure captures the network traffic while a run copies memory between two hosts. The bytes
// cross the network in clear text, except with -secure. It tests all ways to set the option.
func TestSecure(t *testing.T) {
	// The memory of rank 0 in the program patient.
	pattern := make([]byte, 256)
	for i := range pattern {
		pattern[i] = byte(i*7 + 1)
	}
	for _, c := range []struct {
		name    string
		start   func(sandbox *harness.Sandbox, program string) *harness.Result
		visible bool
	}{
		{"in clear", func(p *harness.Sandbox, program string) *harness.Result {
			return p.Run("go on\n", "acprun", "-np", "2", "-net", "tcp", "-nodefile", p.Nodefile(0, 1), program)
		}, true},
		{"acprun -secure", func(p *harness.Sandbox, program string) *harness.Result {
			return p.Run("go on\n", "acprun", "-np", "2", "-net", "tcp", "-nodefile", p.Nodefile(0, 1), "-secure", program)
		}, false},
		{"ACP_SECURE", func(p *harness.Sandbox, program string) *harness.Result {
			p.Env = append(p.Env, "ACP_SECURE=yes")
			return p.Run("go on\n", "acprun", "-np", "2", "-net", "tcp", "-nodefile", p.Nodefile(0, 1), program)
		}, false},
		{"macprun with YAML", func(p *harness.Sandbox, program string) *harness.Result {
			file := p.Write("jobs.yaml", "secure: yes\nnet: tcp\njobs:\n- launcher: acprun\n  np: 1\n  command: "+program+"\n- launcher: acprun\n  np: 1\n  command: "+program+"\n")
			return p.Run("go on\n", "macprun", "-nodefile", p.Nodefile(0, 1), file)
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			sandbox.Hosts(2)
			program := suite.C(t, "patient")
			capture := sandbox.Capture()
			if r := c.start(sandbox, program); r.Status != 0 || !strings.Contains(r.Stdout, "unharmed") {
				t.Fatalf("%v", r)
			}
			if visible := bytes.Contains(capture.Seen(t), pattern); visible != c.visible {
				t.Errorf("memory crosses the network in clear: %v, expected %v", visible, c.visible)
			}
		})
	}
}
