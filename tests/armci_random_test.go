package tests

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// TestARMCIRandom makes random transfers by the C library, and compares their effects with a model
// of the memory.
func TestARMCIRandom(t *testing.T) {
	t.Parallel()
	const source, rounds = "tests/programs/armci/random", "300"
	seed := strconv.FormatUint(rand.Uint64(), 10)
	t.Log("seed", seed)
	check := func(t *testing.T, r *harness.Result, np int) {
		t.Helper()
		if r.Status != 0 || strings.Count(r.Stdout, "agrees\n") != np {
			t.Error(r)
		}
	}
	program := suite.CAt(t, source, "-larmci")
	for _, net := range []string{"shm", "tcp"} {
		t.Run(net, func(t *testing.T) {
			check(t, suite.Sandbox(t).Run("", "acprun", "-np", "3", "-net", net, program, seed, rounds), 3)
		})
	}
	t.Run("two hosts", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(2)
		check(t, sandbox.Run("", "acprun", "-np", "4", "-nodefile", sandbox.Nodefile(0, 1, 1, 0), program, seed, rounds), 4)
	})
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			program := suite.CAtMPI(t, source, mpi, "-larmci") + " " + seed + " " + rounds
			sandbox := suite.Sandbox(t)
			check(t, sandbox.Run("", "/bin/sh", "-c", sandbox.Mpirun(mpi)+" -n 2 "+program), 2)
			for _, net := range []string{"tcp", "rma"} {
				check(t, suite.Sandbox(t).Run(jobs(job{mpi.Mpirun, 2, program}), "macprun", "-net", net), 2)
			}
		})
	}
}
