package tests

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A launcher that speaks PMI starts programs without MPI as a run. Hydra of MPICH is one.

// TestPMI starts a program on one host and on two.
func TestPMI(t *testing.T) {
	mpich := suite.NeedMPI(t, "mpich")
	for _, hosts := range []int{1, 2} {
		t.Run(fmt.Sprintf("%d", hosts), func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			argv := []string{mpich.Mpirun, "-n", "4"}
			if hosts == 2 {
				sandbox.Hosts(2)
				// The last entry of ACP_RSH is the remote shell of the sandbox.
				_, agent, _ := strings.Cut(sandbox.Env[len(sandbox.Env)-1], "=")
				argv = append(argv, "-launcher", "ssh", "-launcher-exec", agent, "-hosts", "host0,host1")
			}
			r := sandbox.Run("", append(argv, suite.Example(t, "hello_world_acp"))...)
			if r.Status != 0 || strings.Count(r.Stdout, " of 4") != 4 {
				t.Error(r)
			}
		})
	}
}

// TestPMIKilled kills a rank. The run ends.
func TestPMIKilled(t *testing.T) {
	mpich := suite.NeedMPI(t, "mpich")
	for _, rank := range []int{0, 2} {
		sandbox := suite.Sandbox(t)
		run := sandbox.Start(mpich.Mpirun, "-n", "3", suite.C(t, "waiting"))
		pids := ready(t, run, 3)
		begin := time.Now()
		if err := syscall.Kill(pids[rank], syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if r := run.Wait(); r.Status == 0 {
			t.Errorf("rank %d was killed, and the launcher ends with status 0: %v", rank, r)
		}
		sandbox.GoneWithin(begin, 2*time.Second)
	}
}

// TestPMIOfParent: a program that a rank starts is no rank.
func TestPMIOfParent(t *testing.T) {
	t.Parallel()
	mpich := suite.NeedMPI(t, "mpich")
	sandbox := suite.Sandbox(t)
	script := sandbox.Script("parent", fmt.Sprintf("exec %s %s\n", suite.Bin(t, "acprun"), suite.Example(t, "hello_world_acp")))
	r := sandbox.Run("", mpich.Mpirun, "-n", "2", script)
	if r.Status != 0 || strings.Count(r.Stdout, " of 1") != 2 {
		t.Error(r)
	}
}

// TestPMIWithoutSocket: if a launcher does not let the processes find each other, a message
// names it.
func TestPMIWithoutSocket(t *testing.T) {
	sandbox := suite.Sandbox(t)
	sandbox.Env = append(sandbox.Env, "SLURM_PROCID=1", "SLURM_STEP_NUM_TASKS=4")
	r := sandbox.Run("", suite.Example(t, "hello_world_acp"))
	const want = "started by Slurm with 4 processes, which it does not let find each other: use srun --mpi=pmi2 or --mpi=pmix, or start the program with acprun"
	if r.Status == 0 || !strings.Contains(r.Stderr, want) {
		t.Errorf("%v; expected %q", r, want)
	}
}
