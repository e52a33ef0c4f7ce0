//go:build slurm

package slurm

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goacp/goacp/tests/harness"
)

// suite has the build tree.
var suite *harness.Suite

// root is the folder in which the packages of Slurm were unpacked.
var root = flag.String("slurm", "", "folder in which the packages of Slurm were unpacked")

const (
	limit       = time.Minute     // of one command
	daemonLimit = 5 * time.Minute // of the daemons of Slurm
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m, &suite)) }

// hostsOf returns the sorted lines of a text in which each process prints its host.
func hostsOf(text string) string {
	lines := strings.Fields(text)
	slices.Sort(lines)
	return strings.Join(lines, " ")
}

// TestHostsOfAllocation: acprun takes hosts and number of processes from the allocation. Options win.
func TestHostsOfAllocation(t *testing.T) {
	c := newCluster(t)
	for _, test := range []struct {
		options []string
		want    string
	}{
		{nil, "host0 host0 host1 host1"},
		{[]string{"-n", "3"}, "host0 host0 host1"},
		{[]string{"-n", "5"}, "host0 host0 host0 host1 host1"},
		{[]string{"-host", "host1"}, "host1"},
		{[]string{"-nodefile", c.Nodefile(1, 0), "-n", "2"}, "host0 host1"},
	} {
		r := c.allocate(2, append(append([]string{suite.Bin(t, "acprun")}, test.options...), "hostname")...).Wait()
		if got := hostsOf(r.Stdout); r.Status != 0 || got != test.want {
			t.Errorf("%v: processes on %q, expected %q; %v", test.options, got, test.want, r)
		}
	}
}

// TestOtherRemoteShell: a remote shell that the user names takes the place of srun.
func TestOtherRemoteShell(t *testing.T) {
	c := newCluster(t)
	calls := filepath.Join(c.Dir, "calls")
	shell := c.Script("shell", fmt.Sprintf("echo $1 >>%s\nexec srun --mpi=none -N1 -n1 --overlap -w \"$@\"\n", calls))
	r := c.allocate(2, suite.Bin(t, "acprun"), "-rsh", shell, "hostname").Wait()
	text, _ := os.ReadFile(calls)
	if got := hostsOf(r.Stdout); r.Status != 0 || got != "host0 host0 host1 host1" || string(text) != "host1\n" {
		t.Errorf("processes on %q, the remote shell was called for %q; %v", got, text, r)
	}
}

// TestOutputPassesSrun: the output of a process on the other host and its input come unchanged. srun
// passes output on by lines.
func TestOutputPassesSrun(t *testing.T) {
	c := newCluster(t)
	data := bytes.Repeat([]byte("no newline\x00\r\xff"), 100_000)
	data = append(data, bytes.Repeat([]byte("\n\n line \n"), 50_000)...)
	r := c.StartRead(bytes.NewReader(data), c.command("salloc"), "-Q", "-N2", "--ntasks-per-node=1",
		suite.Bin(t, "acprun"), "-n", "1", "-host", "host1", "cat").Wait()
	if r.Status != 0 || r.Stdout != string(data) {
		t.Errorf("status %d, %d bytes came, expected %d; errors: %s", r.Status, len(r.Stdout), len(data), r.Stderr)
	}
}

// inputfile is a run of both MPIs and a job without MPI, with two processes each.
func (c *cluster) inputfile(programs [3]string) string {
	return c.Write("inputfile", fmt.Sprintf("3\n%s\n%s\nacprun\n2\n2\n2\n%s\n", suite.NeedMPI(c.t, "openmpi").Mpirun,
		suite.NeedMPI(c.t, "mpich").Mpirun, strings.Join(programs[:], "\n")))
}

// TestThreeJobs joins jobs of both MPIs and a job without MPI, each on its part of the allocation.
func TestThreeJobs(t *testing.T) {
	c := newCluster(t)
	file := c.inputfile([3]string{suite.ExampleMPI(t, "hello_world_macp", suite.NeedMPI(t, "openmpi")),
		suite.ExampleMPI(t, "hello_world_macp", suite.NeedMPI(t, "mpich")), suite.Example(t, "hello_world_acp")})
	r := c.allocate(3, suite.Bin(t, "macprun"), "-verbose", file).Wait()
	if r.Status != 0 || !strings.Contains(r.Stderr, "all 6 ranks have joined") {
		t.Fatal(r)
	}
	for _, part := range []string{"ranks 0-1 on host0,host0:", "ranks 2-3 on host0,host1:", "ranks 4-5 on host1,host1:"} {
		if !strings.Contains(r.Stderr, part) {
			t.Errorf("no job has the %s\n%s", part, r.Stderr)
		}
	}
}

// waiting starts a batch job in which ranks of both MPIs and of no MPI wait forever. It returns when they
// wait.
func (c *cluster) waiting(options ...string) (output string) {
	c.t.Helper()
	mpi := func(name string) string { return suite.CMPI(c.t, "waiting", suite.NeedMPI(c.t, name)) }
	file := c.inputfile([3]string{mpi("openmpi"), mpi("mpich"), suite.C(c.t, "waiting")})
	output = filepath.Join(c.Dir, "output")
	script := c.Script("batch", fmt.Sprintf("%s %s\n", suite.Bin(c.t, "macprun"), file))
	c.must("sbatch", append(options, "-N2", "--ntasks-per-node=3", "-o", output, script)...)
	for end := time.Now().Add(limit); ; time.Sleep(50 * time.Millisecond) {
		text, _ := os.ReadFile(output)
		if strings.Count(string(text), " pid ") == 6 {
			return output
		}
		if time.Now().After(end) {
			c.t.Fatalf("the ranks are not ready:\n%s", text)
		}
	}
}

// awaitEnd waits until Slurm has no job any more.
func (c *cluster) awaitEnd(limit time.Duration) {
	c.t.Helper()
	for end := time.Now().Add(limit); c.must("squeue", "-h") != ""; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			c.t.Fatalf("the job goes on: %s", c.must("squeue"))
		}
	}
}

// TestCancelled cancels the batch job of a run.
func TestCancelled(t *testing.T) {
	c := newCluster(t)
	output := c.waiting()
	c.must("scancel", c.job())
	c.awaitEnd(limit)
	c.nothingLeft()
	if text, _ := os.ReadFile(output); !strings.Contains(string(text), "CANCELLED") {
		t.Errorf("the job was not cancelled:\n%s", text)
	}
}

// TestTimeLimit lets a run reach the time limit of its batch job. Slurm supports only minutes.
func TestTimeLimit(t *testing.T) {
	c := newCluster(t)
	output := c.waiting("-t", "1")
	c.awaitEnd(3 * time.Minute)
	c.nothingLeft()
	if text, _ := os.ReadFile(output); !strings.Contains(string(text), "DUE TO TIME LIMIT") {
		t.Errorf("the job did not reach its time limit:\n%s", text)
	}
}

// TestKilledStep cancels the step by which the launcher reaches the other host.
func TestKilledStep(t *testing.T) {
	c := newCluster(t)
	output := c.waiting()
	c.must("scancel", c.job()+".0")
	c.awaitEnd(limit)
	c.nothingLeft()
	text, _ := os.ReadFile(output)
	if !strings.Contains(string(text), "macprun: host host1 is lost: srun ended with status 137 while MPI jobs ran there\n") {
		t.Errorf("macprun does not name the lost host:\n%s", text)
	}
}

// TestKilledStepOfAcprun does so for ranks that srun has started.
func TestKilledStepOfAcprun(t *testing.T) {
	c := newCluster(t)
	run := c.allocate(2, suite.Bin(t, "acprun"), suite.C(t, "waiting"))
	run.Output(func(text string) bool { return strings.Count(text, " pid ") == 4 })
	c.must("scancel", c.job()+".0")
	if r := run.Wait(); r.Status == 0 || !strings.Contains(r.Stderr, "host1") {
		t.Error(r)
	}
	c.nothingLeft()
}

// TestSrun: srun starts a program without MPI as a run, if it lets the processes find each other.
func TestSrun(t *testing.T) {
	c := newCluster(t)
	hello := suite.Example(t, "hello_world_acp")
	for _, protocol := range []string{"pmi2", "pmix"} {
		for _, n := range []int{1, 2, 4} {
			r := c.Run("", c.command("srun"), "--mpi="+protocol, "-N", fmt.Sprint(min(n, 2)), "-n", fmt.Sprint(n), hello)
			if r.Status != 0 || strings.Count(r.Stdout, fmt.Sprintf(" of %d,", n)) != n {
				t.Errorf("%s, %d processes: %v", protocol, n, r)
			}
		}
	}
	r := c.Run("", c.command("srun"), "--mpi=none", "-N2", "-n4", hello)
	if r.Status == 0 || strings.Count(r.Stderr, "started by Slurm with 4 processes, which it does not let find each other: use srun --mpi=pmi2 or --mpi=pmix") != 4 {
		t.Error(r)
	}
}

// TestMultiProg: the programs of srun --multi-prog are jobs that find each other by name, without MPI and
// with each MPI.
func TestMultiProg(t *testing.T) {
	c := newCluster(t)
	for _, test := range []struct{ name, protocol, program string }{
		{"no MPI", "pmi2", suite.C(t, "partners")},
		{"no MPI, PMIx", "pmix", suite.C(t, "partners")},
		{"MPICH", "pmi2", suite.CMPI(t, "partners", suite.NeedMPI(t, "mpich"))},
		{"Open MPI", "pmix", suite.CMPI(t, "partners", suite.NeedMPI(t, "openmpi"))},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range []string{"ocean", "air"} {
				if err := os.Symlink(test.program, filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
			file := c.Write("models.conf", fmt.Sprintf("0-1 %s/ocean ocean air\n2-4 %s/air air ocean\n", dir, dir))
			r := c.Run("", c.command("srun"), "--mpi="+test.protocol, "-N2", "-n5", "--multi-prog", file)
			for _, want := range []string{"process 1 of ocean", "process 2 of air"} {
				if r.Status != 0 || !strings.Contains(r.Stdout, want) || strings.Count(r.Stdout, "process ") != 5 {
					t.Errorf("expected 5 processes, and %q: %v", want, r)
				}
			}
		})
	}
}

// TestHeterogeneous: the jobs of an inputfile run on the components of a heterogeneous job, in their order.
func TestHeterogeneous(t *testing.T) {
	c := newCluster(t)
	show := `/bin/sh -c 'echo $0 on $(hostname)'`
	for _, launcher := range []string{"acprun", suite.NeedMPI(t, "mpich").Mpirun, suite.NeedMPI(t, "openmpi").Mpirun} {
		t.Run(filepath.Base(launcher), func(t *testing.T) {
			file := c.Write("inputfile", fmt.Sprintf("2\n%s\n%s\n1\n2\n%s first\n%s second\n", launcher, launcher, show, show))
			r := c.Start(c.command("salloc"), "-Q", "-N1", "-n1", "-w", c.hosts[0].Name, ":", "-N1", "-n2", "-w", c.hosts[1].Name, suite.Bin(t, "macprun"), file).Wait()
			lines := strings.Split(strings.TrimSpace(r.Stdout), "\n")
			slices.Sort(lines)
			if want := []string{"first on " + c.hosts[0].Name, "second on " + c.hosts[1].Name, "second on " + c.hosts[1].Name}; r.Status != 0 || !slices.Equal(lines, want) {
				t.Errorf("expected %q: %v", want, r)
			}
		})
	}
}

// TestSrunKilled kills a rank that srun has started. The other ranks end, and one of them names the rank.
func TestSrunKilled(t *testing.T) {
	for _, protocol := range []string{"pmi2", "pmix"} {
		t.Run(protocol, func(t *testing.T) { srunKilled(t, protocol) })
	}
}

func srunKilled(t *testing.T, protocol string) {
	c := newCluster(t)
	run := c.Start(c.command("srun"), "--mpi="+protocol, "-N2", "-n4", suite.C(t, "waiting"))
	text := run.Output(func(text string) bool { return strings.Count(text, " pid ") == 4 })
	at := strings.Index(text, "rank 1 pid ")
	var pid string
	if _, err := fmt.Sscanf(text[at:], "rank 1 pid %s", &pid); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	// The process id is valid on the host.
	c.StartOn(0, strings.NewReader(""), "/bin/sh", "-c", "kill -KILL "+pid).Wait()
	if r := run.Wait(); r.Status == 0 || strings.Count(r.Stderr, "acp: rank 1 (job 0 waiting, host host0, pid "+pid+") died") != 1 {
		t.Error(r)
	}
	// slurmstepd notifies slurmd of the end of the step. So slurmd has to run until then.
	c.awaitEnd(limit)
	c.nothingLeft()
}
