//go:build cgo

package libacp

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// mostDeaths is how often a case may end a run of testdata/edges.c. Each time a new run begins
// with the next case.
const mostDeaths = 30

// caseTime bounds one call of testdata/edges.c; most take microseconds.
const caseTime = 20 * time.Second

var edgeRow = regexp.MustCompile(`(?m)^FUNCTION\d+\(((?:go)?acp_[a-z0-9_]+),`)

// TestEdgesNameAllFunctions: every function of acp.h and acp_couple.h is called with edge values.
func TestEdgesNameAllFunctions(t *testing.T) {
	text, err := os.ReadFile("testdata/edges.def")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{}
	for _, m := range edgeRow.FindAllStringSubmatch(string(text), -1) {
		rows[m[1]] = true
	}
	want := specified(t)
	want["goacp_deque_it_ga"] = true
	maps.Copy(want, symbols(t, "couple_symbols"))
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("testdata/edges.def has %v, expected %v", names(rows), names(want))
	}
}

// TestEdges calls every function with values at the edges. A call with a wrong value fails and sets
// ACP_ERRNO, and never ends the process.
func TestEdges(t *testing.T) {
	if testing.Short() {
		t.Skip("runs some ten thousand cases")
	}
	path := program(t, "edges")
	heap := "ACP_STARTER_MEMSIZE_DL=67108864"
	for _, run := range []struct {
		name  string
		ranks int
		env   []string
	}{
		{name: "alone", ranks: 1, env: []string{heap, "ACP_STATS=yes"}},
		{name: "shm", ranks: 2, env: []string{heap, "ACP_NET=shm", "ACP_STATS=yes"}},
		{name: "tcp", ranks: 2, env: []string{heap, "ACP_NET=tcp", "ACP_STATS=yes"}},
	} {
		t.Run(run.name, func(t *testing.T) {
			t.Parallel()
			e := edgeRun{path: path, env: run.env, progress: filepath.Join(t.TempDir(), "progress")}
			first := uint64(0)
			for range mostDeaths {
				if first = e.from(t, run.ranks, first); first == 0 {
					return
				}
			}
			t.Errorf("%d deaths are enough", mostDeaths)
		})
	}
}

// edgeRun is a run of testdata/edges.c.
type edgeRun struct {
	path, progress string
	env            []string
}

// from runs the cases from number first on and reports what they found. It returns the
// number of the case behind the one that ended the run, or 0 if none did.
func (e edgeRun) from(t *testing.T, ranks int, first uint64) uint64 {
	t.Helper()
	if err := os.WriteFile(e.progress, make([]byte, 8192), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stuck := false
	var watching sync.WaitGroup
	watching.Go(func() { stuck = e.watch(ctx, cancel) })
	results := e.start(ctx, t, ranks, first)
	cancel()
	watching.Wait()
	well := true
	for rank, r := range results {
		for line := range strings.Lines(r.stdout) {
			t.Errorf("rank %d: %s", rank, strings.TrimSpace(line))
		}
		well = well && r.status == 0
	}
	if well {
		return 0
	}
	number, text := e.at(t)
	why := "ended the process"
	if stuck {
		why = "hangs"
	}
	t.Errorf("case %d, %s, %s: %s", number, text, why, results)
	return max(number, first) + 1
}

// start runs the ranks and returns how each has ended.
func (e edgeRun) start(ctx context.Context, t *testing.T, ranks int, first uint64) []ended {
	args := []string{e.progress, fmt.Sprint(first)}
	if ranks == 1 {
		return []ended{start(ctx, t, e.env, e.path, args...)}
	}
	place := rendezvous(t, ranks)
	results := make([]ended, ranks)
	var all sync.WaitGroup
	for rank := range ranks {
		own := place
		own.JobRank = rank
		all.Go(func() { results[rank] = start(ctx, t, append(own.Environ(), e.env...), e.path, args...) })
	}
	all.Wait()
	return results
}

// watch ends the run if a case takes too long, and reports whether it did.
func (e edgeRun) watch(ctx context.Context, end func()) (stuck bool) {
	var last uint64
	since := time.Now()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(100 * time.Millisecond):
		}
		if b, err := os.ReadFile(e.progress); err == nil && binary.NativeEndian.Uint64(b) != last {
			last, since = binary.NativeEndian.Uint64(b), time.Now()
		}
		if time.Since(since) > caseTime {
			end()
			return true
		}
	}
}

// at returns the number of the last case and its text.
func (e edgeRun) at(t *testing.T) (number uint64, text string) {
	b, err := os.ReadFile(e.progress)
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ = strings.Cut(string(b[8:]), "\x00")
	return binary.NativeEndian.Uint64(b), text
}
