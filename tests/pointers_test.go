package tests

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// TestPointers writes and reads global pointer arrays of random shapes: in one job, between jobs, and
// between hosts.
func TestPointers(t *testing.T) {
	program := suite.CAt(t, "tests/programs/pointers", "-lgp")
	for _, net := range []string{"shm", "tcp"} {
		for _, np := range []int{1, 2, 4, 5} {
			t.Run(net+"/"+strconv.Itoa(np), func(t *testing.T) {
				out := suite.Sandbox(t).Must("acprun", "-np", strconv.Itoa(np), "-net", net, program)
				lines(t, out, fmt.Sprintf("%d ranks: 8 arrays$", np))
			})
		}
	}
	t.Run("two hosts", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(2)
		lines(t, sandbox.Must("acprun", "-np", "3", "-nodefile", sandbox.Nodefile(0, 0, 1), program), "3 ranks: 8 arrays$")
	})
}

// TestPointersWithMPI does the same between the processes of two MPI jobs, and by windows of MPI.
func TestPointersWithMPI(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			program := suite.CAtMPI(t, "tests/programs/pointers", mpi, "-lgp")
			out := suite.Sandbox(t).MustRead(jobs(job{mpi.Mpirun, 2, program}, job{mpi.Mpirun, 2, program}), "macprun")
			lines(t, out, "4 ranks: 8 arrays$")
			out = suite.Sandbox(t).MustRead(jobs(job{mpi.Mpirun, 3, program}), "macprun", "-net", "rma")
			lines(t, out, "3 ranks: 8 arrays$")
		})
	}
}

// TestSharedPointers runs programs in C and in Go that make one array together.
func TestSharedPointers(t *testing.T) {
	inC, inGo := suite.CAt(t, "tests/programs/shared_pointers", "-lgp"), suite.Go(t, "shared_pointers")
	for _, net := range []string{"shm", "tcp"} {
		t.Run(net, func(t *testing.T) {
			out := suite.Sandbox(t).MustRead(jobs(job{"acprun", 2, inC}, job{"acprun", 2, inGo}), "macprun", "-net", net)
			lines(t, out, "rank 0 in C: 10 bytes$", "rank 1 in C: 10 bytes$", "rank 2 in Go: 10 bytes$", "rank 3 in Go: 10 bytes$")
		})
	}
}

// TestPointersMissing: a rank whose program is without global pointer arrays is named.
func TestPointersMissing(t *testing.T) {
	with, without := suite.CAt(t, "tests/programs/shared_pointers", "-lgp"), suite.Go(t, "waiting")
	r := suite.Sandbox(t).Run(jobs(job{"acprun", 1, with}, job{"acprun", 1, without}), "macprun")
	const want = "gp: GP_Create_handle on rank 0: the program of rank 1 is without global pointer arrays\n"
	if r.Status == 0 || !strings.Contains(r.Stderr, want) {
		t.Errorf("%v, want %q", r, want)
	}
}

// TestKilledInGet kills a rank while the other ranks read its elements all the time.
func TestKilledInGet(t *testing.T) {
	program := suite.CAt(t, "tests/programs/pointers", "-lgp")
	for _, net := range []string{"shm", "tcp"} {
		for _, victim := range []int{0, 2} {
			t.Run(fmt.Sprintf("%s/%d", net, victim), func(t *testing.T) {
				sandbox := suite.Sandbox(t)
				run := sandbox.Start("acprun", "-np", "3", "-net", net, program, "1000000", "1", "say")
				pids := ready(t, run, 3)
				fault(t, sandbox, run, pids[victim], afterRank, killed(victim, 0, pids[victim]))
			})
		}
	}
}

// TestPointersKilled kills the rank whose elements the other ranks use, or for which they wait, in
// each kind of call.
func TestPointersKilled(t *testing.T) {
	program := suite.CAt(t, "tests/programs/pointerwaits", "-lgp")
	for _, net := range []string{"shm", "tcp"} {
		for _, way := range []string{
			"size", "get", "getshort", "getto", "put", "putshort", "gathersize", "gather", "gatherto", "scatter", "records",
			"sync", "allocate", "destroy", "memzero", "terminate",
		} {
			t.Run(net+"/"+way, func(t *testing.T) {
				sandbox := suite.Sandbox(t)
				run := sandbox.Start("acprun", "-np", "3", "-net", net, program, way)
				pids := ready(t, run, 3)
				fault(t, sandbox, run, pids[0], afterRank, killed(0, 0, pids[0]))
			})
		}
	}
}

// TestSparse multiplies and transposes a sparse matrix. The program checks the products.
func TestSparse(t *testing.T) {
	t.Parallel()
	const source = "examples/gp/sparse"
	program, right := suite.CAt(t, source, "-lgp"), `1000 points: the products of 10 transpositions are right$`
	for _, net := range []string{"shm", "tcp"} {
		t.Run(net, func(t *testing.T) {
			out := suite.Sandbox(t).Must("acprun", "-np", "2", "-net", net, program, "10")
			lines(t, out, `rank 0 of 2: 2 blocks, \d+ bytes$`, `rank 1 of 2: 2 blocks, \d+ bytes$`, right)
		})
	}
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			program := suite.CAtMPI(t, source, mpi, "-lgp") + " 10"
			out := suite.Sandbox(t).MustRead(jobs(job{mpi.Mpirun, 1, program}, job{mpi.Mpirun, 1, program}), "macprun")
			lines(t, out, `rank 0 of 2: 2 blocks, \d+ bytes$`, `rank 1 of 2: 2 blocks, \d+ bytes$`, right)
		})
	}
}

// TestAdjacency lets two MPI jobs count the triangles of one graph. The program checks the number.
func TestAdjacency(t *testing.T) {
	t.Parallel()
	const source = "examples/gp/adjacency"
	t.Run("plain", func(t *testing.T) {
		out := suite.Sandbox(t).Must("acprun", "-np", "3", suite.CAt(t, source, "-lgp"), "200")
		lines(t, out, `rank 0 of 3: \d+ triangles$`, `rank 1 of 3: \d+ triangles$`, `rank 2 of 3: \d+ triangles$`,
			`200 vertices, \d+ triangles, as one process counts$`)
	})
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			program := suite.CAtMPI(t, source, mpi, "-lgp") + " 200"
			out := suite.Sandbox(t).MustRead(jobs(job{mpi.Mpirun, 1, program}, job{mpi.Mpirun, 2, program}), "macprun")
			lines(t, out, `rank 0 of 3: \d+ triangles$`, `rank 1 of 3: \d+ triangles$`, `rank 2 of 3: \d+ triangles$`,
				`200 vertices, \d+ triangles, as one process counts$`)
		})
	}
}
