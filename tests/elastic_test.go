package tests

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/launch/survey"
	"github.com/goacp/goacp/tests/harness"
)

// elastic is a run of the program epochs.
type elastic struct {
	sandbox *harness.Sandbox
	run     *harness.Command
	input   *os.File
	name    string // for -to
}

// startElastic starts a run of 2 ranks that can have 6 in its life.
func startElastic(t *testing.T, sandbox *harness.Sandbox, options ...string) *elastic {
	t.Helper()
	return startElasticAs(t, sandbox, suite.C(t, "epochs"), options...)
}

// startElasticAs is startElastic with a program that starts epochs.
func startElasticAs(t *testing.T, sandbox *harness.Sandbox, program string, options ...string) *elastic {
	t.Helper()
	argv := append([]string{"acprun", "-max", "6", "-np", "2"}, options...)
	return startEpochs(t, sandbox, `epoch 0: 0 1\n`, append(argv, program)...)
}

// startEpochs starts a run of the program epochs, whose output has a match when its first epoch has begun.
func startEpochs(t *testing.T, sandbox *harness.Sandbox, begun string, argv ...string) *elastic {
	t.Helper()
	e := &elastic{sandbox: sandbox}
	e.run, e.input = startWithInput(t, sandbox, argv...)
	e.await(t, begun)
	e.name = runName(t, sandbox)
	return e
}

// await waits until the output has a match.
func (e *elastic) await(t *testing.T, pattern string) []string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	return re.FindStringSubmatch(e.run.Output(re.MatchString))
}

// send sends lines to rank 0.
func (e *elastic) send(lines ...string) { fmt.Fprintln(e.input, strings.Join(lines, "\n")) }

// resize calls acprun with options for the run, and checks its answer.
func (e *elastic) resize(t *testing.T, answer string, options ...string) {
	t.Helper()
	r := e.sandbox.Run("", append([]string{"acprun", "-to", e.name}, options...)...)
	if r.Status != 0 || strings.TrimSpace(r.Stderr) != "acprun: "+answer {
		t.Fatalf("%v: %v, expected %q", options, r, answer)
	}
}

// pid returns the process of a rank.
func (e *elastic) pid(t *testing.T, rank int) int {
	t.Helper()
	pid, _ := strconv.Atoi(e.await(t, fmt.Sprintf(`(?m)^rank %d pid (\d+)$`, rank))[1])
	return pid
}

// end ends the run. Its launcher prints nothing but lines that match.
func (e *elastic) end(t *testing.T, lines ...string) {
	t.Helper()
	e.send("end")
	r := e.run.Wait()
	if r.Status != 0 {
		t.Errorf("the run: %v", r)
	}
	for _, line := range strings.Split(strings.TrimSpace(r.Stderr), "\n") {
		if line != "" && !matchesAny(line, lines) {
			t.Errorf("the run: %v, expected no line %q", r, line)
		}
	}
	for _, line := range lines {
		if !regexp.MustCompile(line).MatchString(r.Stderr) {
			t.Errorf("the run: %v, expected a line %q", r, line)
		}
	}
	cleaned(t, e.sandbox)
}

func matchesAny(line string, patterns []string) bool {
	for _, p := range patterns {
		if regexp.MustCompile(p).MatchString(line) {
			return true
		}
	}
	return false
}

// TestGrow lets processes join and leave, in several epochs.
func TestGrow(t *testing.T) {
	for _, net := range []string{"auto", "shm", "tcp"} {
		t.Run(net, func(t *testing.T) {
			t.Parallel()
			e := startElastic(t, suite.Sandbox(t), "-net", net)
			e.resize(t, "ranks 2-3: started", "-np", "+2")
			e.send("adopt 2")
			e.await(t, `epoch 1: 0 1 2 3\n`)
			e.resize(t, "ranks 1-2: asked to leave", "-leave", "1-2")
			e.send("asked 2", "adopt")
			e.await(t, `epoch 2: 0 3\n`)
			e.send("join 1", "adopt 1")
			e.await(t, `epoch 3: 0 3 4\n`)
			e.resize(t, "rank 5: started", "-leave", "4", "-np", "+1")
			e.send("asked 4", "adopt 1")
			e.await(t, `epoch 4: 0 3 5\n`)
			e.send("adopt")
			e.await(t, `epoch 5: 0 3 5\n`)
			var run survey.Run
			decode(t, e.sandbox.Must("acpstat", "-json", e.name), &run)
			if len(run.Ranks) != 6 || run.Ranks[5].Seen == nil || run.Ranks[1].State != survey.Ended {
				t.Errorf("acpstat shows %+v", run)
			}
			e.end(t)
		})
	}
}

// TestGrowAcrossHosts: processes join on another host, which had none.
func TestGrowAcrossHosts(t *testing.T) {
	sandbox := suite.Sandbox(t)
	sandbox.Hosts(2)
	e := startElastic(t, sandbox, "-nodefile", sandbox.Nodefile(0, 0, 1, 0, 1, 1))
	e.resize(t, "ranks 2-4: started", "-np", "+3")
	e.send("adopt 3")
	e.await(t, `epoch 1: 0 1 2 3 4\n`)
	e.resize(t, "ranks 1, 3: asked to leave", "-leave", "3,1")
	e.send("asked 3", "adopt")
	e.await(t, `epoch 2: 0 2 4\n`)
	if r := sandbox.StartOn(1, nil, "acprun", "-to", "host0:"+e.name, "-np", "+1").Wait(); r.Status != 0 || !strings.Contains(r.Stderr, "rank 5: started") {
		t.Errorf("from another host: %v", r)
	}
	e.send("adopt 1")
	e.await(t, `epoch 3: 0 2 4 5\n`)
	e.end(t)
}

// TestGrowOnNamedHosts: processes come to the hosts that the request names, if the run is reached from there.
func TestGrowOnNamedHosts(t *testing.T) {
	sandbox := suite.Sandbox(t)
	sandbox.Hosts(2)
	e := startElastic(t, sandbox, "-join", "network")
	e.resize(t, "ranks 2-3: started", "-np", "+2", "-host", "host1,host0")
	e.send("adopt 2")
	e.await(t, `epoch 1: 0 1 2 3\n`)
	for rank, host := range []string{"host0", "host0", "host1", "host0"} {
		e.rank(t, rank, func(r survey.Rank) bool { return r.Host == host })
	}
	e.end(t)
	e = startElastic(t, sandbox)
	r := sandbox.Run("", "acprun", "-to", e.name, "-np", "+1", "-host", "host1")
	if r.Status != 1 || !strings.Contains(r.Stderr, "host host1: the run is reached from its own host only; start it with -join network") {
		t.Errorf("a run that listens to its host only: %v", r)
	}
	e.end(t)
}

// TestRanksEnd: the run survives ranks that do not belong to its epoch, and ends with those that do.
func TestRanksEnd(t *testing.T) {
	ended := `rank %d \(job 0 epochs, host \S+, pid \d+\) killed by signal 9 \(Killed\)`
	t.Run("while it waits", func(t *testing.T) {
		t.Parallel()
		e := startElastic(t, suite.Sandbox(t))
		e.resize(t, "ranks 2-3: started", "-np", "+2")
		pid := e.waiting(t, 2)
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		e.rank(t, 2, func(x survey.Rank) bool { return x.State == survey.Ended })
		e.send("lost 2", "adopt 1")
		e.await(t, `epoch 1: 0 1 3\n`)
		e.end(t, fmt.Sprintf(ended, 2)+"; the run goes on")
	})
	t.Run("when it has left", func(t *testing.T) {
		t.Parallel()
		e := startElastic(t, suite.Sandbox(t))
		e.resize(t, "rank 1: asked to leave", "-leave", "1")
		pid := e.pid(t, 1)
		e.send("linger", "asked 1", "adopt")
		e.await(t, `(?s)rank 1 leaves\n.*epoch 1: 0\n|epoch 1: 0\n.*rank 1 leaves\n`)
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		e.rank(t, 1, func(x survey.Rank) bool { return x.State == survey.Ended })
		e.send("adopt")
		e.await(t, `epoch 2: 0\n`)
		e.end(t, fmt.Sprintf(ended, 1)+"; the run goes on")
	})
	for _, when := range []string{"in an epoch", "between two epochs", "of the beginning between two epochs"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			sandbox := suite.Sandbox(t)
			e := startElastic(t, sandbox)
			e.resize(t, "ranks 2-3: started", "-np", "+2")
			e.send("adopt 2")
			e.await(t, `epoch 1: 0 1 2 3\n`)
			victim := 2
			if when != "in an epoch" {
				if when != "between two epochs" {
					victim = 1
				}
				e.resize(t, "ranks 4-5: started", "-np", "+2")
				e.send(fmt.Sprint("hold ", victim))
				e.await(t, "holds\n")
			}
			if err := syscall.Kill(e.pid(t, victim), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			r := e.run.Wait()
			if line := fmt.Sprintf(`(?m)^acprun: `+ended+`$`, victim); r.Status != 137 || !regexp.MustCompile(line).MatchString(r.Stderr) {
				t.Errorf("the run: %v, expected status 137 and the line %s", r, line)
			}
			cleaned(t, sandbox)
		})
	}
	t.Run("the launcher", func(t *testing.T) {
		t.Parallel()
		sandbox := suite.Sandbox(t)
		e := startElastic(t, sandbox)
		e.resize(t, "ranks 2-3: started", "-np", "+2")
		e.waiting(t, 2)
		if err := syscall.Kill(e.run.PID(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		e.run.Wait()
		cleaned(t, sandbox)
	})
}

// waiting waits until a rank waits in acp_init, and returns its process.
func (e *elastic) waiting(t *testing.T, rank int) int {
	t.Helper()
	return e.rank(t, rank, func(x survey.Rank) bool { return x.Seen != nil }).PID
}

// rank waits until acpstat shows a rank as is wants it.
func (e *elastic) rank(t *testing.T, rank int, is func(survey.Rank) bool) survey.Rank {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
		var run survey.Run
		decode(t, e.sandbox.Must("acpstat", "-json", e.name), &run)
		if len(run.Ranks) > rank && is(run.Ranks[rank]) {
			return run.Ranks[rank]
		}
	}
	t.Fatalf("acpstat does not show rank %d as expected", rank)
	return survey.Rank{}
}

// TestReadsOfLeaver: guests that read memory of a rank while it leaves find its values, or that it has left.
func TestReadsOfLeaver(t *testing.T) {
	for _, net := range []string{"auto", "tcp"} {
		t.Run(net, func(t *testing.T) {
			t.Parallel()
			e := startElastic(t, suite.Sandbox(t), "-net", net)
			guests := e.sandbox.Start("acprun", "-to", e.name, "-np", "2", suite.C(t, "leavingreads"))
			guests.Output(regexp.MustCompile(`(?s)reads\n.*reads\n`).MatchString)
			e.resize(t, "rank 1: asked to leave", "-leave", "1")
			e.send("asked 1", "adopt")
			if r := guests.Wait(); r.Status != 0 || r.Stderr != "" || strings.Count(r.Stdout, "has left\n") != 2 {
				t.Errorf("the guests: %v", r)
			}
			e.await(t, `epoch 1: 0\n`)
			e.end(t)
		})
	}
}

// TestNeverAdopted: processes that wait end with the run.
func TestNeverAdopted(t *testing.T) {
	e := startElastic(t, suite.Sandbox(t))
	e.resize(t, "ranks 2-3: started", "-np", "+2")
	e.waiting(t, 2)
	e.waiting(t, 3)
	e.end(t, "acp: init by rank 2: the run was aborted: the run has ended before it has adopted this rank",
		"acp: init by rank 3: the run was aborted: the run has ended before it has adopted this rank")
}

// TestAskedBySignal: a signal asks a rank to leave, and a second one ends the rank and the run.
func TestAskedBySignal(t *testing.T) {
	e := startElastic(t, suite.Sandbox(t))
	if err := syscall.Kill(e.pid(t, 1), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	e.send("asked 1", "adopt")
	e.await(t, `epoch 1: 0\n`)
	e.end(t)

	e = startElastic(t, suite.Sandbox(t))
	if err := syscall.Kill(e.pid(t, 1), syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	e.send("asked 1", "hold 1")
	e.await(t, "holds\n")
	if err := syscall.Kill(e.pid(t, 1), syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if r := e.run.Wait(); r.Status != 130 || !strings.Contains(r.Stderr, "killed by signal 2 (Interrupt)") {
		t.Errorf("the run: %v", r)
	}
}

// TestResizeInterrupted: a request to a launcher that is stopped ends by a signal, and the run goes on.
func TestResizeInterrupted(t *testing.T) {
	sandbox := suite.Sandbox(t)
	e := startElastic(t, sandbox)
	if err := syscall.Kill(e.run.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	request := sandbox.Start("acprun", "-to", e.name, "-leave", "1")
	time.Sleep(time.Second) // it has asked then, or ends before
	request.Signal(syscall.SIGINT)
	if r := request.Wait(); r.Status != 130 || !strings.Contains(r.Stderr, "(Interrupt) received") {
		t.Errorf("%v, expected the end by the signal", r)
	}
	if err := syscall.Kill(e.run.PID(), syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	e.end(t)
}

// TestResizeOptions: options for other ranks that a run cannot have are errors, and the run goes on.
func TestResizeOptions(t *testing.T) {
	sandbox := suite.Sandbox(t)
	e := startElastic(t, sandbox)
	for _, test := range []struct {
		options []string
		line    string
	}{
		{[]string{"-to", e.name, "-np", "+5"}, `option -to \d+: job 0 epochs has no seats for 5 processes: 2 of its 6 seats have been given out, and none is given twice`},
		{[]string{"-to", e.name, "-leave", "0"}, `option -to \d+: rank 0 stays until the end of the run`},
		{[]string{"-to", e.name, "-leave", "1,4"}, `option -to \d+: rank 4 does not belong to the run now`},
		{[]string{"-to", e.name, "-leave", "x"}, `option -leave: "x" is no list of ranks; expected for example 3,5-7`},
		{[]string{"-to", e.name, "-np", "+0"}, `option -np: 0 must be greater than 0`},
		{[]string{"-to", e.name, "-np", "+1", "./program"}, `option -np: the run has its program; found "./program" behind the options`},
		{[]string{"-to", e.name, "-max", "3", "-np", "+1"}, `option -max: is for a run of its own, and -to names another run`},
		{[]string{"-np", "+1"}, `option -np: changes the ranks of a run that computes already; name the run by -to`},
		{[]string{"-leave", "1"}, `option -leave: changes the ranks of a run that computes already; name the run by -to`},
		{[]string{"-max", "1", "-np", "2", "./program"}, `option -max: 1 is less than the 2 processes of -np`},
		{[]string{"-to", e.name, "-max", "3", suite.C(t, "epochs")}, `option -max: is for a run of its own`},
	} {
		r := sandbox.Run("", append([]string{"acprun"}, test.options...)...)
		if ok, _ := regexp.MatchString(`\Aacprun: `+test.line, r.Stderr); r.Status == 0 || !ok || strings.Count(r.Stderr, "\n") != 1 {
			t.Errorf("%v: %v, expected the line %q", test.options, r, test.line)
		}
	}
	e.end(t)
	fixed := startResidents(t, sandbox)
	for options, line := range map[string]string{
		"-np +1": `job 0 visit cannot grow: it was started without -max`, "-leave 1": `rank 1 belongs to job 0 visit, which was started without -max or the key max and cannot shrink`,
	} {
		r := sandbox.Run("", append([]string{"acprun", "-to", fixed.name}, strings.Fields(options)...)...)
		if r.Status == 0 || !strings.Contains(r.Stderr, line) {
			t.Errorf("%s for a run whose ranks are fixed: %v, expected %q", options, r, line)
		}
	}
	fixed.finish(t, 0)
}

// TestJacobi: the solvers of examples/elastic grow from 2 to 6 ranks and shrink to 3 while they compute, and get the bits of a run whose
// ranks are fixed.
func TestJacobi(t *testing.T) {
	result := regexp.MustCompile(`(?im)^result ([0-9a-f]{16})$`)
	bits := func(r *harness.Result) string {
		if m := result.FindStringSubmatch(r.Stdout); m != nil && r.Status == 0 && r.Stderr == "" {
			return strings.ToLower(m[1])
		}
		return r.String()
	}
	want := bits(suite.Sandbox(t).Run("", "acprun", "-np", "1", suite.CAt(t, "examples/elastic/jacobi"), "300"))
	for name, program := range map[string]func() string{
		"C":       func() string { return suite.CAt(t, "examples/elastic/jacobi") },
		"Go":      func() string { return suite.GoAt(t, "examples/elastic", "jacobi") },
		"Fortran": func() string { return suite.Fortran(t, "examples/elastic/jacobi") },
	} {
		for hosts := range 2 {
			t.Run(fmt.Sprintf("%s/%d hosts", name, hosts+1), func(t *testing.T) {
				path := program()
				sandbox := suite.Sandbox(t)
				argv := []string{"acprun", "-max", "6", "-np", "2"}
				if hosts > 0 {
					sandbox.Hosts(2)
					argv = append(argv, "-nodefile", sandbox.Nodefile(0, 1, 0, 1, 1, 0))
				}
				r := sandbox.Run("", append(argv, path, "300", "100:6", "200:3")...)
				if got := bits(r); got != want {
					t.Errorf("%v, expected the result %s", got, want)
				}
				for _, line := range []string{"step 0: 2 ranks\n", "step 100: 6 ranks\n", "0: 3 ranks\n"} {
					if !strings.Contains(r.Stdout, line) {
						t.Errorf("%v, expected a line %q", r, line)
					}
				}
				cleaned(t, sandbox)
			})
		}
	}
}

// TestMessagesOfLeavers: the messages of a link arrive after one of its senders has left the run.
func TestMessagesOfLeavers(t *testing.T) {
	linksOfLeavers(t, "leavers", []string{"1", "3"}, "all messages have come\n")
}

// TestModelShrinks: the ranks that stay open the link of their model anew in each epoch, before or after the other model asks for it.
func TestModelShrinks(t *testing.T) {
	linksOfLeavers(t, "shrinking", []string{"air", "sea"}, "the model has left\n")
}

// linksOfLeavers runs a program of four ranks, some of which leave, with each of the arguments, over shared memory and sockets. It checks what
// the program prints.
func linksOfLeavers(t *testing.T, program string, arguments []string, want string) {
	for _, net := range []string{"auto", "tcp"} {
		for _, argument := range arguments {
			t.Run(net+"/"+argument, func(t *testing.T) {
				if out := suite.Sandbox(t).Must("acprun", "-net", net, "-max", "4", "-np", "4", suite.C(t, program), argument); out != want {
					t.Errorf("%q", out)
				}
			})
		}
	}
}
