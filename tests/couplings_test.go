package tests

import (
	"fmt"
	"testing"
)

// TestCouplingFromC couples three jobs in a ring, in C, in Go and in C, without MPI.
func TestCouplingFromC(t *testing.T) {
	inC, inGo := suite.C(t, "couplings"), suite.Go(t, "coupled")
	testRing(t, []string{"shm", "tcp"}, []int{0, 1, 0, 1, 1, 0}, func() string {
		return ringOf(job{"acprun", 2, inC}, job{"acprun", 3, inGo}, job{"acprun", 1, inC})
	})
}

// TestCouplingFromCWithMPI couples a job of each MPI in C with a job in Go without MPI.
func TestCouplingFromCWithMPI(t *testing.T) {
	openmpi, mpich := suite.NeedMPI(t, "openmpi"), suite.NeedMPI(t, "mpich")
	testRing(t, []string{"auto"}, []int{0, 1, 0, 1, 1, 0, 1}, func() string {
		return ringOf(job{openmpi.Mpirun, 2, suite.CMPI(t, "couplings", openmpi)},
			job{mpich.Mpirun, 3, suite.CMPI(t, "couplings", mpich)}, job{"acprun", 2, suite.Go(t, "coupled")})
	})
}

// TestCouplingFromCKilled kills a rank for which other ranks wait in C, and a rank that waits
// itself.
func TestCouplingFromCKilled(t *testing.T) {
	program := suite.C(t, "couplings")
	for _, net := range []string{"shm", "tcp"} {
		for _, way := range []string{"receive", "send", "exchange"} {
			for victim := range 2 {
				t.Run(fmt.Sprintf("%s/%s/%d", net, way, victim), func(t *testing.T) {
					sandbox := suite.Sandbox(t)
					run := sandbox.Start("acprun", "-np", "3", "-net", net, program, "-in", way)
					pids := ready(t, run, 3)
					fault(t, sandbox, run, pids[victim], afterRank, killed(victim, 0, pids[victim]))
				})
			}
		}
	}
}
