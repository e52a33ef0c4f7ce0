//go:build slurm

package slurm

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/goacp/goacp/tests/harness"
)

// elastic is a run of the program epochs in an allocation on the first host.
type elastic struct {
	*cluster
	run   *harness.Command
	input *os.File
	job   string // of Slurm
	name  string // for -to, on the second host
}

// startElastic starts a run of 2 ranks that can have 8 in its life.
func startElastic(t *testing.T, options ...string) *elastic {
	t.Helper()
	return startElasticBy(t, func(*cluster) []string {
		return append(append([]string{suite.Bin(t, "acprun"), "-max", "8", "-verbose"}, options...), suite.C(t, "epochs"))
	})
}

// startElasticJob is startElastic by macprun.
func startElasticJob(t *testing.T, options ...string) *elastic {
	t.Helper()
	return startElasticBy(t, func(c *cluster) []string {
		file := c.Write("jobs.yaml", fmt.Sprintf("jobs:\n  - {name: epochs, launcher: acprun, np: 2, max: 8, command: %s}\n", suite.C(t, "epochs")))
		return append(append([]string{suite.Bin(t, "macprun"), "-verbose"}, options...), file)
	})
}

// startElasticBy starts a run by a command.
func startElasticBy(t *testing.T, command func(c *cluster) []string) *elastic {
	t.Helper()
	c := newCluster(t)
	read, input, err := os.Pipe()
	if err != nil {
		c.t.Fatal(err)
	}
	defer read.Close()
	c.t.Cleanup(func() { input.Close() })
	e := &elastic{cluster: c, input: input}
	e.run = c.StartRead(read, append([]string{c.command("salloc"), "-Q", "-N1", "-n2", "-w", c.hosts[0].Name}, command(c)...)...)
	e.await(`epoch 0: 0 1\n`)
	e.job = c.job()
	e.name = c.hosts[0].Name + ":auto"
	return e
}

// await waits until the output has a match.
func (e *elastic) await(pattern string) {
	e.t.Helper()
	e.run.Output(regexp.MustCompile(pattern).MatchString)
}

// send sends lines to rank 0.
func (e *elastic) send(lines ...string) { fmt.Fprintln(e.input, strings.Join(lines, "\n")) }

// add starts a batch job on a host whose acprun adds 2 processes to the run. It returns the job and the file with its output. The
// script of the job is the acprun itself, so that signals to the batch script reach it.
func (e *elastic) add(host int) (job, output string) {
	e.t.Helper()
	output = filepath.Join(e.Dir, "joined")
	script := e.Script("join", fmt.Sprintf("exec %s -rsh 'srun --jobid=%s' -to %s -np +2\n", suite.Bin(e.t, "acprun"), e.job, e.name))
	return e.must("sbatch", "--parsable", "-N1", "-n2", "-w", e.hosts[host].Name, "-o", output, script), output
}

// join is add, and the processes belong to the run then.
func (e *elastic) join(host int) (job, output string) {
	e.t.Helper()
	job, output = e.add(host)
	e.send("adopt 2")
	e.await(`epoch 1: 0 1 2 3\n`)
	return job, output
}

// ends waits until a job has ended, and returns its output.
func (e *elastic) ends(job, output string) string {
	e.t.Helper()
	for end := time.Now().Add(limit); e.must("squeue", "-h", "-o", "%i") != e.job; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			e.t.Fatalf("job %s goes on: %s", job, e.must("squeue"))
		}
	}
	text, _ := os.ReadFile(output)
	return string(text)
}

// end ends the run. It returns the lines of its launcher.
func (e *elastic) end() string {
	e.t.Helper()
	e.send("end")
	r := e.run.Wait()
	if r.Status != 0 {
		e.t.Errorf("the run: %v", r)
	}
	e.nothingLeft()
	return r.Stderr
}

// checkHost checks that the added ranks were on a host. lines are those of the launcher.
func (e *elastic) checkHost(lines string, host int) {
	e.t.Helper()
	for _, rank := range []int{2, 3} {
		if !strings.Contains(lines, fmt.Sprintf("rank %d (job 0 epochs, host %s,", rank, e.hosts[host].Name)) {
			e.t.Errorf("rank %d is not on %s: %s", rank, e.hosts[host].Name, lines)
		}
	}
}

// TestJoinFromSecondJob: a second job adds processes on its own host, which may be that of the run. It is asked to give its
// processors back, its ranks leave, the run goes on, and the second job ends.
func TestJoinFromSecondJob(t *testing.T) {
	for _, test := range []struct {
		name    string
		start   func(t *testing.T, options ...string) *elastic
		options []string // of the run
		host    int      // of the second job
		notice  []string // options of scancel, before the job
		want    string   // a further line of acprun in the second job
	}{
		{"notice", startElastic, []string{"-join", "network"}, 1, []string{"--signal=TERM"}, ""},
		{"notice, macprun", startElasticJob, []string{"-join", "network"}, 1, []string{"--signal=TERM"}, ""},
		{"notice to the script", startElastic, []string{"-join", "network"}, 1, []string{"--batch", "--signal=TERM"},
			"acprun: signal 15 (Terminated) received: the processes are asked to leave\n"},
		{"cancelled", startElastic, []string{"-join", "network"}, 1, nil, ""},
		{"cancelled, macprun", startElasticJob, []string{"-join", "network"}, 1, nil, ""},
		{"same host", startElastic, nil, 0, []string{"--signal=TERM"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			e := test.start(t, test.options...)
			job, output := e.join(test.host)
			e.must("scancel", append(test.notice, job)...)
			e.send("asked 2", "asked 3", "adopt")
			e.await(`epoch 2: 0 1\n`)
			text := e.ends(job, output)
			for _, want := range []string{"acprun: ranks 2-3: started\n", test.want} {
				if !strings.Contains(text, want) {
					t.Errorf("the second job prints %q, expected %q", text, want)
				}
			}
			e.checkHost(e.end(), test.host)
		})
	}
}

// TestSecondJobKilled: processes that wait to be adopted end with their job, and the run goes on. Ranks of the epoch end it.
func TestSecondJobKilled(t *testing.T) {
	t.Run("while they wait", func(t *testing.T) {
		e := startElastic(t, "-join", "network")
		job, output := e.add(1)
		e.run.Errors(func(text string) bool { return strings.Count(text, "epochs, host "+e.hosts[1].Name) >= 4 }) // started and joined
		e.must("scancel", "--signal=KILL", job)
		e.send("lost 2", "lost 3", "adopt")
		e.await(`epoch 1: 0 1\n`)
		e.ends(job, output)
		e.checkHost(e.end(), 1)
	})
	t.Run("in the epoch", func(t *testing.T) {
		e := startElastic(t, "-join", "network")
		job, _ := e.join(1)
		e.must("scancel", "--signal=KILL", job+".0") // the job is left, in which the launcher cleans up
		r := e.run.Wait()
		if r.Status == 0 || !strings.Contains(r.Stderr, e.hosts[1].Name) {
			t.Errorf("the run: %v, expected the lost host", r)
		}
		e.awaitEnd(limit)
		e.nothingLeft()
	})
}

// TestSecondJobRefused: a run that only its own host reaches takes no processes on another one.
func TestSecondJobRefused(t *testing.T) {
	e := startElastic(t)
	job, output := e.add(1)
	want := fmt.Sprintf("host %s: the run is reached from its own host only; start it with -join network", e.hosts[1].Name)
	if text := e.ends(job, output); !strings.Contains(text, want) {
		t.Errorf("the second job prints %q, expected %q", text, want)
	}
	e.end()
}
