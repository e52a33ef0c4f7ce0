package tests

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// halves is a program whose worlds of ARMCI are the processes of communicators of MPI.
type halves struct {
	mpi  harness.MPI
	path string
}

// forEachHalves runs a test with the program of each MPI, in parallel.
func forEachHalves(t *testing.T, test func(t *testing.T, h halves)) {
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mpi := suite.NeedMPI(t, name)
			test(t, halves{mpi, suite.CAtMPI(t, "tests/programs/armci/halves", mpi, "-larmci")})
		})
	}
}

// run lets np processes do things, by the launcher of MPI.
func (h halves) run(sandbox *harness.Sandbox, np int, things string) *harness.Result {
	return sandbox.Run("", "/bin/sh", "-c", fmt.Sprintf("%s -n %d %s %s", sandbox.Mpirun(h.mpi), np, h.path, things))
}

// end fails the test unless np processes have reached the end.
func (h halves) end(t *testing.T, things, out string, np int) {
	t.Helper()
	if strings.Count(out, "done") != np {
		t.Errorf("%s: expected %d processes at the end:\n%s", things, np, out)
	}
}

// TestARMCIOfCommunicators: the processes of a communicator are a world, halves of all processes one
// after the other and at the same time, again and again, near and far.
func TestARMCIOfCommunicators(t *testing.T) {
	t.Parallel()
	forEachHalves(t, func(t *testing.T, h halves) {
		for _, net := range []string{"auto", "tcp"} {
			for _, np := range []int{1, 3, 4} {
				for _, things := range []string{
					"turns both reversed self whole freed counts job acp turns",
					"both unfinished", // MPI_Finalize ends the second world
					"within",          // a run that the program has begun
				} {
					sandbox := suite.Sandbox(t)
					sandbox.Env = append(sandbox.Env, "ACP_NET="+net)
					r := h.run(sandbox, np, things)
					if h.end(t, things, r.Stdout, np); r.Status != 0 {
						t.Errorf("%d processes, %s: %v", np, things, r)
					}
				}
			}
		}
	})
}

// TestARMCIOfCommunicatorsInRun: a launcher of several jobs has no part in worlds of communicators. If
// the processes are in its run, the world is a part of that.
func TestARMCIOfCommunicatorsInRun(t *testing.T) {
	t.Parallel()
	forEachHalves(t, func(t *testing.T, h halves) {
		for _, things := range []string{"turns both acp", "within"} {
			command := h.path + " " + things
			out := suite.Sandbox(t).MustRead(jobs(job{h.mpi.Mpirun, 4, command}, job{h.mpi.Mpirun, 2, command}), "macprun")
			h.end(t, things, out, 6)
		}
	})
}

// TestARMCIOfCommunicatorsLost: a process that dies ends the run.
func TestARMCIOfCommunicatorsLost(t *testing.T) {
	t.Parallel()
	forEachHalves(t, func(t *testing.T, h halves) {
		sandbox := suite.Sandbox(t)
		// When a process was killed, mpirun of Open MPI 4 now and then never ends: it waits in
		// PMIx_server_finalize for a thread of its own that waits for a lock. Then it is killed, and
		// leaves its files. Processes of the world that do not end are found.
		const command = `timeout -s KILL 60 %s -n 3 %s killed; status=$?; rm -rf "$TMPDIR"/ompi.*; exit $status`
		r := sandbox.Run("", "/bin/sh", "-c", fmt.Sprintf(command, sandbox.Mpirun(h.mpi), h.path))
		if r.Status == 0 || strings.Contains(r.Stdout, "done") {
			t.Errorf("a process was killed: %v", r)
		}
	})
}

// TestARMCIOfNoProcesses: an invalid communicator is an error.
func TestARMCIOfNoProcesses(t *testing.T) {
	t.Parallel()
	forEachHalves(t, func(t *testing.T, h halves) {
		for thing, reason := range map[string]string{"null": "MPI_COMM_NULL", "inter": "an intercommunicator"} {
			sandbox := suite.Sandbox(t)
			r := h.run(sandbox, 2, thing)
			if r.Status == 0 || !strings.Contains(r.Stderr, "armci: ARMCI_Init_mpi_comm(comm=") || !strings.Contains(r.Stderr, reason) {
				t.Errorf("expected a line with %q: %v", reason, r)
			}
			sandbox.Env = append(sandbox.Env, "ARMCI_ERRORS=return")
			if r := h.run(sandbox, 2, thing); r.Status != 0 || strings.Count(r.Stdout, "0 -5\n") != 2 {
				t.Errorf("%s: expected 0 and -5 twice: %v", thing, r)
			}
		}
	})
}
