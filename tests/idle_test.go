package tests

import "testing"

// TestIdle: ranks with nothing to do use hardly any processor time, with every fabric.
func TestIdle(t *testing.T) {
	mpi := suite.NeedMPI(t, "openmpi")
	program := suite.CMPI(t, "idle", mpi) + " 2"
	for _, net := range []string{"auto", "tcp", "rma"} {
		t.Run(net, func(t *testing.T) {
			t.Log(suite.Sandbox(t).MustRead(jobs(job{mpi.Mpirun, 1, program}, job{mpi.Mpirun, 1, program}), "macprun", "-net", net))
		})
	}
	t.Run("mpich", func(t *testing.T) {
		mpi := suite.NeedMPI(t, "mpich")
		t.Log(suite.Sandbox(t).MustRead(jobs(job{mpi.Mpirun, 2, suite.CMPI(t, "idle", mpi) + " 2"}), "macprun", "-net", "rma"))
	})
}
