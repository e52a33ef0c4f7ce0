package tests

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goacp/goacp/tests/harness"
)

// afterNameServer is the time that a run may last after the loss of the name server.
const afterNameServer = 5 * time.Second

// joinRuns is how often TestJoining joins three jobs. Every time must succeed.
const joinRuns = 20

// inUniverse checks that the ranks of each list are numbers 0, 1 … of one universe, and that no
// other rank is in one.
func inUniverse(t *testing.T, output string, total int, universes ...[]int) {
	t.Helper()
	want := make([]string, total)
	for rank := range want {
		want[rank] = fmt.Sprintf("rank %d: in no universe", rank)
	}
	for _, ranks := range universes {
		for number, rank := range ranks {
			want[rank] = fmt.Sprintf("rank %d: number %d of %d in its universe", rank, number, len(ranks))
		}
	}
	for _, line := range want {
		if strings.Count(output, line+"\n") != 1 {
			t.Errorf("no line %q in\n%s", line, output)
		}
	}
}

// mustPrint checks that the launcher has printed some texts.
func mustPrint(t *testing.T, r *harness.Result, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(r.Stderr, text) {
			t.Errorf("no %q: %v", text, r)
		}
	}
}

// joinServer is the program that jobs of the installed Open MPI need to join each other.
type joinServer struct{ kind, program string }

func joinServerOf(t *testing.T, mpi harness.MPI) joinServer {
	t.Helper()
	version, err := exec.Command(mpi.Mpirun, "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(version), ") 4.") { // (OpenRTE) or (Open MPI)
		return joinServer{"name server", "ompi-server"}
	}
	return joinServer{"DVM", "prte"}
}

// TestJoining joins three jobs of Open MPI, several times in a row.
func TestJoining(t *testing.T) {
	t.Parallel()
	mpi := suite.NeedMPI(t, "openmpi")
	program := suite.GoMPI(t, "universe", mpi)
	input := jobs(job{mpi.Mpirun, 1, program}, job{mpi.Mpirun, 2, program}, job{mpi.Mpirun, 3, program})
	for run := range joinRuns {
		r := suite.Sandbox(t).Run(input, "macprun", "-net", "rma", "-verbose")
		if r.Status != 0 {
			t.Fatalf("run %d: %v", run, r)
		}
		inUniverse(t, r.Stdout, 6, []int{0, 1, 2, 3, 4, 5})
		mustPrint(t, r, joinServerOf(t, mpi).kind+" of Open MPI for jobs 0, 1 and 2: ", "jobs 0, 1 and 2: universe of 6 ranks of Open MPI ")
	}
}

// TestOneJobIsAUniverse runs one job under macprun and under mpirun alone.
func TestOneJobIsAUniverse(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			program := suite.GoMPI(t, "universe", mpi)
			sandbox := suite.Sandbox(t)
			inUniverse(t, sandbox.MustRead(jobs(job{mpi.Mpirun, 3, program}), "macprun", "-net", "rma"), 3, []int{0, 1, 2})
			sandbox.Env = append(sandbox.Env, "ACP_NET=rma", "TMPDIR="+t.TempDir())
			inUniverse(t, sandbox.Must("/bin/sh", "-c", sandbox.Mpirun(mpi)+" -np 4 "+program), 4, []int{0, 1, 2, 3})
		})
	}
}

// TestJoiningOfDifferentMPIs: macprun joins the jobs of Open MPI. It cannot join jobs of MPICH over
// UCX, nor jobs without MPI.
func TestJoiningOfDifferentMPIs(t *testing.T) {
	t.Parallel()
	openmpi, mpich := suite.NeedMPI(t, "openmpi"), suite.NeedMPI(t, "mpich")
	o, m := suite.GoMPI(t, "universe", openmpi), suite.GoMPI(t, "universe", mpich)
	r := suite.Sandbox(t).Run(jobs(job{openmpi.Mpirun, 1, o}, job{mpich.Mpirun, 2, m}, job{"acprun", 1, o},
		job{openmpi.Mpirun, 2, o}, job{mpich.Mpirun, 1, m}), "macprun", "-net", "rma", "-verbose")
	if r.Status != 0 {
		t.Fatal(r)
	}
	mustPrint(t, r, "jobs 0 and 3: universe of 3 ranks of Open MPI ", "job 2: not joined: rank 3 has no MPI")
	if strings.Contains(r.Stderr, "jobs 1 and 4: universe") {
		// Built with a netmod that has dynamic processes.
		inUniverse(t, r.Stdout, 7, []int{0, 4, 5}, []int{1, 2, 6})
		return
	}
	inUniverse(t, r.Stdout, 7, []int{0, 4, 5}, []int{1, 2}, []int{6})
	mustPrint(t, r, "job 1: not joined: MPICH ", "job 4: not joined: MPICH ")
}

// TestNeedlessJoiningIsLeftOut: in mode auto jobs join only if there is RMA hardware between their hosts.
func TestNeedlessJoiningIsLeftOut(t *testing.T) {
	t.Parallel()
	mpi := suite.NeedMPI(t, "openmpi")
	program := suite.GoMPI(t, "universe", mpi)
	input := jobs(job{mpi.Mpirun, 1, program}, job{mpi.Mpirun, 1, program})
	for _, option := range []string{"-rdma=yes", "-rdma=no"} {
		r := suite.Sandbox(t).Run(input, "macprun", option, "-verbose")
		if r.Status != 0 || strings.Contains(r.Stderr, "name server") || strings.Contains(r.Stderr, ": universe of ") {
			t.Errorf("%s: %v", option, r)
		}
		inUniverse(t, r.Stdout, 2)
	}
}

// TestUniversesOnHosts makes universes in mode auto of jobs on two hosts. An option makes them assume
// RDMA hardware. Open MPI 4 cannot join a job with processes on another host than its mpirun, so the test
// starts mpirun on the host of the processes, if they are all on one.
func TestUniversesOnHosts(t *testing.T) {
	mpi := suite.NeedMPI(t, "openmpi")
	program := suite.GoMPI(t, "universe", mpi)
	sandbox := suite.Sandbox(t)
	sandbox.Hosts(2)
	// UCX would treat processes on both hosts as processes of one host, and not use the network.
	sandbox.Env = append(sandbox.Env, "UCX_TLS=tcp,self")
	input := jobs(job{mpi.Mpirun, 1, program}, job{mpi.Mpirun, 2, program}, job{mpi.Mpirun, 2, program}, job{mpi.Mpirun, 1, program})
	nodefile := sandbox.Nodefile(0, 1, 1, 0, 1, 0)
	r := sandbox.Run(input, "macprun", "-nodefile", nodefile, "-rdma", "yes", "-verbose")
	if r.Status != 0 {
		t.Fatal(r)
	}
	if joinServerOf(t, mpi).kind == "DVM" {
		if strings.Contains(r.Stderr, "PRRTE 3.0.") { // which does not let them join
			inUniverse(t, r.Stdout, 6, []int{0}, []int{1, 2}, []int{3, 4}, []int{5})
		} else {
			inUniverse(t, r.Stdout, 6, []int{0, 1, 2, 3, 4, 5})
		}
	} else {
		inUniverse(t, r.Stdout, 6, []int{0, 1, 2, 5}, []int{3, 4})
		const why = "job 2 is not joined: Open MPI "
		mustPrint(t, r, "jobs 0, 1 and 3: universe of 4 ranks", "job 2: universe of 2 ranks", "not rma: "+why)
	}
	r = sandbox.Run(input, "macprun", "-nodefile", nodefile, "-rdma", "no", "-verbose")
	if r.Status != 0 {
		t.Fatal(r)
	}
	inUniverse(t, r.Stdout, 6)
	mustPrint(t, r, "not rma: host host0 has ACP_RDMA=no")
}

// TestKilledInUniverseOnHosts kills a rank whose mpirun is on another host.
func TestKilledInUniverseOnHosts(t *testing.T) {
	mpi := suite.NeedMPI(t, "openmpi")
	program := suite.GoMPI(t, "universe", mpi) + " -hold"
	sandbox := suite.Sandbox(t)
	sandbox.Hosts(2)
	sandbox.Env = append(sandbox.Env, "UCX_TLS=tcp,self")
	input := jobs(job{mpi.Mpirun, 1, program}, job{mpi.Mpirun, 2, program})
	if joinServerOf(t, mpi).kind == "DVM" { // which may not let them join
		input = jobs(job{mpi.Mpirun, 3, program})
	}
	run := sandbox.StartRead(strings.NewReader(input), "macprun", "-net", "rma", "-nodefile", sandbox.Nodefile(0, 1, 1))
	ready(t, run, 3)
	// The ranks do not have their pids outside their hosts.
	fault(t, sandbox, run, oneOf(t, sandbox, program), afterNameServer, `rank \d \(job \d \S+, host host\d, pid \d+\) (killed by signal 9|died)`)
}

// oneOf finds a process that runs a program.
func oneOf(t *testing.T, sandbox *harness.Sandbox, program string) int {
	t.Helper()
	for _, p := range sandbox.Processes() {
		if strings.Contains(p.String(), "("+program) {
			return p.PID
		}
	}
	t.Fatalf("no process runs %s among %v", program, sandbox.Processes())
	return 0
}

// TestNoJoinServer hides the program that the jobs need to join each other. macprun then starts no
// job.
func TestNoJoinServer(t *testing.T) {
	t.Parallel()
	mpi := suite.NeedMPI(t, "openmpi")
	sandbox := suite.Sandbox(t)
	mpirun := sandbox.Script("mpirun", "exec "+mpi.Mpirun+" \"$@\"\n")
	sandbox.Write("inputfile", jobs(job{mpirun, 1, "/bin/echo started"}, job{mpirun, 1, "/bin/echo started"}))
	r := sandbox.Run("", "/bin/sh", "-c", "PATH=/nowhere exec "+suite.Bin(t, "macprun")+" -net rma inputfile")
	if r.Status != 1 || r.Stdout != "" {
		t.Error(r)
	}
	mustPrint(t, r, "macprun: network rma: jobs 0 and 1 cannot be joined: there is no "+joinServerOf(t, mpi).program+" beside "+mpirun+" or in PATH")
}

// TestAcceptWithoutPartner gives two jobs of Open MPI 4 different name servers, so that they never
// find each other.
func TestAcceptWithoutPartner(t *testing.T) {
	t.Parallel()
	mpi := suite.NeedMPI(t, "openmpi")
	if joinServerOf(t, mpi).kind == "DVM" {
		t.Skip("jobs of Open MPI 5 know without trying that they cannot join")
	}
	program := suite.GoMPI(t, "universe", mpi) + " -limit 2s"
	sandbox := suite.Sandbox(t)
	sandbox.Write("jobs.yaml", fmt.Sprintf(`jobs:
- {launcher: %[1]s, np: 2, command: %[2]s, env: {OMPI_MCA_pmix_server_uri: "file:one"}}
- {launcher: %[1]s, np: 1, command: %[2]s, env: {OMPI_MCA_pmix_server_uri: "file:two"}}
`, mpi.Mpirun, program))
	sandbox.Env = append(sandbox.Env, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	// One after the other, since they share a directory.
	script := sandbox.Script("servers", `for name in one two; do
	`+filepath.Dir(mpi.Mpirun)+`/ompi-server --no-daemonize -r $name & servers="$servers $!"
	while kill -0 $! && ! [ -s $name ]; do sleep 0.02; done
done
macprun -net rma -verbose jobs.yaml
status=$?
kill $servers
wait
exit $status
`)
	r := sandbox.Run("", script)
	if r.Status != 0 {
		t.Fatal(r)
	}
	inUniverse(t, r.Stdout, 3, []int{0, 1}, []int{2})
	mustPrint(t, r, "job 1: not joined: jobs 0 and 1 cannot reach each other: ", "no answer within 2s")
}

// held starts two jobs that are joined and wait, and returns the pids of the ranks.
func held(t *testing.T, sandbox *harness.Sandbox) (run *harness.Command, pids []int) {
	t.Helper()
	mpi := suite.NeedMPI(t, "openmpi")
	program := suite.GoMPI(t, "universe", mpi) + " -hold"
	run = sandbox.StartRead(strings.NewReader(jobs(job{mpi.Mpirun, 1, program}, job{mpi.Mpirun, 2, program})), "macprun", "-net", "rma")
	return run, ready(t, run, 3)
}

// TestKilledInUniverse kills ranks and launchers of joined jobs.
func TestKilledInUniverse(t *testing.T) {
	for victim := range 3 {
		t.Run(fmt.Sprintf("rank %d", victim), func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			run, pids := held(t, sandbox)
			fault(t, sandbox, run, pids[victim], afterNameServer, killed(victim, min(victim, 1), pids[victim]))
		})
	}
	t.Run("macprun", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		run, _ := held(t, sandbox)
		fault(t, sandbox, run, run.PID(), afterLauncher, "")
	})
	t.Run("join server", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		run, pids := held(t, sandbox)
		s := joinServerOf(t, suite.NeedMPI(t, "openmpi"))
		pid := oneOf(t, sandbox, s.program+" ")
		if s.kind == "DVM" {
			fault(t, sandbox, run, pid, afterNameServer, "")
			return
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		fault(t, sandbox, run, pids[0], afterNameServer, killed(0, 0, pids[0]))
	})
}

// TestKilledJoinServer kills the join server before the jobs are joined.
func TestKilledJoinServer(t *testing.T) {
	mpi := suite.NeedMPI(t, "openmpi")
	s := joinServerOf(t, mpi)
	program := suite.GoMPI(t, "universe", mpi)
	sandbox := suite.Sandbox(t)
	// The first job has started. It joins only after the test has written a file.
	wait := sandbox.Script("wait", `echo rank 0 pid $$
while ! [ -e go ]; do sleep 0.02; done
exec "$@"
`)
	run := sandbox.StartRead(strings.NewReader(jobs(job{mpi.Mpirun, 1, wait + " " + program}, job{mpi.Mpirun, 2, program})), "macprun", "-net", "rma")
	ready(t, run, 1)
	said := s.kind + " " + s.program + ` \(pid \d+\) of jobs 0 and 1 killed by signal 9 \(Killed\)`
	if s.kind != "DVM" {
		said += " before they were joined"
	}
	fault(t, sandbox, run, oneOf(t, sandbox, s.program+" "), afterNameServer, said)
}

// TestEarlyFinalize ends MPI while jobs are joined. The run ends with a message.
func TestEarlyFinalize(t *testing.T) {
	t.Parallel()
	mpi := suite.NeedMPI(t, "openmpi")
	program := suite.GoMPI(t, "universe", mpi)
	sandbox := suite.Sandbox(t)
	r := sandbox.Run(jobs(job{mpi.Mpirun, 1, program}, job{mpi.Mpirun, 2, program + " -early"}), "macprun", "-net", "rma")
	if r.Status == 0 {
		t.Error(r)
	}
	mustPrint(t, r, "aborted: MPI_Finalize was called before acp_finalize")
}
