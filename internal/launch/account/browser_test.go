//go:build browser

package account

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/traffic"
)

var update = flag.Bool("update", false, "write the pictures of the manual")

// browser returns a command that lets Chromium show a page without a window.
func browser(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	all := append([]string{"--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=3000",
		"--user-data-dir=" + t.TempDir()}, args...)
	return exec.CommandContext(ctx, path, all...)
}

// coupled returns a run of two models whose ranks exchange data with their neighbours and with the other
// model.
func coupled(procs int) *Run {
	rnd := rand.New(rand.NewPCG(1, uint64(procs)))
	ocean := procs * 5 / 8
	r := &Run{Command: "macprun -trace run.html coupled.txt", Began: time.Date(2026, 5, 4, 9, 30, 0, 0, time.UTC), Took: 42 * time.Second,
		Jobs: []Job{{Name: "ocean", Size: ocean, Command: "./ocean"}, {Name: "ice", First: ocean, Size: procs - ocean, Command: "./ice -levels 5"}}}
	var jobOf []int
	for rank := range procs {
		job, first, size, path := 0, 0, ocean, traffic.SHM
		if rank >= ocean {
			job, first, size = 1, ocean, procs-ocean
		}
		c := &traffic.Snapshot{Member: rank, Procs: procs, Begun: r.Began.UnixNano(), Opened: r.Began.UnixNano() + int64(9e6+rnd.Float64()*4e6*float64(1+job))}
		add := func(other int, kind traffic.Kind, path traffic.Path, operations, bytes uint64) {
			c.Transfers = append(c.Transfers, traffic.Transfer{Member: other, Kind: kind, Path: path, Operations: operations, Bytes: operations * bytes})
		}
		for _, step := range []int{1, size - 1} {
			add(first+(rank-first+step)%size, traffic.Put, path, 40_000, 8192+rnd.Uint64N(4096))
		}
		partner := ocean + rank*(procs-ocean)/ocean
		if job == 1 {
			partner = (rank - ocean) * ocean / (procs - ocean)
		}
		add(partner, traffic.Message, traffic.TCP, 400, 200_000+rnd.Uint64N(100_000))
		add(0, traffic.Atomic, traffic.TCP, 1000, 8)
		waited := time.Duration((0.12 + 0.1*rnd.Float64() + 0.3*float64(1-job)) * float64(r.Took))
		c.Closed = r.Began.Add(r.Took - time.Duration(rnd.Int64N(2e8))).UnixNano()
		c.Timeline = &traffic.Timeline{Span: 200 * time.Millisecond}
		for i := range 210 {
			c.Timeline.Waited = append(c.Timeline.Waited, time.Duration(float64(waited)/210*(1+0.6*math.Sin(float64(i+7*rank)/(4+9*float64(job))))))
		}
		from, call, at := "ice.fluxes", "acp_receive_link", "ocean.f90:212"
		if job == 1 {
			from, at = "ocean.sst", "ice.c:88"
		}
		c.CallSites = []traffic.CallSite{{Kind: activity.Link, Call: call, At: at, About: from, Waits: 400, Total: waited * 9 / 10, Longest: time.Second},
			{Kind: activity.Barrier, Call: "acp_sync", At: at[:3] + ".c:40", Waits: 12, Total: waited / 10, Longest: time.Second}}
		c.Links = []traffic.Link{{Name: []string{"ocean.sst>ice.sst", "ice.fluxes>ocean.fluxes"}[job], Messages: 400, Bytes: 1e8}}
		c.Waits = []traffic.Wait{{Kind: activity.Barrier, Member: -1, Begun: r.Began.UnixNano() + rnd.Int64N(4e10), For: time.Duration(rnd.Int64N(2e9)), Call: "acp_sync", At: at[:3] + ".c:40"}}
		r.Ranks = append(r.Ranks, Rank{Job: job, Host: fmt.Sprintf("node%02d", rank/64), Counted: c})
		jobOf = append(jobOf, job)
	}
	s := NewSamples(2, 0, jobOf)
	for i := 1; i <= 84; i++ {
		for rank := range procs {
			t := r.Ranks[rank].Counted.Totals()
			share := float64(i)/84 + 0.03*math.Sin(float64(i)/(5+4*float64(jobOf[rank])))
			s.See(rank, traffic.Totals{Operations: uint64(float64(t.Operations) * share), Bytes: uint64(float64(t.Bytes) * share)})
		}
		s.Take(time.Duration(i) * 500 * time.Millisecond)
	}
	r.Samples = s.List()
	return r
}

// TestBrowserLongNames: names of jobs and hosts stay within their cells of the matrix.
func TestBrowserLongNames(t *testing.T) {
	run := coupled(3)
	run.Jobs[0].Name = "atmosphere-icosahedral-0123456789"
	for rank := range run.Ranks {
		run.Ranks[rank].Host = fmt.Sprintf("compute-rack12-node%04d.cluster.example.org", rank)
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := run.SavePage(file); err != nil {
		t.Fatal(err)
	}
	out, err := browser(t, "--dump-dom", "file://"+file).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`>atmo[^<]*…[^<]*789 0<title>atmosphere-icosahedral-0123456789 0</title>`,
		`>com[^<]*…[^<.]*02<title>compute-rack12-node0002</title>`,
		`>ice 2<title>`,
	} {
		if !regexp.MustCompile(want).Match(out) {
			t.Errorf("no %s in the page", want)
		}
	}
}

var (
	bodyTag   = regexp.MustCompile(`<body[^>]*>`)
	matrixTag = regexp.MustCompile(`<svg[^>]*id="matrix"[^>]*>`)
)

// TestBrowser: Chromium shows the page without an error, and the sums of its script are those of the run.
func TestBrowser(t *testing.T) {
	for _, procs := range []int{2, 256} {
		t.Run(fmt.Sprint(procs), func(t *testing.T) {
			run := coupled(procs)
			file := filepath.Join(t.TempDir(), "page.html")
			if err := run.SavePage(file); err != nil {
				t.Fatal(err)
			}
			out, err := browser(t, "--dump-dom", "file://"+file).Output()
			if err != nil {
				t.Fatal(err)
			}
			body, matrix := bodyTag.FindString(string(out)), matrixTag.FindString(string(out))
			if !strings.Contains(body, `data-errors="0"`) || !strings.Contains(body, `data-ready="1"`) {
				t.Errorf("the page has errors: %s", body)
			}
			var sum Volume
			cells := map[[2]int]bool{}
			for rank := range run.Ranks {
				for _, x := range run.Ranks[rank].Counted.Transfers {
					sum = Volume{sum.Operations + x.Operations, sum.Bytes + x.Bytes}
					cells[[2]int{rank, x.Member}] = true
				}
			}
			for _, want := range []string{fmt.Sprintf(`data-cells="%d"`, len(cells)), fmt.Sprintf(`data-operations="%d"`, sum.Operations), fmt.Sprintf(`data-bytes="%d"`, sum.Bytes)} {
				if !strings.Contains(matrix, want) {
					t.Errorf("the matrix is %s, expected %s", matrix, want)
				}
			}
			picture := filepath.Join(t.TempDir(), "page.png")
			if *update && procs == 256 { // make screenshots writes that of a small run, which is a real one
				picture = filepath.Join("..", "..", "..", "docs", fmt.Sprintf("trace-%d.png", procs))
			}
			if picture, err = filepath.Abs(picture); err != nil {
				t.Fatal(err)
			}
			if want := map[int]int{2: 2, 256: 64}[procs]; strings.Count(string(out), "data-share=") != want {
				t.Errorf("the timeline has %d rows, expected %d", strings.Count(string(out), "data-share="), want)
			}
			height := map[int]string{2: "1420", 256: "1900"}[procs]
			if err := browser(t, "--window-size=900,"+height, "--screenshot="+picture, "file://"+file).Run(); err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(picture)
			if err != nil || info.Size() > 250<<10 {
				t.Errorf("the picture: %v, %v", info, err)
			}
		})
	}
}
