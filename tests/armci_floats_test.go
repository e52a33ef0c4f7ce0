package tests

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// TestARMCIFloats: no floating-point exception traps in accumulates and reductions of programs that enable traps, on
// one host and between hosts. The traps are enabled when main begins, or before the library is loaded.
func TestARMCIFloats(t *testing.T) {
	program := suite.CAt(t, "tests/programs/armci/floats", "-larmci", "-lm")
	sandbox := suite.Sandbox(t)
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Fatal(err)
	}
	host, library := filepath.Join(sandbox.Dir, "host"), filepath.Join(sandbox.Dir, "floats.so")
	sandbox.Must(compiler, "-std=gnu11", "-Wall", "-Wextra", "-Werror", suite.Source("tests", "testdata", "trapping.c"), "-ldl", "-lm", "-o", host)
	sandbox.Env = append(sandbox.Env, "ACP_LINK=shared")
	sandbox.Must("acpcc", "-shared", "-fPIC", suite.Source("tests", "programs", "armci", "floats.c"), "-larmci", "-lm", "-o", library)
	for what, command := range map[string][]string{"linked": {program}, "loaded": {host, library}} {
		run := func(t *testing.T, sandbox *harness.Sandbox, options ...string) {
			args := append([]string{"acprun", "-np", "3"}, options...)
			out := sandbox.Must(append(args, command...)...)
			if got := strings.Count(out, "as before\n"); got != 3 {
				t.Errorf("%d of 3 processes have their environment:\n%s", got, out)
			}
		}
		t.Run(what+"/one host", func(t *testing.T) { run(t, suite.Sandbox(t), "-net", "shm") })
		t.Run(what+"/two hosts", func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			sandbox.Hosts(2)
			run(t, sandbox, "-nodefile", sandbox.Nodefile(0, 1, 1))
		})
	}
}
