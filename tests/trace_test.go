package tests

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/launch/account"
	"github.com/goacp/goacp/tests/harness"
)

var pageData = regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`)

// readPage returns the data of a page of option -trace.
func readPage(t *testing.T, file string) *account.Run {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data := pageData.FindSubmatch(text)
	if data == nil {
		t.Fatalf("no data in %s", text)
	}
	run := new(account.Run)
	decode(t, string(data[1]), run)
	return run
}

// rowsOf adds up the data of a page, by jobs and kind.
func rowsOf(run *account.Run) map[statsRow]volume {
	rows := map[statsRow]volume{}
	for _, rank := range run.Ranks {
		if rank.Counted == nil {
			continue
		}
		for _, x := range rank.Counted.Transfers {
			row := statsRow{run.Jobs[rank.Job].Name, run.Jobs[run.Ranks[x.Member].Job].Name, x.Kind.String()}
			rows[row] = volume{rows[row].operations + x.Operations, rows[row].bytes + x.Bytes}
		}
	}
	return rows
}

// checkPage compares a page with the expected data, and its last sample with the sum.
func checkPage(t *testing.T, run *account.Run, want map[statsRow]volume) {
	t.Helper()
	rows := rowsOf(run)
	if len(rows) != len(want) {
		t.Errorf("the page has %v, expected %v", rows, want)
	}
	sums := make([]account.Volume, len(run.Jobs))
	for row, n := range want {
		if rows[row] != n {
			t.Errorf("%v: %v, expected %v", row, rows[row], n)
		}
		for i, job := range run.Jobs {
			if job.Name == row.from {
				sums[i].Operations += n.operations
				sums[i].Bytes += n.bytes
			}
		}
	}
	last := run.Samples[len(run.Samples)-1]
	for i, sum := range sums {
		if last.Jobs[i] != sum {
			t.Errorf("the last sample of job %d has %+v, expected %+v", i, last.Jobs[i], sum)
		}
	}
	for i, rank := range run.Ranks {
		if c := rank.Counted; c == nil || c.Opened <= c.Begun || c.Begun == 0 {
			t.Errorf("rank %d: %+v", i, c)
		}
	}
}

// TestTrace: the page has the known transfers of a program, and the plan of the run.
func TestTrace(t *testing.T) {
	program := suite.C(t, "traffic")
	sandbox := suite.Sandbox(t)
	sandbox.Hosts(2)
	file := filepath.Join(t.TempDir(), "run.html")
	input := jobs(job{"acprun", 2, program + " #name=ocean"}, job{"acprun", 1, program + " #name=ice"})
	sandbox.MustRead(input, "macprun", "-trace", file, "-nodefile", sandbox.Nodefile(1, 0, 1))
	run := readPage(t, file)
	checkPage(t, run, expectedStats([]string{"ocean", "ice"}, 2, 1))
	if len(run.Jobs) != 2 || run.Jobs[1].First != 2 || !strings.Contains(run.Jobs[0].Command, "traffic") || run.How != "" ||
		run.Ranks[0].Host == "" || run.Ranks[0].Host == run.Ranks[1].Host || !strings.Contains(run.Command, "-trace") {
		t.Errorf("the plan is %+v, %+v", run.Jobs, run.Ranks)
	}
}

// TestTraceOfKilledRun: a run that is killed leaves a page, also if the launcher is killed.
func TestTraceOfKilledRun(t *testing.T) {
	program := suite.C(t, "traffic")
	want := expectedStats([]string{"traffic"}, 3)
	t.Run("rank", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "run.html")
		r := suite.Sandbox(t).Run("", "acprun", "-trace", file, "-np", "3", program, "kill", "2")
		run := readPage(t, file)
		checkPage(t, run, want)
		if r.Status == 0 || !strings.Contains(run.How, "rank 2") {
			t.Errorf("status %d, the page says %q", r.Status, run.How)
		}
	})
	t.Run("launcher", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "run.html")
		run := suite.Sandbox(t).Start("acprun", "-trace", file, "-np", "3", program, "wait")
		ready(t, run, 3)
		awaitPage(t, file, want)
		run.Signal(syscall.SIGKILL)
		run.Wait()
		checkPage(t, readPage(t, file), want)
	})
}

// awaitPage waits until the page of a running run has the expected data, from ranks of all hosts.
func awaitPage(t *testing.T, file string, want map[statsRow]volume) {
	t.Helper()
	var all uint64
	for _, n := range want {
		all += n.operations
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		run := readPage(t, file)
		var sampled uint64
		for _, job := range run.Samples[len(run.Samples)-1].Jobs {
			sampled += job.Operations
		}
		if sampled == all && maps.Equal(rowsOf(run), want) {
			checkPage(t, run, want)
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the page has samples of %d operations and %v, expected %d and %v", sampled, rowsOf(run), all, want)
		}
	}
}

// TestTraceOfKilledRunOnTwoHosts: the page of a running run has the ranks of all hosts. It stays if a
// launcher, a rank on another host or the proxy there is killed.
func TestTraceOfKilledRunOnTwoHosts(t *testing.T) {
	program := suite.C(t, "traffic")
	acprun := []string{"acprun", "-np", "3"}
	two := jobs(job{"acprun", 2, program + " wait #name=ocean"}, job{"acprun", 1, program + " wait #name=ice"})
	far := func(executable string) func(*harness.Sandbox, harness.Process) bool {
		return func(sandbox *harness.Sandbox, p harness.Process) bool {
			return sandbox.On(p, 1) && (p.Executable() == executable || p.Name() == executable)
		}
	}
	for name, c := range map[string]struct {
		argv   []string
		victim func(*harness.Sandbox, harness.Process) bool // nil: the launcher
	}{
		"launcher": {acprun, nil},
		"rank":     {acprun, far(program)},
		"proxy":    {acprun, far("acprun")},
		"macprun":  {[]string{"macprun"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			sandbox.Hosts(2)
			file := filepath.Join(t.TempDir(), "run.html")
			argv := append(c.argv, "-trace", file, "-nodefile", sandbox.Nodefile(0, 1, 1))
			names, sizes, input := []string{"traffic"}, []int{3}, ""
			if c.argv[0] == "macprun" {
				names, sizes, input = []string{"ocean", "ice"}, []int{2, 1}, two
			} else {
				argv = append(argv, program, "wait")
			}
			want := expectedStats(names, sizes...)
			run := sandbox.StartRead(strings.NewReader(input), argv...)
			ready(t, run, 3)
			awaitPage(t, file, want)
			since := time.Now()
			killOne(t, sandbox, run, c.victim)
			sandbox.GoneWithin(since, afterLauncher)
			run.Wait()
			page := readPage(t, file)
			checkPage(t, page, want)
			if failed := page.How != ""; failed != (c.victim != nil) {
				t.Errorf("the page says %q", page.How)
			}
		})
	}
}

// killOne kills a victim or the launcher.
func killOne(t *testing.T, sandbox *harness.Sandbox, launcher *harness.Command, victim func(*harness.Sandbox, harness.Process) bool) {
	t.Helper()
	if victim == nil {
		launcher.Signal(syscall.SIGKILL)
		return
	}
	for _, p := range sandbox.Processes() {
		if victim(sandbox, p) {
			if err := syscall.Kill(p.PID, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("no victim among %v", sandbox.Processes())
}

// TestTraceNowhere: if the page cannot be written, the run does not start.
func TestTraceNowhere(t *testing.T) {
	r := suite.Sandbox(t).Run("", "acprun", "-trace", filepath.Join(t.TempDir(), "none", "run.html"), "true")
	if r.Status == 0 || !strings.Contains(r.Stderr, "acprun: option -trace: ") {
		t.Errorf("%v", r)
	}
}
