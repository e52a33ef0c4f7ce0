package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/launch/survey"
	"github.com/goacp/goacp/tests/harness"
)

// residents is a run of the program visit to which guests attach.
type residents struct {
	sandbox *harness.Sandbox
	run     *harness.Command
	input   *os.File
	name    string // for -to
	count   int
}

// startResidents starts a run of 3 ranks under acprun.
func startResidents(t *testing.T, sandbox *harness.Sandbox, options ...string) *residents {
	t.Helper()
	argv := append([]string{"acprun", "-np", "3"}, options...)
	return startResidentsBy(t, sandbox, 3, append(argv, suite.C(t, "visit"), "resident")...)
}

// startResidentsBy starts a run of count ranks by a command.
func startResidentsBy(t *testing.T, sandbox *harness.Sandbox, count int, argv ...string) *residents {
	t.Helper()
	r := &residents{sandbox: sandbox, count: count}
	r.run, r.input = startWithInput(t, sandbox, argv...)
	ready(t, r.run, count)
	r.name = runName(t, sandbox)
	return r
}

// guests returns the command of guests.
func (r *residents) guests(t *testing.T, np int, then string, options ...string) []string {
	argv := append([]string{"acprun", "-to", r.name, "-np", strconv.Itoa(np)}, options...)
	return append(argv, suite.C(t, "visit"), "guest", strconv.Itoa(r.count), then, strconv.Itoa(np-1))
}

// finish ends the run. It checks how many guests have counted themselves at each resident.
func (r *residents) finish(t *testing.T, guests int) {
	t.Helper()
	fmt.Fprintln(r.input)
	result := r.run.Wait()
	if result.Status != 0 || result.Stderr != "" {
		t.Errorf("guests have disturbed the run: %v", result)
	}
	for rank := range r.count {
		if line := fmt.Sprintf("rank %d: %d guests\n", rank, guests); !strings.Contains(result.Stdout, line) {
			t.Errorf("no line %q in %v", line, result)
		}
	}
	cleaned(t, r.sandbox)
}

// cleaned waits until nothing is left of the runs of a sandbox. The cleaner of a launcher that was killed may need some time.
func cleaned(t *testing.T, sandbox *harness.Sandbox) {
	t.Helper()
	left := sandbox.Left()
	for end := time.Now().Add(10 * time.Second); left != "" && time.Now().Before(end); left = sandbox.Left() {
		time.Sleep(20 * time.Millisecond)
	}
	if left != "" {
		t.Errorf("left behind: %s", left)
	}
}

// TestAttach attaches guests one after the other and several at once.
func TestAttach(t *testing.T) {
	for _, net := range []string{"shm", "tcp"} {
		t.Run(net, func(t *testing.T) {
			t.Parallel()
			sandbox := suite.Sandbox(t)
			r := startResidents(t, sandbox, "-net", net)
			for range 3 {
				if g := sandbox.Run("", r.guests(t, 2, "leave")...); g.Status != 0 || g.Stderr != "" {
					t.Errorf("guests: %v", g)
				}
			}
			var together []*harness.Command
			for range 3 {
				together = append(together, sandbox.Start(r.guests(t, 2, "leave")...))
			}
			for _, c := range together {
				if g := c.Wait(); g.Status != 0 || g.Stderr != "" {
					t.Errorf("guests: %v", g)
				}
			}
			r.finish(t, 12)
		})
	}
}

// TestGuestsEndAlone: guests that die, abort, are interrupted, or lose their launcher end without the run.
func TestGuestsEndAlone(t *testing.T) {
	for _, test := range []struct {
		name, then string
		sig        syscall.Signal // to the launcher of guests that stay; 0 = none
		line       string         // of that launcher
		count      int            // guests that have counted themselves
	}{
		{"dies", "die", 0, `rank 4 \(job 1 visit-2, host \S+, pid \d+\) killed by signal 9 \(Killed\)`, 2},
		{"dies before acp_init", "early", 0, `rank 4 \(job 1 visit-2, host \S+, pid \d+\) killed by signal 9 \(Killed\)`, 0},
		{"aborts", "abort", 0, `rank 4 \(job 1 visit-2, host \S+, pid \d+\) aborted: the guest gives up`, 2},
		{"is interrupted", "stay", syscall.SIGINT, `signal 2 \(Interrupt\) received, ending the run`, 2},
		{"loses its launcher", "stay", syscall.SIGKILL, "", 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			sandbox := suite.Sandbox(t)
			r := startResidents(t, sandbox)
			c := sandbox.Start(r.guests(t, 2, test.then)...)
			if test.sig != 0 {
				c.Output(func(text string) bool { return len(readyLine.FindAllString(text, -1)) == 2 })
				if err := syscall.Kill(c.PID(), test.sig); err != nil {
					t.Fatal(err)
				}
			}
			g := c.Wait()
			if ok, _ := regexp.MatchString(`(?m)^acprun: `+test.line, g.Stderr); g.Status == 0 || test.line != "" && !ok {
				t.Errorf("guests: %v, expected a line %q", g, test.line)
			}
			if again := sandbox.Run("", r.guests(t, 2, "leave")...); again.Status != 0 || again.Stderr != "" {
				t.Errorf("the next guests: %v", again)
			}
			r.finish(t, test.count+2)
		})
	}
}

// TestRunEndsBeforeGuests: guests end with the run to which they have attached, in order or not.
func TestRunEndsBeforeGuests(t *testing.T) {
	for _, test := range []struct{ name, line string }{
		{"in order", "the run to which they have attached has ended"},
		{"a rank is killed", `the run to which they have attached is over: rank 0 \(job 0 visit, host \S+, pid \d+\) `},
		{"the launcher is killed", `the launcher of run \d+, to which the processes have attached, has ended`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			sandbox := suite.Sandbox(t)
			r := startResidents(t, sandbox)
			c := sandbox.Start(r.guests(t, 2, "stay")...)
			c.Output(func(text string) bool { return len(readyLine.FindAllString(text, -1)) == 2 })
			switch test.name {
			case "in order":
				r.finish(t, 2)
			case "a rank is killed":
				pids := ready(t, r.run, 3)
				if err := syscall.Kill(pids[0], syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
			default:
				if err := syscall.Kill(r.run.PID(), syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
			}
			g := c.Wait()
			if ok, _ := regexp.MatchString(`(?m)^acprun: `+test.line, g.Stderr); g.Status == 0 || !ok {
				t.Errorf("guests: %v, expected a line %q", g, test.line)
			}
			r.run.Wait()
		})
	}
}

// TestAttachOptions: options that a run or its guests cannot have together are errors before any guest starts, and the run
// goes on.
func TestAttachOptions(t *testing.T) {
	sandbox := suite.Sandbox(t)
	r := startResidents(t, sandbox, "-guests", "3")
	visit := suite.C(t, "visit")
	named := sandbox.Write("named.yaml", "jobs:\n- launcher: acprun\n  np: 1\n  name: visit\n  command: "+visit+" guest 3 leave 0\n")
	for _, test := range []struct {
		argv []string
		line string
	}{
		{r.guests(t, 4, "leave"), `option -to \d+: no seats for 4 processes: 3 of the 3 seats for guests can still be given out, and none is given twice`},
		{r.guests(t, 1, "leave", "-secure"), `option -to \d+: run \d+ does not encrypt its connections \(-secure\); its guests cannot, either`},
		{r.guests(t, 1, "leave", "-guests", "1"), "option -guests: is for a run of its own"},
		{r.guests(t, 1, "leave", "-join", "network"), "option -join: is for a run of its own"},
		{r.guests(t, 1, "leave", "-net", "rma"), "option -net: rma: windows of MPI do not reach the processes of another run"},
		{[]string{"acprun", "-to", "1", visit}, "option -to 1: there is no run 1 on this host; acpstat lists the runs of this user"},
		{[]string{"acprun", "-to", "ocean", visit}, `option -to: "ocean" is not a run; expected the process id of its launcher, or auto`},
		{[]string{"acprun", "-to", ":7", visit}, `option -to: ":7": expected the name of a host before the colon`},
		{[]string{"macprun", "-to", r.name, named}, `option -to \d+: the run has a job with the name visit`},
	} {
		g := sandbox.Run("", test.argv...)
		if ok, _ := regexp.MatchString(`\Am?acprun: `+test.line, g.Stderr); g.Status == 0 || !ok || strings.Count(g.Stderr, "\n") != 1 {
			t.Errorf("%v: %v, expected the line %q", test.argv, g, test.line)
		}
	}
	r.finish(t, 0)
	closed := startResidents(t, sandbox, "-guests", "0")
	want := "option -to " + closed.name + ": run " + closed.name + " takes no guests\n"
	if g := sandbox.Run("", closed.guests(t, 1, "leave")...); g.Status == 0 || !strings.HasSuffix(g.Stderr, want) {
		t.Errorf("a run without seats: %v, expected %q", g, want)
	}
	closed.finish(t, 0)
}

// TestGuestsAreShown: acpstat shows guests, the run shows them with -verbose and -stats, and their output has tags.
func TestGuestsAreShown(t *testing.T) {
	sandbox := suite.Sandbox(t)
	r := startResidents(t, sandbox, "-stats")
	c, input := startWithInput(t, sandbox, r.guests(t, 2, "last", "-tag-output", "-stats")...)
	c.Output(func(text string) bool { return strings.Count(text, "pid") == 2 })
	var run survey.Run
	decode(t, sandbox.Must("acpstat", "-json", r.name), &run)
	if len(run.Ranks) != 5 || run.Ranks[4].Rank != 4 || run.Ranks[4].Cohort != 1 || run.Ranks[4].Seen == nil ||
		len(run.Jobs) != 2 || run.Jobs[1].Name != "visit-2" || run.Jobs[1].First != 3 {
		t.Errorf("acpstat shows %+v", run)
	}
	var guests survey.Run
	decode(t, sandbox.Must("acpstat", "-json", strconv.Itoa(c.PID())), &guests)
	if len(guests.Ranks) != 2 || guests.Ranks[0].Rank != 3 || guests.Ranks[0].Seen == nil || guests.To != r.name {
		t.Errorf("acpstat shows the guests %+v", guests)
	}
	input.Close()
	g := c.Wait()
	for _, part := range []string{"\n[4] rank 4 pid ", "transfers of 2 ranks", "visit-2  (other ranks)"} {
		if !strings.Contains("\n"+g.Stdout+g.Stderr, part) || g.Status != 0 {
			t.Errorf("guests: %v, expected %q", g, part)
		}
	}
	decode(t, sandbox.Must("acpstat", "-json", r.name), &run)
	if run.Gone != 1 || len(run.Ranks) != 3 {
		t.Errorf("after their end acpstat shows %+v", run)
	}
	fmt.Fprintln(r.input)
	if result := r.run.Wait(); result.Status != 0 || !strings.Contains(result.Stderr, "transfers of 3 ranks") {
		t.Errorf("the run: %v", result)
	}
}

// TestAttachAcrossHosts: guests come from another host through the remote shell, and have ranks on several hosts.
func TestAttachAcrossHosts(t *testing.T) {
	sandbox := suite.Sandbox(t)
	sandbox.Hosts(2)
	r := startResidents(t, sandbox)
	elsewhere := []string{"acprun", "-to", "host0:auto", "-np", "1", suite.C(t, "visit"), "guest", "3", "leave", "0"}
	g := sandbox.StartOn(1, nil, elsewhere...).Wait()
	want := "takes guests on its own host only; start it with -join network for guests on other hosts\n"
	if g.Status == 0 || !strings.HasSuffix(g.Stderr, want) {
		t.Errorf("guests of another host: %v, expected %q", g, want)
	}
	r.finish(t, 0)
	r = startResidents(t, sandbox, "-join", "network")
	if g := sandbox.StartOn(1, nil, elsewhere...).Wait(); g.Status != 0 || g.Stderr != "" {
		t.Errorf("guests of another host: %v", g)
	}
	if g := sandbox.Run("", r.guests(t, 2, "leave", "-nodefile", sandbox.Nodefile(0, 1))...); g.Status != 0 || g.Stderr != "" {
		t.Errorf("guests on two hosts: %v", g)
	}
	r.finish(t, 3)
	absent := append([]string{}, elsewhere...)
	absent[2] = "host0:4711"
	if g := sandbox.StartOn(1, nil, absent...).Wait(); g.Status == 0 || !strings.Contains(g.Stderr, "there is no run 4711 on this host") {
		t.Errorf("a run that does not exist: %v", g)
	}
	absent[2] = "host7:auto"
	if g := sandbox.Run("", absent...); g.Status == 0 || !strings.Contains(g.Stderr, "option -to host7:auto: ") {
		t.Errorf("a host that does not exist: %v", g)
	}
}

// TestAttachMPI: an MPI job attaches to a run of acprun, and to an MPI job of the other family.
func TestAttachMPI(t *testing.T) {
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			visit := func(t *testing.T, sandbox *harness.Sandbox, r *residents) {
				program := suite.CMPI(t, "visit", mpi)
				input := sandbox.Write("guests.txt", fmt.Sprintf("1\n%s\n2\n%s guest %d leave 1\n", sandbox.Mpirun(mpi), program, r.count))
				for range 2 {
					if g := sandbox.Run("", "macprun", "-to", r.name, input); g.Status != 0 || g.Stderr != "" {
						t.Errorf("MPI guests in %s: %v", filepath.Base(program), g)
					}
				}
				r.finish(t, 4)
			}
			t.Run("to acprun", func(t *testing.T) {
				sandbox := suite.Sandbox(t)
				visit(t, sandbox, startResidents(t, sandbox))
			})
			other := map[string]string{"openmpi": "mpich", "mpich": "openmpi"}[name]
			t.Run("to "+other, func(t *testing.T) {
				mpi := suite.NeedMPI(t, other)
				sandbox := suite.Sandbox(t)
				input := sandbox.Write("residents.txt", fmt.Sprintf("1\n%s\n2\n%s resident\n", sandbox.Mpirun(mpi), suite.CMPI(t, "visit", mpi)))
				visit(t, sandbox, startResidentsBy(t, sandbox, 2, "macprun", input))
			})
		})
	}
}
