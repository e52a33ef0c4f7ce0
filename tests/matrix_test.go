package tests

import (
	"strconv"
	"testing"
)

// Starter memory that gma_matrix needs for all sizes up to 1 MiB + 3, and for 300 MiB.
const (
	matrixMemory = "6m"
	hugeMemory   = "301m"
)

// TestMatrix makes every global memory access between every kind of pair: in one process, in
// one job, between jobs, and between hosts.
func TestMatrix(t *testing.T) {
	program := suite.C(t, "gma_matrix")
	for _, net := range []string{"auto", "shm", "tcp"} {
		for _, np := range []int{1, 2, 3, 4} {
			t.Run(net+"/"+strconv.Itoa(np), func(t *testing.T) {
				suite.Sandbox(t).Must("acprun", "-np", strconv.Itoa(np), "-net", net, "-smemsize", matrixMemory, program)
			})
		}
	}
	t.Run("two jobs", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		sandbox.MustRead(jobs(job{"acprun", 2, program}, job{"acprun", 1, program}), "macprun", "-smemsize", matrixMemory)
	})
	t.Run("two hosts", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(2)
		sandbox.Must("acprun", "-np", "3", "-nodefile", sandbox.Nodefile(0, 0, 1), "-smemsize", matrixMemory, program)
	})
	t.Run("three jobs on two hosts", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(2)
		sandbox.MustRead(jobs(job{"acprun", 1, program}, job{"acprun", 2, program}, job{"acprun", 1, program}),
			"macprun", "-nodefile", sandbox.Nodefile(0, 0, 1, 1), "-smemsize", matrixMemory)
	})
}

// TestMatrixWithMPI does the same between the processes of MPI jobs.
func TestMatrixWithMPI(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			program := suite.CMPI(t, "gma_matrix", mpi)
			sandbox := suite.Sandbox(t)
			sandbox.MustRead(jobs(job{mpi.Mpirun, 2, program}, job{"acprun", 1, suite.C(t, "gma_matrix")}), "macprun", "-smemsize", matrixMemory)
		})
	}
}

// TestHugeCopies moves 300 MiB at once.
func TestHugeCopies(t *testing.T) {
	if testing.Short() {
		t.Skip("moves more than a gigabyte")
	}
	program := suite.C(t, "gma_matrix")
	for _, net := range []string{"auto", "tcp"} {
		t.Run(net, func(t *testing.T) {
			suite.Sandbox(t).Must("acprun", "-np", "3", "-net", net, "-smemsize", hugeMemory, program, "huge")
		})
	}
	t.Run("two hosts", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(2)
		sandbox.Must("acprun", "-np", "2", "-nodefile", sandbox.Nodefile(0, 1), "-smemsize", hugeMemory, program, "huge")
	})
}
