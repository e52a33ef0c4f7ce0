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
	place := suite.Place(t)
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Fatal(err)
	}
	host, library := filepath.Join(place.Dir, "host"), filepath.Join(place.Dir, "floats.so")
	place.Must(compiler, "-std=gnu11", "-Wall", "-Wextra", "-Werror", suite.Source("tests", "testdata", "trapping.c"), "-ldl", "-lm", "-o", host)
	place.Env = append(place.Env, "ACP_LINK=shared")
	place.Must("acpcc", "-shared", "-fPIC", suite.Source("tests", "programs", "armci", "floats.c"), "-larmci", "-lm", "-o", library)
	for what, command := range map[string][]string{"linked": {program}, "loaded": {host, library}} {
		run := func(t *testing.T, place *harness.Place, options ...string) {
			args := append([]string{"acprun", "-np", "3"}, options...)
			out := place.Must(append(args, command...)...)
			if got := strings.Count(out, "as before\n"); got != 3 {
				t.Errorf("%d of 3 processes have their environment:\n%s", got, out)
			}
		}
		t.Run(what+"/one host", func(t *testing.T) { run(t, suite.Place(t), "-net", "shm") })
		t.Run(what+"/two hosts", func(t *testing.T) {
			place := suite.Place(t)
			place.Hosts(2)
			run(t, place, "-nodefile", place.Nodefile(0, 1, 1))
		})
	}
}
