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
func startElastic(c *cluster, options ...string) *elastic {
	c.t.Helper()
	read, input, err := os.Pipe()
	if err != nil {
		c.t.Fatal(err)
	}
	defer read.Close()
	c.t.Cleanup(func() { input.Close() })
	e := &elastic{cluster: c, input: input}
	argv := append([]string{c.command("salloc"), "-Q", "-N1", "-n2", "-w", c.hosts[0].Name, suite.Bin(c.t, "acprun"), "-max", "8", "-verbose"}, options...)
	e.run = c.StartRead(read, append(argv, suite.C(c.t, "epochs"))...)
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

// join starts a batch job on the second host whose acprun adds 2 processes to the run. It returns the job and the file with
// its output.
func (e *elastic) join() (job, output string) {
	e.t.Helper()
	output = filepath.Join(e.Dir, "joined")
	script := e.Script("join", fmt.Sprintf("%s -rsh 'srun --jobid=%s' -to %s -np +2\necho status $?\n", suite.Bin(e.t, "acprun"), e.job, e.name))
	job = e.must("sbatch", "--parsable", "-N1", "-n2", "-w", e.hosts[1].Name, "-o", output, script)
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

// TestJoinFromSecondJob: a second job adds processes on its own host. It is asked to give its processors back, its ranks leave, the
// run goes on, and the second job ends.
func TestJoinFromSecondJob(t *testing.T) {
	for _, test := range []struct {
		name   string
		notice []string // options of scancel, before the job
		status string   // what the script of the job prints about the status of acprun; "" = the job ends before
	}{
		{"notice", []string{"--signal=TERM"}, "status 0\n"},
		{"cancelled", nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newCluster(t)
			c.t = t
			e := startElastic(c, "-join", "network")
			job, output := e.join()
			e.must("scancel", append(test.notice, job)...)
			e.send("asked 2", "asked 3", "adopt")
			e.await(`epoch 2: 0 1\n`)
			text := e.ends(job, output)
			if !strings.Contains(text, "ranks 2-3: started\n") || !strings.Contains(text, test.status) {
				t.Errorf("the second job prints %s, expected %q", text, test.status)
			}
			lines := e.end()
			for _, rank := range []int{2, 3} {
				if !strings.Contains(lines, fmt.Sprintf("rank %d (job 0 epochs, host %s,", rank, e.hosts[1].Name)) {
					t.Errorf("rank %d is not on %s: %s", rank, e.hosts[1].Name, lines)
				}
			}
		})
	}
}
