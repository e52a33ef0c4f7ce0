package tests

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// windowed runs a program in mode rma, in jobs of so many ranks each.
func windowed(t *testing.T, place *harness.Place, mpi harness.MPI, sizes []int, program string, options ...string) *harness.Result {
	t.Helper()
	var all []job
	for _, size := range sizes {
		all = append(all, job{mpi.Mpirun, size, program})
	}
	r := place.Run(jobs(all...), append([]string{"macprun", "-net", "rma"}, options...)...)
	if r.Status != 0 {
		t.Error(r)
	}
	return r
}

// TestWindows does what the tests of the other fabrics do between the processes of one
// job, and of three jobs that are joined.
func TestWindows(t *testing.T) {
	for _, kind := range []struct {
		mpi   string
		sizes []int
	}{{"openmpi", []int{1}}, {"openmpi", []int{2}}, {"openmpi", []int{3}}, {"openmpi", []int{1, 1, 1}}, {"mpich", []int{1}}, {"mpich", []int{2}}} {
		name := kind.mpi
		for _, size := range kind.sizes {
			name += "+" + strconv.Itoa(size)
		}
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, kind.mpi)
			place := suite.Place(t)
			run := func(program string, options ...string) { windowed(t, place, mpi, kind.sizes, program, options...) }
			run(suite.CMPI(t, "gma_matrix", mpi), "-smemsize", matrixMemory)
			run(suite.CMPI(t, "allgather", mpi))
			run(suite.CMPI(t, "reset", mpi))
			run(suite.CMPI(t, "counter", mpi) + " 100 acp")
			seed := strconv.FormatUint(rand.Uint64(), 10)
			t.Log("seed", seed)
			run(suite.GoMPI(t, "orders", mpi)+" -seed "+seed, "-smemsize", "32k")
		})
	}
}

// TestWindowsOnHosts does the same between hosts, with one job on each.
func TestWindowsOnHosts(t *testing.T) {
	mpi := suite.NeedMPI(t, "openmpi")
	place := suite.Place(t)
	place.Hosts(2)
	// UCX takes processes on both for neighbours, and would not use the network.
	place.Env = append(place.Env, "UCX_TLS=tcp,self")
	nodefile := place.Nodefile(0, 1)
	sizes := []int{1, 1}
	r := windowed(t, place, mpi, sizes, suite.CMPI(t, "gma_matrix", mpi), "-smemsize", matrixMemory, "-nodefile", nodefile, "-verbose")
	if !strings.Contains(r.Stderr, "rma") {
		t.Errorf("no word of rma: %v", r)
	}
	windowed(t, place, mpi, sizes, suite.CMPI(t, "allgather", mpi), "-nodefile", nodefile)
	windowed(t, place, mpi, sizes, suite.CMPI(t, "reset", mpi), "-nodefile", nodefile)
	windowed(t, place, mpi, sizes, suite.CMPI(t, "counter", mpi)+" 100 acp", "-nodefile", nodefile)
}
