package tests

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// TestAllGather runs the sample of the basic-layer paper on 1 to 9 ranks.
func TestAllGather(t *testing.T) {
	program := suite.C(t, "allgather")
	for np := 1; np <= 9; np++ {
		for _, net := range []string{"auto", "tcp"} {
			t.Run(net+"/"+strconv.Itoa(np), func(t *testing.T) {
				suite.Sandbox(t).Must("acprun", "-np", strconv.Itoa(np), "-net", net, program)
			})
		}
	}
	t.Run("three hosts/9", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(3)
		sandbox.Must("acprun", "-np", "9", "-nodefile", sandbox.Nodefile(0, 1, 2), program)
	})
}

// TestReset rotates the ranks, within a job and over jobs and hosts.
func TestReset(t *testing.T) {
	t.Parallel()
	program := suite.C(t, "reset")
	for _, np := range []int{1, 2, 3, 4, 7} {
		for _, net := range []string{"auto", "tcp"} {
			t.Run(net+"/"+strconv.Itoa(np), func(t *testing.T) {
				suite.Sandbox(t).Must("acprun", "-np", strconv.Itoa(np), "-net", net, program)
			})
		}
	}
	t.Run("two jobs on two hosts", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(2)
		sandbox.MustRead(jobs(job{"acprun", 2, program}, job{"acprun", 2, program}), "macprun", "-nodefile", sandbox.Nodefile(0, 1, 1, 0))
	})
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			suite.Sandbox(t).MustRead(jobs(job{mpi.Mpirun, 2, suite.CMPI(t, "reset", mpi)}, job{"acprun", 2, program}), "macprun")
		})
	}
}

// TestCounter lets all ranks and the processor of the owner change the same integers.
func TestCounter(t *testing.T) {
	t.Parallel()
	program := suite.C(t, "counter")
	for _, np := range []int{1, 2, 3, 4, 7} {
		for _, net := range []string{"auto", "tcp"} {
			t.Run(net+"/"+strconv.Itoa(np), func(t *testing.T) {
				suite.Sandbox(t).Must("acprun", "-np", strconv.Itoa(np), "-net", net, program, "2000")
			})
		}
	}
	t.Run("two hosts/4", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(2)
		sandbox.Must("acprun", "-np", "4", "-nodefile", sandbox.Nodefile(0, 0, 1, 1), program, "2000")
	})
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			suite.Sandbox(t).MustRead(jobs(job{mpi.Mpirun, 2, suite.CMPI(t, "counter", mpi)}, job{"acprun", 2, program}), "macprun")
		})
	}
}

// TestDivergence lets one rank call another collective function than all other ranks. The run
// must end with one line that names both calls.
func TestDivergence(t *testing.T) {
	t.Parallel()
	for _, call := range []struct{ way, name string }{
		{"finalize", "acp_finalize"}, {"reset", "acp_reset"}, {"create", "acp_create_ws"},
	} {
		program := func(rank int, file string) string { return fmt.Sprintf("%s %d %s", file, rank, call.way) }
		want := func(rank int) string {
			if rank == 0 {
				return "rank 1 called acp_sync while rank 0 called " + call.name
			}
			return fmt.Sprintf("rank %d called %s while rank 0 called acp_sync", rank, call.name)
		}
		for _, net := range []string{"auto", "tcp"} {
			for _, rank := range []int{0, 2} {
				t.Run(fmt.Sprintf("%s/%s/%d", call.way, net, rank), func(t *testing.T) {
					argv := strings.Fields(program(rank, suite.C(t, "diverge")))
					diverged(t, suite.Sandbox(t).Run("", append([]string{"acprun", "-np", "4", "-net", net}, argv...)...), want(rank))
				})
			}
		}
		t.Run(call.way+"/two hosts", func(t *testing.T) {
			for _, rank := range []int{0, 3} {
				sandbox := suite.Sandbox(t)
				sandbox.Hosts(2)
				argv := strings.Fields(program(rank, suite.C(t, "diverge")))
				diverged(t, sandbox.Run("", append([]string{"acprun", "-np", "4", "-nodefile", sandbox.Nodefile(0, 0, 1, 1)}, argv...)...), want(rank))
			}
		})
		for _, name := range []string{"openmpi", "mpich"} {
			t.Run(call.way+"/"+name, func(t *testing.T) {
				mpi := suite.NeedMPI(t, name)
				file := suite.CMPI(t, "diverge", mpi)
				sandbox := suite.Sandbox(t)
				diverged(t, sandbox.Run("", "/bin/sh", "-c", sandbox.Mpirun(mpi)+" -np 3 "+program(2, file)), want(2))
				diverged(t, suite.Sandbox(t).Run(jobs(job{mpi.Mpirun, 2, program(2, file)}, job{"acprun", 2, program(2, suite.C(t, "diverge"))}), "macprun"), want(2))
			})
		}
	}
}

// TestEndedRank lets one rank end without acp_finalize while the other ranks wait in acp_sync.
// The run must end, and the launcher or a rank must name the rank.
func TestEndedRank(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"exit", "return", "mpi"} {
		if way != "mpi" {
			t.Run(way+"/acprun", func(t *testing.T) {
				sandbox := suite.Sandbox(t)
				diverged(t, sandbox.Run("", "acprun", "-np", "3", suite.C(t, "diverge"), "1", way), "ended with status 0 without acp_finalize")
			})
			t.Run(way+"/two hosts", func(t *testing.T) {
				sandbox := suite.Sandbox(t)
				sandbox.Hosts(2)
				diverged(t, sandbox.Run("", "acprun", "-np", "3", "-nodefile", sandbox.Nodefile(0, 1, 1), suite.C(t, "diverge"), "1", way), "ended with status 0 without acp_finalize")
			})
		}
		for _, name := range []string{"openmpi", "mpich"} {
			t.Run(way+"/mpirun/"+name, func(t *testing.T) {
				mpi := suite.NeedMPI(t, name)
				sandbox := suite.Sandbox(t)
				want := "acp: rank 1 ended without acp_finalize\n"
				if way == "mpi" {
					want = "acp: rank 1 called MPI_Finalize without acp_finalize while rank 2 waits for it"
				}
				diverged(t, sandbox.Run("", "/bin/sh", "-c", sandbox.Mpirun(mpi)+" -np 3 "+suite.CMPI(t, "diverge", mpi)+" 1 "+way), want)
			})
			t.Run(way+"/macprun/"+name, func(t *testing.T) {
				mpi := suite.NeedMPI(t, name)
				want := "ended with status 0 without acp_finalize"
				if way == "mpi" {
					want = "rank 1 called MPI_Finalize without acp_finalize while rank 0 waits for it"
				}
				args := " 1 " + way
				diverged(t, suite.Sandbox(t).Run(jobs(job{mpi.Mpirun, 2, suite.CMPI(t, "diverge", mpi) + args}, job{"acprun", 1, suite.C(t, "diverge") + args}), "macprun"), want)
			})
		}
	}
}

// diverged checks that a run has ended with one line that names the two calls.
func diverged(t *testing.T, r *harness.Result, difference string) {
	t.Helper()
	if r.Status == 0 || strings.Contains(r.Stdout, "all is well") {
		t.Errorf("ended with status 0: %v", r)
	}
	if n := strings.Count(r.Stderr, difference); n != 1 {
		t.Errorf("%d times %q, expected it once: %v", n, difference, r)
	}
}
