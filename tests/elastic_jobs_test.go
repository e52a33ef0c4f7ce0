package tests

import (
	"fmt"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/goacp/goacp/internal/launch/survey"
	"github.com/goacp/goacp/tests/harness"
)

// This file has runs of macprun in which jobs grow and shrink.

// elasticJob is a job of the program epochs.
type elasticJob struct {
	name     string
	launcher string // "" = acprun
	np, max  int
	program  string // "" = that for acprun
}

// writeJobs writes a description of jobs in YAML, and returns its path.
func writeJobs(t *testing.T, sandbox *harness.Sandbox, jobs ...elasticJob) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("jobs:\n")
	for _, j := range jobs {
		if j.launcher == "" {
			j.launcher = "acprun"
		}
		if j.program == "" {
			j.program = suite.C(t, "epochs")
		}
		fmt.Fprintf(&b, "  - {name: %s, launcher: %s, np: %d, command: %s", j.name, j.launcher, j.np, j.program)
		if j.max > 0 {
			fmt.Fprintf(&b, ", max: %d", j.max)
		}
		b.WriteString("}\n")
	}
	return sandbox.Write("jobs.yaml", b.String())
}

// startJobs starts a run of such jobs.
func startJobs(t *testing.T, sandbox *harness.Sandbox, begun string, options []string, jobs ...elasticJob) *elastic {
	t.Helper()
	argv := append([]string{"macprun"}, options...)
	return startEpochs(t, sandbox, begun, append(argv, writeJobs(t, sandbox, jobs...))...)
}

// TestJobsGrow lets two jobs of three grow and shrink.
func TestJobsGrow(t *testing.T) {
	for _, net := range []string{"auto", "shm", "tcp"} {
		t.Run(net, func(t *testing.T) {
			t.Parallel()
			e := startJobs(t, suite.Sandbox(t), `sea: 0\ncoupler: 1\nair: 2\nepoch 0: 0 1 2\n`, []string{"-net", net},
				elasticJob{name: "sea", np: 1, max: 3}, elasticJob{name: "coupler", np: 1}, elasticJob{name: "air", np: 1, max: 5})
			e.resize(t, "ranks 3-4: started", "-np", "+2", "-job", "air")
			e.send("adopt 2")
			e.await(t, `sea: 0\ncoupler: 1\nair: 2 3 4\nepoch 1: 0 1 2 3 4\n`)
			e.resize(t, "rank 5: started", "-job", "sea", "-np", "+1", "-leave", "2,4")
			e.send("asked 4", "adopt 1")
			e.await(t, `sea: 0 5\ncoupler: 1\nair: 3\nepoch 2: 0 1 3 5\n`)
			e.send("ask 0", "ask 1")
			e.await(t, `rank 0 stays until the end of the run\n.*rank 1 belongs to a job whose number of processes is fixed\n`)
			e.send("join 1", "adopt 1") // the job of rank 0
			e.await(t, `sea: 0 5 6\ncoupler: 1\nair: 3\nepoch 3: 0 1 3 5 6\n`)
			e.resize(t, "rank 7: started", "-np", "+1", "-job", "air", "-leave", "3")
			e.send("asked 3", "adopt 1")
			e.await(t, `sea: 0 5 6\ncoupler: 1\nair: 7\nepoch 4: 0 1 5 6 7\n`)
			var run survey.Run
			decode(t, e.sandbox.Must("acpstat", "-json", e.name), &run)
			if len(run.Ranks) != 8 || len(run.Jobs) != 3 || run.Ranks[7].Seen == nil || run.Ranks[2].State != survey.Ended {
				t.Errorf("acpstat shows %+v", run)
			}
			for rank, job := range []int{0, 1, 2, 2, 2, 0, 0, 2} {
				if run.Ranks[rank].Job != job {
					t.Errorf("acpstat shows rank %d in job %d, expected %d", rank, run.Ranks[rank].Job, job)
				}
			}
			e.send("ask 7")
			e.await(t, "7 is asked\n")
			e.send("asked 7", "adopt")
			e.await(t, `sea: 0 5 6\ncoupler: 1\nair:\nepoch 5: 0 1 5 6\n`)
			e.resize(t, "rank 8: started", "-np", "+1", "-job", "air")
			e.send("adopt 1")
			e.await(t, `sea: 0 5 6\ncoupler: 1\nair: 8\nepoch 6: 0 1 5 6 8\n`)
			e.end(t)
		})
	}
}

// TestJobGrowsBesideMPI: a job of acprun grows beside one of each MPI.
func TestJobGrowsBesideMPI(t *testing.T) {
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mpi := suite.NeedMPI(t, name)
			e := startJobs(t, suite.Sandbox(t), `air: 0\nocean: 1 2\nepoch 0: 0 1 2\n`, nil,
				elasticJob{name: "air", np: 1, max: 3}, elasticJob{name: "ocean", launcher: mpi.Mpirun, np: 2, program: suite.CMPI(t, "epochs", mpi)})
			if r := e.sandbox.Run("", "macprun", "-to", e.name, "-np", "+2"); r.Status != 0 || r.Stderr != "macprun: ranks 3-4: started\n" {
				t.Errorf("%v", r)
			}
			e.send("adopt 2")
			e.await(t, `air: 0 3 4\nocean: 1 2\nepoch 1: 0 1 2 3 4\n`)
			if r := e.sandbox.Run("", "macprun", "-to", e.name, "-leave", "3"); r.Status != 0 || r.Stderr != "macprun: rank 3: asked to leave\n" {
				t.Errorf("%v", r)
			}
			e.send("asked 3", "adopt")
			e.await(t, `air: 0 4\nocean: 1 2\nepoch 2: 0 1 2 4\n`)
			e.end(t)
		})
	}
}

// TestJobsGrowAcrossHosts: processes of two jobs join on another host.
func TestJobsGrowAcrossHosts(t *testing.T) {
	sandbox := suite.Sandbox(t)
	sandbox.Hosts(2)
	e := startJobs(t, sandbox, `sea: 0\nair: 1 2\nepoch 0: 0 1 2\n`, []string{"-nodefile", sandbox.Nodefile(0, 0, 1, 1, 0, 1)},
		elasticJob{name: "sea", np: 1, max: 3}, elasticJob{name: "air", np: 2, max: 4})
	e.resize(t, "ranks 3-4: started", "-np", "+2", "-job", "sea")
	e.send("adopt 2")
	e.await(t, `sea: 0 3 4\nair: 1 2\nepoch 1: 0 1 2 3 4\n`)
	e.resize(t, "ranks 1, 3: asked to leave", "-leave", "3,1")
	e.send("asked 3", "adopt")
	e.await(t, `sea: 0 4\nair: 2\nepoch 2: 0 2 4\n`)
	if r := sandbox.StartOn(1, nil, "macprun", "-to", "host0:"+e.name, "-np", "+1", "-job", "air", "-host", "host0").Wait(); r.Status != 0 || !strings.Contains(r.Stderr, "rank 5: started") {
		t.Errorf("from another host: %v", r)
	}
	e.resize(t, "rank 6: started", "-np", "+1", "-job", "air")
	e.send("adopt 2")
	e.await(t, `sea: 0 4\nair: 2 5 6\nepoch 3: 0 2 4 5 6\n`)
	for rank, host := range map[int]string{0: "host0", 2: "host1", 4: "host0", 5: "host0", 6: "host0"} {
		e.rank(t, rank, func(r survey.Rank) bool { return r.Host == host && r.Seen != nil })
	}
	e.end(t)
}

// TestRanksOfJobsEnd: the run of several jobs survives ranks that do not belong to its epoch, and ends with those that do.
func TestRanksOfJobsEnd(t *testing.T) {
	ended := `rank %d \(job 1 air, host \S+, pid \d+\) killed by signal 9 \(Killed\)`
	begin := func(t *testing.T, sandbox *harness.Sandbox, options ...string) *elastic {
		e := startJobs(t, sandbox, `sea: 0\nair: 1\nepoch 0: 0 1\n`, options, elasticJob{name: "sea", np: 1}, elasticJob{name: "air", np: 1, max: 5})
		e.resize(t, "ranks 2-3: started", "-np", "+2")
		return e
	}
	kill := func(t *testing.T, pid int) {
		t.Helper()
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("while it waits", func(t *testing.T) {
		t.Parallel()
		e := begin(t, suite.Sandbox(t))
		kill(t, e.waiting(t, 2))
		e.rank(t, 2, func(x survey.Rank) bool { return x.State == survey.Ended })
		e.send("lost 2", "adopt 1")
		e.await(t, `air: 1 3\nepoch 1: 0 1 3\n`)
		e.end(t, `(?m)^macprun: `+fmt.Sprintf(ended, 2)+"; the run goes on$")
	})
	t.Run("when it has left", func(t *testing.T) {
		t.Parallel()
		e := begin(t, suite.Sandbox(t))
		e.resize(t, "rank 1: asked to leave", "-leave", "1")
		e.send("linger", "asked 1", "adopt 2")
		e.await(t, `air: 2 3\nepoch 1: 0 2 3\n`)
		kill(t, e.pid(t, 1))
		e.rank(t, 1, func(x survey.Rank) bool { return x.State == survey.Ended })
		e.resize(t, "rank 4: started", "-np", "+1")
		e.send("adopt 1")
		e.await(t, `air: 2 3 4\nepoch 2: 0 2 3 4\n`)
		e.end(t, `(?m)^macprun: `+fmt.Sprintf(ended, 1)+"; the run goes on$")
	})
	t.Run("in an epoch", func(t *testing.T) {
		t.Parallel()
		sandbox := suite.Sandbox(t)
		e := begin(t, sandbox)
		e.send("adopt 2")
		e.await(t, `air: 1 2 3\nepoch 1: 0 1 2 3\n`)
		kill(t, e.pid(t, 3))
		r := e.run.Wait()
		if line := fmt.Sprintf(`(?m)^macprun: `+ended+`$`, 3); r.Status != 137 || !regexp.MustCompile(line).MatchString(r.Stderr) {
			t.Errorf("the run: %v, expected status 137 and the line %s", r, line)
		}
		cleaned(t, sandbox)
	})
	t.Run("the launcher", func(t *testing.T) {
		t.Parallel()
		sandbox := suite.Sandbox(t)
		e := begin(t, sandbox)
		e.waiting(t, 2)
		kill(t, e.run.PID())
		e.run.Wait()
		cleaned(t, sandbox)
	})
	for _, adopted := range []bool{false, true} {
		t.Run(fmt.Sprintf("their acprun, adopted %v", adopted), func(t *testing.T) {
			t.Parallel()
			sandbox := suite.Sandbox(t)
			e := begin(t, sandbox)
			e.send("waits 2")
			e.await(t, "2 wait\n")
			if adopted {
				e.send("adopt 2")
				e.await(t, `air: 1 2 3\nepoch 1: 0 1 2 3\n`)
			}
			for _, p := range sandbox.Processes() {
				if p.Name() == "acprun" && p.Environ("ACP_JOB_RANK") == "1" { // it starts processes from number 1 of the job on
					kill(t, p.PID)
				}
			}
			line := `(?m)^macprun: acprun of job 1 air \(ranks 2-3.*\) killed by signal 9 \(Killed\)`
			if adopted {
				if r := e.run.Wait(); r.Status != 137 || !regexp.MustCompile(`(?m)^macprun: .*killed by signal 9 \(Killed\)$`).MatchString(r.Stderr) {
					t.Errorf("the run: %v, expected status 137", r)
				}
				cleaned(t, sandbox)
				return
			}
			e.send("lost 2", "lost 3")
			e.resize(t, "rank 4: started", "-np", "+1")
			e.send("adopt 1")
			e.await(t, `air: 1 4\nepoch 1: 0 1 4\n`)
			e.end(t, line+"; the run goes on$")
		})
	}
	t.Run("their proxy", func(t *testing.T) {
		t.Parallel()
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(2)
		e := begin(t, sandbox, "-nodefile", sandbox.Nodefile(0, 0, 1, 0, 0))
		e.send("waits 2")
		e.await(t, "2 wait\n")
		for _, p := range sandbox.Processes() {
			if sandbox.On(p, 1) && p.Name() == "acprun" {
				kill(t, p.PID)
				break
			}
		}
		e.send("lost 2", "adopt 1") // rank 3 is on this host
		e.await(t, `air: 1 3\nepoch 1: 0 1 3\n`)
		e.end(t, `(?m)^macprun: (rank 2|host host1 is lost: ).*; the run goes on$`, `(?m)^Killed$`)
	})
	t.Run("not started", func(t *testing.T) {
		t.Parallel()
		sandbox := suite.Sandbox(t)
		program := sandbox.Script("epochs-once", "exec "+suite.C(t, "epochs")+"\n")
		e := startJobs(t, sandbox, `sea: 0\nair: 1\nepoch 0: 0 1\n`, nil, elasticJob{name: "sea", np: 1}, elasticJob{name: "air", np: 1, max: 5, program: program})
		sandbox.Script("epochs-once", "exit 3\n")
		e.resize(t, "rank 2: started", "-np", "+1")
		e.rank(t, 2, func(x survey.Rank) bool { return x.State == survey.Ended })
		sandbox.Script("epochs-once", "exec "+suite.C(t, "epochs")+"\n")
		e.resize(t, "rank 3: started", "-np", "+1")
		e.send("adopt 1")
		e.await(t, `air: 1 3\nepoch 1: 0 1 3\n`)
		e.end(t, `(?m)^macprun: rank 2 \(job 1 air, host \S+, pid \d+\) ended with status 3; the run goes on$`)
	})
}

// TestJobsResizeOptions: processes that no job can have are errors, and the run goes on.
func TestJobsResizeOptions(t *testing.T) {
	sandbox := suite.Sandbox(t)
	e := startJobs(t, sandbox, `epoch 0: 0 1 2\n`, nil,
		elasticJob{name: "coupler", np: 1}, elasticJob{name: "sea", np: 1, max: 2}, elasticJob{name: "air", np: 1, max: 2})
	for options, line := range map[string]string{
		"-np +1":              `job 1 sea and job 2 air can grow; name one of them by -job`,
		"-np +1 -job coupler": `job 0 coupler cannot grow: it was started without max; expected job 1 sea and job 2 air`,
		"-np +1 -job ice":     `the run has no job ice; expected job 1 sea and job 2 air`,
		"-np +2 -job air":     `job 2 air has no seats for 2 processes: 1 of its 2 seats have been given out, and none is given twice`,
	} {
		for _, launcher := range []string{"acprun", "macprun"} {
			r := sandbox.Run("", append([]string{launcher, "-to", e.name}, strings.Fields(options)...)...)
			if want := fmt.Sprintf("%s: option -to %s: %s\n", launcher, e.name, line); r.Status != 1 || r.Stderr != want {
				t.Errorf("%s: %v, expected %q", options, r, want)
			}
		}
	}
	e.send("join 1", "adopt")
	e.await(t, `epoch 1: 0 1 2\n`)
	e.end(t, `(?m)^macprun: rank 0 \(job 0 coupler, host \S+, pid \d+\) has asked for 1 more processes: job 1 sea and job 2 air can grow; name one of them by -job$`)
}
