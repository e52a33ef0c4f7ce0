package account

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/traffic"
)

// tableOf returns the table of a rank with these transfers.
func tableOf(rank, procs int, transfers ...traffic.Transfer) traffic.Snapshot {
	return traffic.Snapshot{Member: rank, Procs: procs, Transfers: transfers}
}

// TestGather reads tables of this host and of other hosts, and expects an error that names the files that are
// no tables.
func TestGather(t *testing.T) {
	dir := t.TempDir()
	own, err := traffic.New(filepath.Join(dir, traffic.FileName(2)), 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Free()
	own.Add(0, traffic.Put, traffic.SHM, 8)
	other := tableOf(0, 3, traffic.Transfer{Member: 2, Kind: traffic.Message, Path: traffic.TCP, Operations: 2, Bytes: 5})
	if err := Save(dir, &other); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"token", "traffic-1", "traffic-1.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, err := Gather(dir)
	if err == nil || !strings.Contains(err.Error(), "traffic-1:") || strings.Contains(err.Error(), "token") {
		t.Errorf("error %v", err)
	}
	if len(list) != 2 || !reflect.DeepEqual(list[0], other) || list[1].Member != 2 ||
		!slices.Equal(list[1].Transfers, []traffic.Transfer{{Member: 0, Operations: 1, Bytes: 8}}) {
		t.Errorf("tables %+v", list)
	}
}

// sample is a run of two jobs, one rank of which has no table.
func sample() *Run {
	r := &Run{Took: 1500 * time.Millisecond, Jobs: []Job{{Name: "ocean", Size: 2}, {Name: "ice", First: 2, Size: 2}},
		Seats: 4, Ranks: []Rank{{}, {}, {Job: 1}, {Job: 1}}}
	first := tableOf(0, 4, traffic.Transfer{Member: 1, Kind: traffic.Put, Operations: 3, Bytes: 24},
		traffic.Transfer{Member: 2, Kind: traffic.Message, Path: traffic.TCP, Operations: 2, Bytes: 5000})
	first.Begun, first.Opened = 1, 12_000_001
	second := tableOf(1, 4, traffic.Transfer{Member: 0, Kind: traffic.Put, Operations: 1, Bytes: 8},
		traffic.Transfer{Member: 3, Kind: traffic.Message, Path: traffic.TCP, Operations: 1, Bytes: 0})
	second.Begun, second.Opened = 1, 9_000_001
	second.Waits = []traffic.Wait{{Kind: activity.Barrier, Member: -1, For: 2 * time.Second, Call: "acp_sync"},
		{Kind: activity.Receive, Member: 2, For: time.Second}}
	third := tableOf(2, 4, traffic.Transfer{Member: 0, Kind: traffic.Get, Path: traffic.RMA, Operations: 1, Bytes: 1 << 20})
	r.Fill([]traffic.Snapshot{first, second, third, tableOf(3, 5), tableOf(4, 4)})
	return r
}

// TestOtherRanks: transfers with ranks of other launchers have a line of their own, in the run and for its guests.
func TestOtherRanks(t *testing.T) {
	between := func(from, to int) traffic.Snapshot {
		s := tableOf(from, 9, traffic.Transfer{Member: to, Kind: traffic.Put, Path: traffic.TCP, Operations: 1, Bytes: 8})
		s.Begun, s.Opened = 1, 12_000_001
		return s
	}
	tables := []traffic.Snapshot{between(0, 1), between(1, 8), between(5, 0), between(6, 5), between(7, 6)}
	for _, test := range []struct {
		run   Run
		lines []string
	}{
		{Run{Jobs: []Job{{Name: "ocean", Size: 2}}, Seats: 9, Ranks: make([]Rank, 2)},
			[]string{"ocean  (guests)  put   tcp   1           8", "ocean  ocean     put   tcp   1           8"}},
		{Run{Jobs: []Job{{Name: "view", First: 5, Size: 2}}, First: 5, Seats: 9, Ranks: make([]Rank, 2)},
			[]string{"view  (other ranks)  put   tcp   1           8", "view  view           put   tcp   1           8", "longest on rank 5"}},
		{Run{Jobs: []Job{{Name: "view", First: 3, Size: 1}}, First: 3, Seats: 9, Ranks: make([]Rank, 1)},
			[]string{"nothing is known of rank 3"}},
	} {
		test.run.Fill(tables)
		var table strings.Builder
		if err := test.run.Write(&table); err != nil {
			t.Fatal(err)
		}
		for _, line := range test.lines {
			if !strings.Contains(table.String(), line) {
				t.Errorf("no line %q in\n%s", line, table.String())
			}
		}
	}
}

const wantTable = `transfers of 4 ranks in 1.5 s
from   to     kind     path  operations  bytes
ocean  ocean  put      shm   4           32
ocean  ice    message  tcp   3           5000 (4.9 KiB)
ice    ocean  get      rma   1           1048576 (1 MiB)
all                          8           1053608 (1 MiB)
to start the library took 9 ms to 12 ms, longest on rank 0
the longest wait was that of rank 1 in acp_sync: 2.0 s
nothing is known of rank 3
`

// TestWrite writes the table of a run.
func TestWrite(t *testing.T) {
	var text strings.Builder
	if err := sample().Write(&text); err != nil {
		t.Fatal(err)
	}
	if text.String() != wantTable {
		t.Errorf("the table is\n%sexpected\n%s", text.String(), wantTable)
	}
}

// TestWriteNothing: Write also writes a table for a run without any counts.
func TestWriteNothing(t *testing.T) {
	var text strings.Builder
	r := &Run{Jobs: []Job{{Name: "a", Size: 3}}, Ranks: make([]Rank, 3)}
	if err := r.Write(&text); err != nil || !strings.HasSuffix(text.String(), "nothing is known of ranks 0-2\n") {
		t.Errorf("%v, the table is\n%s", err, text.String())
	}
}

func TestRangesOf(t *testing.T) {
	for want, ranks := range map[string][]int{"rank 7": {7}, "ranks 0-2": {0, 1, 2}, "ranks 0, 2-3, 9": {0, 2, 3, 9}} {
		if got := rangesOf(ranks); got != want {
			t.Errorf("%v: %s, expected %s", ranks, got, want)
		}
	}
}

// FuzzDecode: any input of Decode gives a table or an error.
func FuzzDecode(f *testing.F) {
	good := tableOf(1, 2, traffic.Transfer{Member: 0, Kind: traffic.Copy, Path: traffic.RMA, Operations: 1, Bytes: 2})
	good.Waits = []traffic.Wait{{Kind: activity.Value, Member: 1, For: 3, Call: "acp_wait_value"}}
	text, err := json.Marshal(&good)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"rank":5,"procs":4}`))
	f.Add([]byte(`{"rank":0,"procs":1,"transfers":[{"rank":1}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Decode(text)
		if err != nil {
			return
		}
		r := &Run{Jobs: []Job{{Size: s.Procs}}, Seats: s.Procs, Ranks: make([]Rank, min(s.Procs, 100))}
		r.Fill([]traffic.Snapshot{s})
		var to strings.Builder
		if err := r.Write(&to); err != nil || strings.ContainsFunc(to.String(), func(c rune) bool { return c < ' ' && c != '\n' }) {
			t.Errorf("%v, table %q", err, to.String())
		}
	})
}
