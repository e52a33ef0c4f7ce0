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
		run := func(t *testing.T, place *harness.Place, np int, options ...string) {
			args := append([]string{"-np", strconv.Itoa(np)}, options...)
			out := place.Must(append([]string{"acprun"}, append(args, program, seed, "300")...)...)
			if got := strings.Count(out, "agrees\n"); got != np {
				t.Errorf("%d processes of %d agree:\n%s", got, np, out)
			}
		}
		for _, np := range []int{1, 2, 5} {
			t.Run(source+"/"+strconv.Itoa(np), func(t *testing.T) { run(t, suite.Place(t), np, "-net", "shm") })
		}
		t.Run(source+"/two hosts", func(t *testing.T) {
			place := suite.Place(t)
			place.Hosts(2)
			run(t, place, 3, "-nodefile", place.Nodefile(0, 1, 1))
		})
	}
}
