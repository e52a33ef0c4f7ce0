package tests

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goacp/goacp/tests/harness"
)

// A launcher that speaks PMIx starts programs without MPI as a run. mpirun of Open MPI is one.

// pmixRun returns a sandbox and a command of Open MPI that starts n processes in it.
func pmixRun(t *testing.T, n int) (*harness.Sandbox, []string) {
	t.Helper()
	openmpi := suite.NeedMPI(t, "openmpi")
	sandbox := suite.Sandbox(t)
	return sandbox, append(strings.Fields(sandbox.Mpirun(openmpi)), "-n", fmt.Sprint(n))
}

// TestPMIx starts programs in C and in Go.
func TestPMIx(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 4} {
		sandbox, mpirun := pmixRun(t, n)
		for _, program := range []string{suite.Example(t, "hello_world_acp"), suite.GoAt(t, "examples/mixed", "hello_acp")} {
			r := sandbox.Run("", append(mpirun, program)...)
			if r.Status != 0 || strings.Count(r.Stdout, fmt.Sprintf(" of %d,", n)) != n {
				t.Errorf("%d processes: %v", n, r)
			}
		}
	}
}

// TestPMIxHosts starts a program on two hosts, and then another program.
func TestPMIxHosts(t *testing.T) {
	sandbox, mpirun := pmixRun(t, 4)
	sandbox.Hosts(2)
	_, agent, _ := strings.Cut(sandbox.Env[len(sandbox.Env)-1], "=") // ACP_RSH, the remote shell of the sandbox
	mpirun = append(mpirun, "--mca", "plm_rsh_agent", agent, "-host", "host0:2,host1:2")
	r := sandbox.Run("", append(mpirun, "/bin/sh", "-c", `hostname; "$0" && exec "$0"`, suite.Example(t, "hello_world_acp"))...)
	if r.Status != 0 || strings.Count(r.Stdout, " of 4,") != 8 || strings.Count(r.Stdout, "host1\n") != 2 {
		t.Error(r)
	}
}

// TestPMIxKilled kills a rank. The run ends.
func TestPMIxKilled(t *testing.T) {
	for _, rank := range []int{0, 2} {
		sandbox, mpirun := pmixRun(t, 3)
		run := sandbox.Start(append(mpirun, suite.C(t, "waiting"))...)
		pids := ready(t, run, 3)
		begin := time.Now()
		if err := syscall.Kill(pids[rank], syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if r := run.Wait(); r.Status == 0 {
			t.Errorf("rank %d was killed, and the launcher ends with status 0: %v", rank, r)
		}
		sandbox.GoneWithin(begin, 3*time.Second)
	}
}

// TestPMIxEndsEarly: if a process ends before acp_init with a failure, or after it and before acp_finalize with
// any status, the run ends.
func TestPMIxEndsEarly(t *testing.T) {
	t.Parallel()
	for _, rank := range []int{0, 2} {
		sandbox, mpirun := pmixRun(t, 3)
		script := fmt.Sprintf("[ $PMIX_RANK = %d ] && exit 3\nexec %s\n", rank, suite.C(t, "waiting"))
		if r := sandbox.Run("", append(mpirun, sandbox.Script("early", script))...); r.Status != 3 {
			t.Errorf("rank %d, before acp_init: %v", rank, r)
		}
		for _, end := range []string{"exit", "return"} {
			if r := sandbox.Run("", append(mpirun, suite.C(t, "diverge"), fmt.Sprint(rank), end)...); r.Status == 0 || strings.Contains(r.Stdout, "well") {
				t.Errorf("rank %d, %s: %v", rank, end, r)
			}
		}
	}
}

// TestPMIxLauncherKilled kills the launcher, which is the server of its ranks as well. They end.
func TestPMIxLauncherKilled(t *testing.T) {
	sandbox, mpirun := pmixRun(t, 3)
	sandbox.Env = append(sandbox.Env, "OMPI_MCA_orte_tmpdir_base="+t.TempDir()) // mpirun leaves its files there
	run := sandbox.Start(append(mpirun, suite.C(t, "waiting"))...)
	ready(t, run, 3)
	run.Signal(syscall.SIGKILL)
	run.Wait()
	sandbox.GoneWithin(time.Now(), 2*time.Second)
}

// TestPMIxAborts: a rank that aborts ends the other ranks, which do not call the library, and its reason is
// printed.
func TestPMIxAborts(t *testing.T) {
	t.Parallel()
	sandbox, mpirun := pmixRun(t, 3)
	r := sandbox.Run("", append(mpirun, suite.C(t, "giveup"), "1", "compute")...)
	if r.Status == 0 || !strings.Contains(r.Stderr, "no ice") {
		t.Error(r)
	}
}

// TestPMIxApart: the ranks of two launchers are two runs.
func TestPMIxApart(t *testing.T) {
	t.Parallel()
	sandbox, mpirun := pmixRun(t, 2)
	first := sandbox.Start(append(mpirun, suite.C(t, "waiting"))...)
	ready(t, first, 2)
	r := sandbox.Run("", append(mpirun, suite.Example(t, "hello_world_acp"))...)
	if r.Status != 0 || strings.Count(r.Stdout, " of 2,") != 2 {
		t.Error(r)
	}
	first.Signal(syscall.SIGTERM)
	first.Wait()
}

// TestPMIxOfParent: a program that a rank starts is no rank, unless the rank has ended. acprun starts runs.
func TestPMIxOfParent(t *testing.T) {
	sandbox, mpirun := pmixRun(t, 2)
	hello := suite.Example(t, "hello_world_acp")
	script := sandbox.Script("parent", fmt.Sprintf(`
%s >$PMIX_RANK.output &
until grep -q ' pid ' $PMIX_RANK.output; do sleep 0.02; done
%s; echo "status $?"
%s %s; echo "status $?"
wait
`, suite.C(t, "waiting"), hello, suite.Bin(t, "acprun"), hello))
	run := sandbox.Start(append(mpirun, script)...)
	text := run.Output(func(text string) bool { return strings.Count(text, "status ") == 4 })
	if strings.Count(text, "status 1\n") != 2 || strings.Count(text, "status 0\n") != 2 || strings.Count(text, " of 1,") != 2 {
		t.Errorf("%s", text)
	}
	run.Signal(syscall.SIGTERM)
	if r := run.Wait(); strings.Count(r.Stderr, "of this job already: a program that it starts is no process of the job") != 2 {
		t.Error(r)
	}
}

// TestPMIxSucceeding: programs that run one after the other in the processes of a job are one run each, also if
// a process begins late, or notifies its launcher late of the end of its first program.
func TestPMIxSucceeding(t *testing.T) {
	t.Parallel()
	hello := suite.Example(t, "hello_world_acp")
	late := filepath.Join(t.TempDir(), "late.so")
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", late, suite.Source("tests", "testdata", "late.c")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, format := range map[string]string{
		"at once":     "%[1]s && exec %[1]s\n",
		"begins late": "%[1]s || exit\n[ $PMIX_RANK = 0 ] && sleep 2.5\n%[1]s && exec %[1]s\n",
		"ends late":   "[ $PMIX_RANK = 1 ] && export LD_PRELOAD=" + late + "\n%[1]s || exit\nunset LD_PRELOAD\nexec %[1]s\n",
	} {
		t.Run(name, func(t *testing.T) {
			sandbox, mpirun := pmixRun(t, 3)
			script := fmt.Sprintf(format, hello)
			r := sandbox.Run("", append(mpirun, sandbox.Script("turns", script))...)
			if r.Status != 0 || strings.Count(r.Stdout, " of 3,") != 3*strings.Count(script, hello) {
				t.Error(r)
			}
		})
	}
}

// TestPMIxMissing: without libpmix ranks do not become runs of their own. Programs that need no libpmix do
// without.
func TestPMIxMissing(t *testing.T) {
	t.Parallel()
	const missing = "ACP_PMIX_LIBRARY=/nonexistent/libpmix.so.2"
	sandbox, mpirun := pmixRun(t, 2)
	sandbox.Env = append(sandbox.Env, missing)
	r := sandbox.Run("", append(mpirun, suite.Example(t, "hello_world_acp"))...)
	const want = "libpmix cannot be loaded: /nonexistent/libpmix.so.2: cannot open shared object file: No such file or directory: install libpmix2 (Debian) or pmix (Fedora)"
	if r.Status == 0 || strings.Count(r.Stderr, want) == 0 || strings.Contains(r.Stdout, " of ") {
		t.Errorf("%v; expected %q", r, want)
	}
	r = sandbox.Run("", append(mpirun, suite.ExampleMPI(t, "hello_world_macp", suite.NeedMPI(t, "openmpi")))...)
	if r.Status != 0 || strings.Count(r.Stdout, " of 2") < 2 {
		t.Errorf("with MPI: %v", r)
	}
	sandbox, mpirun = pmixRun(t, 1)
	sandbox.Env = append(sandbox.Env, missing)
	r = sandbox.Run("", append(mpirun, suite.Example(t, "hello_world_acp"))...)
	if r.Status != 0 || strings.Count(r.Stdout, " of 1,") != 1 {
		t.Errorf("one process: %v", r)
	}
}

// TestPMIxAroundPMI: of two launchers, one of which has started the other, the inner launcher is used.
func TestPMIxAroundPMI(t *testing.T) {
	t.Parallel()
	sandbox, outer := pmixRun(t, 2)
	hydra := []string{suite.NeedMPI(t, "mpich").Mpirun, "-n", "2"}
	// Two mpirun of Open MPI that start together in one TMPDIR fail if both try to make a folder there.
	alone := sandbox.Script("alone", "export TMPDIR=$(mktemp -d)\n\"$@\"\nstatus=$?\nrm -r $TMPDIR\nexit $status\n")
	hello := suite.Example(t, "hello_world_acp")
	for _, argv := range [][]string{append(append(outer, hydra...), hello), slices.Concat(hydra, []string{alone}, outer, []string{hello})} {
		r := sandbox.Run("", argv...)
		if r.Status != 0 || strings.Count(r.Stdout, " of 2,") != 4 {
			t.Error(r)
		}
	}
}
