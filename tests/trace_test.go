package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/launch/account"
)

var pageData = regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`)

// readPage returns what a page of option -trace shows.
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

// rowsOf adds up what a page shows, by jobs and kind.
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

// checkPage compares a page with what is expected, and its last sample with the sum.
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

// TestTrace: the page has what a program knows that it has transferred, and the plan of the run.
func TestTrace(t *testing.T) {
	program := suite.C(t, "traffic")
	place := suite.Place(t)
	place.Hosts(2)
	file := filepath.Join(t.TempDir(), "run.html")
	input := jobs(job{"acprun", 2, program + " #name=ocean"}, job{"acprun", 1, program + " #name=ice"})
	place.MustRead(input, "macprun", "-trace", file, "-nodefile", place.Nodefile(1, 0, 1))
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
		r := suite.Place(t).Run("", "acprun", "-trace", file, "-np", "3", program, "kill", "2")
		run := readPage(t, file)
		checkPage(t, run, want)
		if r.Status == 0 || !strings.Contains(run.How, "rank 2") {
			t.Errorf("status %d, the page says %q", r.Status, run.How)
		}
	})
	t.Run("launcher", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "run.html")
		run := suite.Place(t).Start("acprun", "-trace", file, "-np", "3", program, "wait")
		ready(t, run, 3)
		var all uint64
		for _, n := range want {
			all += n.operations
		}
		sampled := func() uint64 {
			samples := readPage(t, file).Samples
			return samples[len(samples)-1].Jobs[0].Operations
		}
		for end := time.Now().Add(time.Minute); sampled() < all; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("the page has samples of %d operations, expected %d", sampled(), all)
			}
		}
		run.Signal(syscall.SIGKILL)
		run.Wait()
		checkPage(t, readPage(t, file), want)
	})
}

// TestTraceNowhere: if the page cannot be written, the run does not start.
func TestTraceNowhere(t *testing.T) {
	r := suite.Place(t).Run("", "acprun", "-trace", filepath.Join(t.TempDir(), "none", "run.html"), "true")
	if r.Status == 0 || !strings.Contains(r.Stderr, "acprun: option -trace: ") {
		t.Errorf("%v", r)
	}
}
