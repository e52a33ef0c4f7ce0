package tests

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// TestARMCIMixed runs programs whose processes call the same functions of ARMCI in C and in Go, which
// share memory for that: barriers and reductions, and mutexes.
func TestARMCIMixed(t *testing.T) {
	seed := strconv.FormatUint(rand.Uint64(), 10)
	t.Log("seed", seed)
	for _, source := range []string{"reductions", "locks"} {
		program := suite.CAt(t, "tests/programs/armci/"+source, "-larmci")
		run := func(t *testing.T, sandbox *harness.Sandbox, np int, options ...string) {
			args := append([]string{"-np", strconv.Itoa(np)}, options...)
			out := sandbox.Must(append([]string{"acprun"}, append(args, program, seed, "300")...)...)
			if got := strings.Count(out, "agrees\n"); got != np {
				t.Errorf("%d processes of %d agree:\n%s", got, np, out)
			}
		}
		for _, np := range []int{1, 2, 5} {
			t.Run(source+"/"+strconv.Itoa(np), func(t *testing.T) { run(t, suite.Sandbox(t), np, "-net", "shm") })
		}
		t.Run(source+"/two hosts", func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			sandbox.Hosts(2)
			run(t, sandbox, 3, "-nodefile", sandbox.Nodefile(0, 1, 1))
		})
	}
}
