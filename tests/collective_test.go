package tests

import (
	"strconv"
	"testing"
)

// TestAllGather runs the sample of the basic-layer paper on 1 to 9 ranks.
func TestAllGather(t *testing.T) {
	program := suite.C(t, "allgather")
	for np := 1; np <= 9; np++ {
		for _, net := range []string{"auto", "tcp"} {
			t.Run(net+"/"+strconv.Itoa(np), func(t *testing.T) {
				suite.Place(t).Must("acprun", "-np", strconv.Itoa(np), "-net", net, program)
			})
		}
	}
	t.Run("three hosts/9", func(t *testing.T) {
		place := suite.Place(t)
		place.Hosts(3)
		place.Must("acprun", "-np", "9", "-nodefile", place.Nodefile(0, 1, 2), program)
	})
}

// TestReset rotates the ranks, within a job and over jobs and hosts.
func TestReset(t *testing.T) {
	program := suite.C(t, "reset")
	for _, np := range []int{1, 2, 3, 4, 7} {
		for _, net := range []string{"auto", "tcp"} {
			t.Run(net+"/"+strconv.Itoa(np), func(t *testing.T) {
				suite.Place(t).Must("acprun", "-np", strconv.Itoa(np), "-net", net, program)
			})
		}
	}
	t.Run("two jobs on two hosts", func(t *testing.T) {
		place := suite.Place(t)
		place.Hosts(2)
		place.MustRead(jobs(job{"acprun", 2, program}, job{"acprun", 2, program}), "macprun", "-nodefile", place.Nodefile(0, 1, 1, 0))
	})
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			suite.Place(t).MustRead(jobs(job{mpi.Mpirun, 2, suite.CMPI(t, "reset", mpi)}, job{"acprun", 2, program}), "macprun")
		})
	}
}

// TestCounter lets all ranks and the processor of the owner change the same integers.
func TestCounter(t *testing.T) {
	program := suite.C(t, "counter")
	for _, np := range []int{1, 2, 3, 4, 7} {
		for _, net := range []string{"auto", "tcp"} {
			t.Run(net+"/"+strconv.Itoa(np), func(t *testing.T) {
				suite.Place(t).Must("acprun", "-np", strconv.Itoa(np), "-net", net, program, "2000")
			})
		}
	}
	t.Run("two hosts/4", func(t *testing.T) {
		place := suite.Place(t)
		place.Hosts(2)
		place.Must("acprun", "-np", "4", "-nodefile", place.Nodefile(0, 0, 1, 1), program, "2000")
	})
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			suite.Place(t).MustRead(jobs(job{mpi.Mpirun, 2, suite.CMPI(t, "counter", mpi)}, job{"acprun", 2, program}), "macprun")
		})
	}
}
