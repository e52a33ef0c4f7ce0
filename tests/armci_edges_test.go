package tests

import (
	"strings"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// TestARMCIEdges calls functions of ARMCI with edge values.
func TestARMCIEdges(t *testing.T) { armciWays(t, "edges") }

// TestARMCIUnaligned transfers and accumulates elements at any addresses, with any strides.
func TestARMCIUnaligned(t *testing.T) { armciWays(t, "unaligned") }

// TestARMCIThreads uses functions of ARMCI by several threads at once.
func TestARMCIThreads(t *testing.T) { armciWays(t, "threads") }

// TestARMCIWords: a get of memory that another process on the same host changes returns no torn aligned
// words.
func TestARMCIWords(t *testing.T) {
	program := suite.CAt(t, "tests/programs/armci/words", "-larmci")
	suite.Sandbox(t).Must("acprun", "-np", "2", "-net", "shm", program, "300000")
}

// armciWays runs a program of ARMCI with all fabrics and MPIs.
func armciWays(t *testing.T, name string) {
	check := func(t *testing.T, input string, sandbox *harness.Sandbox, argv ...string) {
		t.Helper()
		r := sandbox.Run(input, argv...)
		if r.Status != 0 || strings.Count(r.Stdout, " has come to the end\n") != 4 {
			t.Error(r)
		}
	}
	source := "tests/programs/armci/" + name
	program := suite.CAt(t, source, "-larmci", "-pthread")
	for _, net := range []string{"shm", "tcp"} {
		t.Run(net, func(t *testing.T) { check(t, "", suite.Sandbox(t), "acprun", "-np", "4", "-net", net, program) })
	}
	t.Run("two hosts", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(2)
		check(t, "", sandbox, "acprun", "-np", "4", "-nodefile", sandbox.Nodefile(0, 0, 1, 1), program)
	})
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			program := suite.CAtMPI(t, source, mpi, "-larmci", "-pthread")
			check(t, jobs(job{mpi.Mpirun, 4, program}), suite.Sandbox(t), "macprun", "-net", "rma")
		})
	}
}
