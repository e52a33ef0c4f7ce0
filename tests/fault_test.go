package tests

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goacp/goacp/tests/harness"
)

const (
	// afterRank is the time that a run may last after the loss of a rank or of a job's launcher, afterLauncher
	// after the loss of macprun or acprun.
	afterRank     = 2 * time.Second
	afterLauncher = 5 * time.Second
)

var readyLine = regexp.MustCompile(`(?m)^rank (\d+) pid (\d+)$`)

// ready waits until np ranks have printed that they are ready, and returns their pids.
func ready(t *testing.T, c *harness.Command, np int) []int {
	t.Helper()
	out := c.Output(func(text string) bool { return len(readyLine.FindAllString(text, -1)) == np })
	pids := make([]int, np)
	for _, m := range readyLine.FindAllStringSubmatch(out, -1) {
		rank, _ := strconv.Atoi(m[1])
		pids[rank], _ = strconv.Atoi(m[2])
	}
	return pids
}

// fault sends a signal to a process of a running command and checks that
// everything is gone by limit after that, and checks the message of the command.
func fault(t *testing.T, sandbox *harness.Sandbox, c *harness.Command, pid int, limit time.Duration, message string) {
	t.Helper()
	if len(sandbox.Processes()) < 2 {
		t.Fatal("no processes found")
	}
	since := time.Now()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	sandbox.GoneWithin(since, limit)
	r := c.Wait()
	if r.Status == 0 {
		t.Errorf("ended with status 0: %v", r)
	}
	if message == "" {
		return
	}
	n := 0
	for _, line := range strings.Split(r.Stderr, "\n") {
		if ok, _ := regexp.MatchString("^(m?acprun|dmimw): "+message, line); ok {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d lines match %s, expected 1: %v", n, message, r)
	}
}

func killed(rank, job, pid int) string {
	return fmt.Sprintf(`rank %d \(job %d \S+, host \S+, pid %d\) killed by signal 9`, rank, job, pid)
}

// TestKilledRank kills each rank while the other ranks wait in several ways.
func TestKilledRank(t *testing.T) {
	const np = 4
	c, inGo := suite.C(t, "waiting"), suite.Go(t, "waiting")
	for _, net := range []string{"auto", "tcp"} {
		for _, way := range []string{"sync", "complete", "compute"} {
			for victim := range np {
				program := []string{c, way}
				if victim == np-1 {
					program = []string{inGo, "-in", way}
				}
				t.Run(fmt.Sprintf("%s/%s/%d", net, way, victim), func(t *testing.T) {
					sandbox := suite.Sandbox(t)
					run := sandbox.Start(append([]string{"acprun", "-np", strconv.Itoa(np), "-net", net}, program...)...)
					pids := ready(t, run, np)
					fault(t, sandbox, run, pids[victim], afterRank, killed(victim, 0, pids[victim]))
				})
			}
		}
	}
}

// TestKilledWhileOneIsStopped kills a rank while another, for which all wait, cannot
// answer because it is stopped.
func TestKilledWhileOneIsStopped(t *testing.T) {
	sandbox := suite.Sandbox(t)
	run := sandbox.Start("acprun", "-np", "3", "-net", "tcp", suite.C(t, "waiting"), "complete")
	pids := ready(t, run, 3)
	if err := syscall.Kill(pids[0], syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	fault(t, sandbox, run, pids[2], afterRank, killed(2, 0, pids[2]))
}

// mixed starts a job of two MPI processes and a job of two ACP processes.
func mixed(t *testing.T, sandbox *harness.Sandbox, mpi harness.MPI, way string) *harness.Command {
	t.Helper()
	input := jobs(job{mpi.Mpirun, 2, suite.CMPI(t, "waiting", mpi) + " " + way}, job{"acprun", 2, suite.C(t, "waiting") + " " + way})
	return sandbox.StartRead(strings.NewReader(input), "macprun")
}

// TestKilledInMixedRun kills ranks and launchers of a run of an MPI job and an ACP
// job.
func TestKilledInMixedRun(t *testing.T) {
	for _, name := range []string{"openmpi", "mpich"} {
		for _, way := range []string{"sync", "compute"} {
			for victim := range 4 {
				t.Run(fmt.Sprintf("%s/%s/rank %d", name, way, victim), func(t *testing.T) {
					mpi := suite.NeedMPI(t, name)
					sandbox := suite.Sandbox(t)
					run := mixed(t, sandbox, mpi, way)
					pids := ready(t, run, 4)
					message := killed(victim, victim/2, pids[victim])
					if name == "mpich" && victim < 2 {
						// Hydra kills the other ranks of the job with the same signal, and the
						// launcher may see their deaths first.
						message = `rank [01] \(job 0 \S+, host \S+, pid \d+\) killed by signal 9`
					}
					fault(t, sandbox, run, pids[victim], afterRank, message)
				})
			}
		}
		t.Run(name+"/launcher of the MPI job", func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			sandbox := suite.Sandbox(t)
			run := mixed(t, sandbox, mpi, "sync")
			ready(t, run, 4)
			message := `mpi(run|exec)\S* of job 0 \S+ \(.*\) killed by signal 9`
			if name == "mpich" {
				// Hydra's ranks are killed by the same signal at the same time.
				message = `(mpi(run|exec)\S* of |rank [01] \()job 0.* killed by signal 9`
			}
			program := "mpi"
			if name == "openmpi" && joinServerOf(t, mpi).kind == "DVM" {
				program = "prterun" // mpirun continues under this name
			}
			fault(t, sandbox, run, launcher(t, sandbox, run, program), afterRank, message)
		})
		t.Run(name+"/launcher of the ACP job", func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			sandbox := suite.Sandbox(t)
			run := mixed(t, sandbox, mpi, "sync")
			ready(t, run, 4)
			fault(t, sandbox, run, launcher(t, sandbox, run, "acprun"), afterRank, "")
		})
		t.Run(name+"/macprun", func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			sandbox := suite.Sandbox(t)
			run := mixed(t, sandbox, mpi, "sync")
			ready(t, run, 4)
			fault(t, sandbox, run, run.PID(), afterLauncher, "")
		})
	}
}

// launcher finds the launcher of a job among the processes of a run.
func launcher(t *testing.T, sandbox *harness.Sandbox, run *harness.Command, name string) int {
	t.Helper()
	for _, p := range sandbox.Processes() {
		if p.PID != run.PID() && strings.HasPrefix(p.Name(), name) {
			return p.PID
		}
	}
	t.Fatalf("no %s among %v", name, sandbox.Processes())
	return 0
}

// TestKilledLauncher kills acprun, and macprun with jobs on several hosts.
func TestKilledLauncher(t *testing.T) {
	program := suite.C(t, "waiting")
	for _, way := range []string{"sync", "complete", "compute"} {
		t.Run("acprun/"+way, func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			run := sandbox.Start("acprun", "-np", "3", program, way)
			ready(t, run, 3)
			fault(t, sandbox, run, run.PID(), afterLauncher, "")
		})
		t.Run("acprun on three hosts/"+way, func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			sandbox.Hosts(3)
			run := sandbox.Start("acprun", "-np", "3", "-nodefile", sandbox.Nodefile(0, 1, 2), program, way)
			ready(t, run, 3)
			fault(t, sandbox, run, run.PID(), afterLauncher, "")
		})
	}
	t.Run("macprun on two hosts", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(2)
		run := sandbox.StartRead(strings.NewReader(jobs(job{"acprun", 2, program}, job{"acprun", 2, program})), "macprun", "-nodefile", sandbox.Nodefile(0, 1, 1, 0))
		ready(t, run, 4)
		fault(t, sandbox, run, run.PID(), afterLauncher, "")
	})
}

// TestKilledWhileCutOff pulls the cable of a host and then kills macprun and its processes there.
// The daemon by which an MPI runs ranks on that host gets no message about it.
func TestKilledWhileCutOff(t *testing.T) {
	for victim, is := range map[string]func(sandbox *harness.Sandbox, p harness.Process) bool{
		"macprun": func(sandbox *harness.Sandbox, p harness.Process) bool { return p.Name() == "macprun" },
		"acprun on the other host": func(sandbox *harness.Sandbox, p harness.Process) bool {
			return sandbox.On(p, 1) && p.Name() == "acprun"
		},
	} {
		for _, name := range []string{"openmpi", "mpich"} {
			t.Run(name+"/"+victim, func(t *testing.T) {
				mpi := suite.NeedMPI(t, name)
				sandbox := suite.Sandbox(t)
				sandbox.Hosts(2)
				// The MPI must not detect that the hosts are one machine.
				sandbox.Env = append(sandbox.Env, "UCX_TLS=tcp,self", "OMPI_MCA_btl=tcp,self")
				input := jobs(job{mpi.Mpirun, 2, suite.CMPI(t, "waiting", mpi) + " sync"})
				run := sandbox.StartRead(strings.NewReader(input), "macprun", "-net", "tcp", "-nodefile", sandbox.Nodefile(0, 1))
				ready(t, run, 2)
				for _, p := range sandbox.Processes() {
					if is(sandbox, p) {
						sandbox.Cut(1, true)
						fault(t, sandbox, run, p.PID, afterLauncher, "")
						return
					}
				}
				t.Fatalf("no %s", victim)
			})
		}
	}
}

// TestKilledOnOtherHost kills a rank on another host, the proxy that started it there, and the
// remote shell.
func TestKilledOnOtherHost(t *testing.T) {
	program := suite.C(t, "waiting")
	// The launcher on host 0 started the remote shell, whose name is that of the
	// test binary; on host 1 is the proxy that started the rank.
	for name, victim := range map[string]func(sandbox *harness.Sandbox, p harness.Process) bool{
		"rank": func(sandbox *harness.Sandbox, p harness.Process) bool {
			return sandbox.On(p, 1) && p.Executable() == program
		},
		"proxy": func(sandbox *harness.Sandbox, p harness.Process) bool {
			return sandbox.On(p, 1) && p.Name() == "acprun"
		},
		"remote shell": func(sandbox *harness.Sandbox, p harness.Process) bool { return sandbox.On(p, 0) && sandbox.IsAgent(p) },
	} {
		for _, way := range []string{"sync", "complete", "compute"} {
			t.Run(name+"/"+way, func(t *testing.T) {
				sandbox := suite.Sandbox(t)
				sandbox.Hosts(2)
				run := sandbox.Start("acprun", "-np", "2", "-nodefile", sandbox.Nodefile(0, 1), program, way)
				ready(t, run, 2)
				for _, p := range sandbox.Processes() {
					if victim(sandbox, p) {
						fault(t, sandbox, run, p.PID, afterRank, "")
						return
					}
				}
				t.Fatalf("no %s among %v", name, sandbox.Processes())
			})
		}
	}
}

// TestSilentHost has a remote shell that hangs. One line reports it, and the end of the run does not wait for the
// remote shell.
func TestSilentHost(t *testing.T) {
	const limit = 2 * time.Second
	sandbox := suite.Sandbox(t)
	silent := sandbox.Script("silent", "sleep 600\n")
	run := sandbox.Start("acprun", "-np", "2", "-host", "localhost,far", "-rsh", silent, "-stall", "1", "-timeout", "2", suite.C(t, "waiting"))
	run.Errors(func(text string) bool { return strings.Contains(text, "no sign") })
	sandbox.GoneWithin(time.Now(), limit+afterRank)
	r := run.Wait()
	line := regexp.MustCompile(`(?m)^acprun: host far has given no sign for 1s: \S*silent far \S*acprun -proxy \(pid \d+\)$`)
	if r.Status != 124 || len(line.FindAllString(r.Stderr, -1)) != 1 || !strings.HasSuffix(r.Stderr, "acprun: time limit of 2s reached, ending the run\n") {
		t.Errorf("expected status 124, a line that matches %v and that of the time limit: %v", line, r)
	}
}

// TestCutCable pulls the network cable of a host, while the remote shell stays connected. The launcher
// must notice the silence and print one message, which gives the reason and no signal that it has sent.
func TestCutCable(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long to notice silence")
	}
	const silence = 25 * time.Second
	t.Parallel()
	sandbox := suite.Sandbox(t)
	sandbox.Hosts(2)
	run := sandbox.Start("acprun", "-np", "2", "-nodefile", sandbox.Nodefile(0, 1), suite.C(t, "waiting"), "complete")
	ready(t, run, 2)
	sandbox.Processes()
	since := time.Now()
	sandbox.Cut(1, true)
	sandbox.GoneWithin(since, silence)
	last := regexp.MustCompile(`(?m)^acprun: rank [01] \(.*\) (is lost: .* has not answered for|is lost: its host does not answer|lost its connection to rank)`)
	if r := run.Wait(); r.Status != 1 || strings.Count(r.Stderr, "acprun: ") != 1 || !last.MatchString(r.Stderr) {
		t.Errorf("expected status 1 and one message of acprun that matches %v: %v", last, r)
	}
}
