package traffic

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/ground/activity"
)

func newTable(t *testing.T, path string, member, procs int) *Table {
	t.Helper()
	table, err := New(path, member, procs)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Free() })
	return table
}

// TestAdd counts at random on several goroutines, and compares the table and its file with a model.
func TestAdd(t *testing.T) {
	const procs, threads, each = 300, 4, 2000
	path := filepath.Join(t.TempDir(), FileName(7))
	table := newTable(t, path, 7, procs)
	models := make([]map[Transfer]Transfer, threads)
	var all sync.WaitGroup
	for i := range models {
		models[i] = map[Transfer]Transfer{}
		rnd := rand.New(rand.NewPCG(1, uint64(i)))
		all.Go(func() {
			for range each {
				// Few members, so that most of the file has no memory.
				key := Transfer{Member: rnd.IntN(3) * 149, Kind: Kind(rnd.IntN(int(Kinds))), Path: Path(rnd.IntN(int(Paths)))}
				n := []uint64{0, 4, 8, 1 << 20, 1 << 24, 1 << 40}[rnd.IntN(6)]
				table.Add(key.Member, key.Kind, key.Path, n)
				sum := models[i][key]
				sum.Operations++
				sum.Bytes += n
				models[i][key] = sum
			}
		})
	}
	all.Wait()
	var want []Transfer
	for member := range procs {
		for cell := range cells {
			x := Transfer{Member: member, Kind: Kind(cell / int(Paths)), Path: Path(cell % int(Paths))}
			key := x
			for _, m := range models {
				x.Operations += m[key].Operations
				x.Bytes += m[key].Bytes
			}
			if x.Operations > 0 {
				want = append(want, x)
			}
		}
	}
	if got := table.Transfers(); !slices.Equal(got, want) {
		t.Errorf("the table has %v, expected %v", got, want)
	}
	s, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.Transfers, want) || s.Member != 7 || s.Procs != procs || s.PID != os.Getpid() {
		t.Errorf("the file has %+v, expected %v", s, want)
	}
}

// TestTimes: the file has the times at which the process started and finalized the library.
func TestTimes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	before := time.Now().UnixNano()
	table := newTable(t, path, 0, 1)
	if s, err := Read(path); err != nil || s.Begun < before || s.Opened != 0 || s.Closed != 0 {
		t.Errorf("at the beginning: %+v, %v", s, err)
	}
	table.Opened()
	table.Closed()
	if s, err := Read(path); err != nil || s.Opened < s.Begun || s.Closed < s.Opened {
		t.Errorf("at the end: %+v, %v", s, err)
	}
}

// TestLongestWaits keeps the longest of many waits, in order, and adds up all.
func TestLongestWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	table := newTable(t, path, 0, 5)
	var sum uint64
	for _, i := range rand.Perm(100) {
		table.Waited(activity.Sleeper{Kind: activity.Receive, Member: i%5 - 1, Since: time.Duration(1000 + i), Call: fmt.Sprintf("call%d", i)})
		sum += uint64(1000 + i)
	}
	s, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Waits) != maxWaits || s.Waiting != sum {
		t.Fatalf("%d waits of together %d, expected %d of %d", len(s.Waits), s.Waiting, maxWaits, sum)
	}
	for i, w := range s.Waits {
		n := 99 - i
		want := Wait{Kind: activity.Receive, Member: n%5 - 1, Begun: w.Begun, For: time.Duration(1000 + n), Call: fmt.Sprintf("call%d", n)}
		if w != want {
			t.Errorf("wait %d: %+v, expected %+v", i, w, want)
		}
	}
}

// TestReadDamaged: a file that is no table is an error.
func TestReadDamaged(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "whole")
	newTable(t, path, 1, 2)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damage := map[string]func(b []byte) []byte{
		"empty":       func(b []byte) []byte { return nil },
		"short":       func(b []byte) []byte { return b[:len(b)-1] },
		"long":        func(b []byte) []byte { return append(b, 0) },
		"magic":       func(b []byte) []byte { b[16] ^= 1; return b },
		"version":     func(b []byte) []byte { b[24] ^= 2; return b },
		"member":      func(b []byte) []byte { b[28] = 2; return b },
		"many":        func(b []byte) []byte { b[35] = 0xff; return b },
		"none at all": func(b []byte) []byte { b[32] = 0; return b },
	}
	for name, change := range damage {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, change(slices.Clone(whole)), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := Read(path); !errors.Is(err, ErrFile) {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	if _, err := Read(dir); err == nil {
		t.Error("a directory is a table")
	}
}

// TestWithoutFile: a table whose file cannot be made counts for its own process. No table counts nothing.
func TestWithoutFile(t *testing.T) {
	table := newTable(t, "/nonexistent/file", 0, 2)
	table.Add(1, Get, TCP, 8)
	want := []Transfer{{Member: 1, Kind: Get, Path: TCP, Operations: 1, Bytes: 8}}
	if got := table.Transfers(); !slices.Equal(got, want) {
		t.Errorf("the table has %v, expected %v", got, want)
	}
	var none *Table
	none.Add(1, Get, TCP, 8)
	none.Waited(activity.Sleeper{})
	none.Renumber([]uint32{1, 0})
	none.Opened()
	none.Closed()
	if none.Transfers() != nil || none.Pointer() != nil {
		t.Error("no table has transfers")
	}
}

// TestOfCopy: the kind of a copy and its other end.
func TestOfCopy(t *testing.T) {
	for _, c := range []struct {
		dst, src, other int
		kind            Kind
	}{{2, 1, 2, Put}, {1, 2, 2, Get}, {1, 1, 1, Put}, {2, 3, 2, Copy}, {2, 2, 2, Copy}} {
		if kind, other := OfCopy(1, c.dst, c.src); kind != c.kind || other != c.other {
			t.Errorf("from %d to %d: %v with %d, expected %v with %d", c.src, c.dst, kind, other, c.kind, c.other)
		}
	}
}

// TestTexts: names are encoded in JSON and decoded again, and other texts are errors.
func TestTexts(t *testing.T) {
	for k := range Kinds {
		text, _ := k.MarshalText()
		var back Kind
		if err := back.UnmarshalText(text); err != nil || back != k {
			t.Errorf("%v: %v, %v", k, back, err)
		}
	}
	for p := range Paths {
		text, _ := p.MarshalText()
		var back Path
		if err := back.UnmarshalText(text); err != nil || !reflect.DeepEqual(back, p) {
			t.Errorf("%v: %v, %v", p, back, err)
		}
	}
	if new(Kind).UnmarshalText([]byte("x")) == nil || new(Path).UnmarshalText([]byte("x")) == nil {
		t.Error("x is a name")
	}
}
