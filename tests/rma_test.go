package tests

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goacp/goacp/tests/harness"
)

// windowed runs a program in mode rma, in jobs with these numbers of ranks.
func windowed(t *testing.T, sandbox *harness.Sandbox, mpi harness.MPI, sizes []int, program string, options ...string) *harness.Result {
	t.Helper()
	var all []job
	for _, size := range sizes {
		all = append(all, job{mpi.Mpirun, size, program})
	}
	r := sandbox.Run(jobs(all...), append([]string{"macprun", "-net", "rma"}, options...)...)
	if r.Status != 0 {
		t.Error(r)
	}
	return r
}

// TestWindows repeats the tests of the other fabrics between the processes of one job, and of three
// jobs that are joined.
func TestWindows(t *testing.T) {
	t.Parallel()
	for _, kind := range []struct {
		mpi   string
		sizes []int
	}{{"openmpi", []int{1}}, {"openmpi", []int{2}}, {"openmpi", []int{3}}, {"openmpi", []int{1, 1, 1}}, {"mpich", []int{1}}, {"mpich", []int{2}}} {
		name := kind.mpi
		for _, size := range kind.sizes {
			name += "+" + strconv.Itoa(size)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mpi := suite.NeedMPI(t, kind.mpi)
			sandbox := suite.Sandbox(t)
			run := func(program string, options ...string) { windowed(t, sandbox, mpi, kind.sizes, program, options...) }
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

// TestWindowsOfHosts compares random chains of copies and atomics with a sequential model. Operations on
// the other host wait for a flush, those on the same host do not.
func TestWindowsOfHosts(t *testing.T) {
	seed := strconv.FormatUint(rand.Uint64(), 10)
	t.Log("seed", seed)
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			program := suite.GoMPI(t, "orders", mpi) + " -rounds 2 -seed " + seed
			sandbox := suite.Sandbox(t)
			sandbox.Hosts(2)
			sandbox.Env = append(sandbox.Env, "UCX_TLS=tcp,self")
			for _, ranks := range [][]int{{0, 1}, {0, 0, 1}} {
				windowed(t, sandbox, mpi, []int{len(ranks)}, program, "-smemsize", "32k", "-nodefile", sandbox.Nodefile(ranks...))
			}
		})
	}
}

// TestKilledTargetOfWindows kills a rank on another host while operations on its memory wait for a
// flush. MPI may never complete it, or report an error before the launcher detects the death.
func TestKilledTargetOfWindows(t *testing.T) {
	mpi := suite.NeedMPI(t, "openmpi")
	program := suite.CMPI(t, "putting", mpi)
	sandbox := suite.Sandbox(t)
	sandbox.Hosts(2)
	sandbox.Env = append(sandbox.Env, "UCX_TLS=tcp,self")
	run := sandbox.StartRead(strings.NewReader(jobs(job{mpi.Mpirun, 2, program})), "macprun", "-net", "rma", "-nodefile", sandbox.Nodefile(0, 1))
	ready(t, run, 2)
	target := 0
	for _, p := range sandbox.Processes() {
		environment, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.PID))
		if strings.Contains(p.String(), "("+program) && strings.Contains(string(environment), "\x00OMPI_COMM_WORLD_RANK=1\x00") {
			target = p.PID
		}
	}
	if target == 0 {
		t.Fatalf("rank 1 is not among %v", sandbox.Processes())
	}
	fault(t, sandbox, run, target, afterNameServer, `rank \d \(job \d \S+, host host\d, pid \d+\) (killed by signal 9|died|aborted: acp: acp_copy.*: MPI_\w+: )`)
}

// TestMixture lets threads of C use windows at once, directly and by the library.
func TestMixture(t *testing.T) {
	t.Parallel()
	seed := strconv.FormatUint(rand.Uint64(), 10)
	t.Log("seed", seed)
	const memory = "256k"
	for _, net := range []string{"shm", "tcp"} {
		suite.Sandbox(t).Must("acprun", "-np", "2", "-net", net, "-smemsize", memory, suite.C(t, "mixture"), seed)
	}
	for _, kind := range []struct {
		mpi   string
		sizes []int
	}{{"openmpi", []int{2}}, {"openmpi", []int{3}}, {"openmpi", []int{1, 1}}, {"mpich", []int{2}}} {
		mpi := suite.NeedMPI(t, kind.mpi)
		windowed(t, suite.Sandbox(t), mpi, kind.sizes, suite.CMPI(t, "mixture", mpi)+" "+seed, "-smemsize", memory)
	}
}

// TestBeyondWindow copies one byte too many.
func TestBeyondWindow(t *testing.T) {
	t.Parallel()
	mpi := suite.NeedMPI(t, "openmpi")
	program := suite.CMPI(t, "mixture", mpi) + " 1 beyond"
	r := suite.Sandbox(t).Run(jobs(job{mpi.Mpirun, 2, program}), "macprun", "-net", "rma", "-smemsize", "256k")
	if r.Status == 0 || !strings.Contains(r.Stderr, "acp_copy(") || !strings.Contains(r.Stderr, "size=65") || !strings.Contains(r.Stderr, "bad global address") {
		t.Error(r)
	}
}

// TestWindowsOnHosts does the same between hosts. There is one job on each host, or one job on both if
// the MPI may not be able to join jobs on several hosts (Open MPI 5 with PRRTE 3.0.8).
func TestWindowsOnHosts(t *testing.T) {
	mpi := suite.NeedMPI(t, "openmpi")
	sandbox := suite.Sandbox(t)
	sandbox.Hosts(2)
	// UCX would treat processes on both hosts as processes of one host, and not use the network.
	sandbox.Env = append(sandbox.Env, "UCX_TLS=tcp,self")
	nodefile := sandbox.Nodefile(0, 1)
	sizes := []int{1, 1}
	if joinServerOf(t, mpi).kind == "DVM" {
		sizes = []int{2}
	}
	r := windowed(t, sandbox, mpi, sizes, suite.CMPI(t, "gma_matrix", mpi), "-smemsize", matrixMemory, "-nodefile", nodefile, "-verbose")
	if !strings.Contains(r.Stderr, "rma") {
		t.Errorf("the output does not name rma: %v", r)
	}
	windowed(t, sandbox, mpi, sizes, suite.CMPI(t, "allgather", mpi), "-nodefile", nodefile)
	windowed(t, sandbox, mpi, sizes, suite.CMPI(t, "reset", mpi), "-nodefile", nodefile)
	windowed(t, sandbox, mpi, sizes, suite.CMPI(t, "counter", mpi)+" 100 acp", "-nodefile", nodefile)
}

// TestBusyTarget: ranks change the memory of a rank that computes and calls neither ACP nor MPI.
func TestBusyTarget(t *testing.T) {
	for _, kind := range []struct {
		mpi   string
		sizes []int
	}{{"openmpi", []int{2}}, {"openmpi", []int{1, 1}}, {"mpich", []int{2}}} {
		mpi := suite.NeedMPI(t, kind.mpi)
		t.Log(kind.mpi, kind.sizes, windowed(t, suite.Sandbox(t), mpi, kind.sizes, suite.CMPI(t, "busy", mpi)).Stdout)
	}
}

// TestRegistrations registers more memory than there are windows for.
func TestRegistrations(t *testing.T) {
	t.Parallel()
	for _, net := range []string{"auto", "tcp"} {
		suite.Sandbox(t).Must("acprun", "-np", "2", "-net", net, "-smemsize", "1m", suite.C(t, "registrations"), "1000")
	}
	mpi := suite.NeedMPI(t, "openmpi")
	windowed(t, suite.Sandbox(t), mpi, []int{2}, suite.CMPI(t, "registrations", mpi)+" 10000", "-smemsize", "1m")
}

// TestSameNumbers runs one program over every fabric.
func TestSameNumbers(t *testing.T) {
	t.Parallel()
	mpi := suite.NeedMPI(t, "openmpi")
	program := suite.CMPI(t, "digest", mpi)
	var want string
	for _, net := range []string{"auto", "shm", "rma", "tcp"} {
		got := suite.Sandbox(t).MustRead(jobs(job{mpi.Mpirun, 2, program}, job{mpi.Mpirun, 1, program}), "macprun", "-net", net)
		if want == "" {
			want = got
		}
		if got != want || !strings.HasPrefix(got, "digest ") {
			t.Errorf("-net %s: %q, expected %q", net, got, want)
		}
	}
}

// TestKilledInWindows kills each rank of three joined jobs while other ranks use its memory or wait for
// it.
func TestKilledInWindows(t *testing.T) {
	mpi := suite.NeedMPI(t, "openmpi")
	for _, way := range []string{"sync", "complete"} {
		for victim := range 3 {
			t.Run(way+"/"+strconv.Itoa(victim), func(t *testing.T) {
				one := job{mpi.Mpirun, 1, suite.CMPI(t, "waiting", mpi) + " " + way}
				sandbox := suite.Sandbox(t)
				run := sandbox.StartRead(strings.NewReader(jobs(one, one, one)), "macprun", "-net", "rma")
				pids := ready(t, run, 3)
				fault(t, sandbox, run, pids[victim], afterRankInWindows, killed(victim, victim, pids[victim]))
			})
		}
	}
}

// afterRankInWindows is the time that a run may last after the loss of a rank for which other ranks wait
// in MPI.
const afterRankInWindows = 5 * time.Second
