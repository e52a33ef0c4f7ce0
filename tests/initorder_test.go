package tests

import (
	"fmt"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// When a program initialises MPI with respect to ACP, and which of the two it finalises first.
var (
	initWays = []string{"before", "after", "never"}
	endWays  = []string{"acp", "mpi"}
)

// forEachOrder runs f for every combination, in parallel.
func forEachOrder(t *testing.T, f func(t *testing.T, order string)) {
	for _, when := range initWays {
		for _, first := range endWays {
			if when == "never" && first == "mpi" {
				continue // nothing to finalise
			}
			t.Run(fmt.Sprintf("%s/%s first", when, first), func(t *testing.T) {
				t.Parallel()
				f(t, when+" "+first)
			})
		}
	}
}

// TestInitOrder tries every way in C with each MPI and in Go, in a run of several
// jobs and under mpirun alone.
func TestInitOrder(t *testing.T) {
	t.Parallel()
	for _, variant := range []struct {
		name    string
		program func(t *testing.T) (string, harness.MPI)
	}{
		{"C openmpi", func(t *testing.T) (string, harness.MPI) {
			mpi := suite.NeedMPI(t, "openmpi")
			return suite.CMPI(t, "initorder", mpi), mpi
		}},
		{"C mpich", func(t *testing.T) (string, harness.MPI) {
			mpi := suite.NeedMPI(t, "mpich")
			return suite.CMPI(t, "initorder", mpi), mpi
		}},
		// gompi is made for Open MPI.
		{"Go openmpi", func(t *testing.T) (string, harness.MPI) {
			mpi := suite.NeedMPI(t, "openmpi")
			return suite.GoMPI(t, "initorder", mpi), mpi
		}},
	} {
		t.Run(variant.name, func(t *testing.T) {
			program, mpi := variant.program(t)
			t.Run("macprun", func(t *testing.T) {
				forEachOrder(t, func(t *testing.T, order string) {
					out := suite.Sandbox(t).MustRead(jobs(
						job{mpi.Mpirun, 2, program + " " + order}, job{"acprun", 1, suite.C(t, "initorder")},
					), "macprun")
					greetings(t, out, 3)
				})
			})
			t.Run("mpirun", func(t *testing.T) {
				forEachOrder(t, func(t *testing.T, order string) {
					sandbox := suite.Sandbox(t)
					greetings(t, sandbox.Must("/bin/sh", "-c", sandbox.Mpirun(mpi)+" -np 3 "+program+" "+order), 3)
				})
			})
		})
	}
}

// TestMPIFinalizedFirst: with windows of MPI, where MPI may not be finalised before ACP, one line reports it,
// whichever of the two was initialised first.
func TestMPIFinalizedFirst(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"openmpi", "mpich"} {
		for _, when := range []string{"before", "after"} {
			t.Run(name+"/"+when, func(t *testing.T) {
				mpi := suite.NeedMPI(t, name)
				r := suite.Sandbox(t).Run(jobs(job{mpi.Mpirun, 2, suite.CMPI(t, "initorder", mpi) + " " + when + " mpi"}), "macprun", "-net", "rma")
				mustPrint(t, r, "aborted: MPI_Finalize was called before acp_finalize while windows of MPI are in use (network rma): call acp_finalize first")
				if r.Status == 0 {
					t.Error(r)
				}
			})
		}
	}
}

// greetings checks that every rank has printed its greeting.
func greetings(t *testing.T, out string, np int) {
	t.Helper()
	var patterns []string
	for rank := range np {
		patterns = append(patterns, fmt.Sprintf(`hello from ACP rank %d of %d, .*; got "greetings from rank %d"$`, rank, np, (rank+np-1)%np))
	}
	lines(t, out, patterns...)
}
