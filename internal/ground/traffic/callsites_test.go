package traffic

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/activity"
)

// TestCallSites adds up waits by call site. Waits at call sites beyond maxCallSites are added up together.
func TestCallSites(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName(0))
	table := newTable(t, path, 0, 2)
	long := "a/long/way/to/the/file/of/the/program/ocean.c:1234"
	want := map[string]*CallSite{"": {}} // the last one is for further call sites
	const each = 3
	for i := range each * (maxCallSites + 40) {
		s := activity.Sleeper{Kind: activity.Link, Member: i % 2, Since: time.Duration(i + 1), Call: "acp_receive_link",
			At: fmt.Sprintf("%s%03d", long, i/each), About: "ice.sst"}
		table.Waited(s)
		at := s.At[len(s.At)-maxText:]
		if i/each >= maxCallSites-1 {
			at = ""
		} else if want[at] == nil {
			want[at] = &CallSite{Kind: s.Kind, Call: s.Call, At: at, About: s.About}
		}
		p := want[at]
		p.Waits++
		p.Total += s.Since
		p.Longest = max(p.Longest, s.Since)
	}
	s, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.CallSites) != maxCallSites {
		t.Errorf("%d call sites, expected %d", len(s.CallSites), maxCallSites)
	}
	for _, p := range s.CallSites {
		if w := want[p.At]; w == nil || p != *w {
			t.Errorf("%+v, expected %+v", p, w)
		}
	}
}

// TestLocate finds the object of an address that a wait returns to.
func TestLocate(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName(0))
	table := newTable(t, path, 0, 1)
	f := TestLocate
	site := **(**uint64)(unsafe.Pointer(&f))
	for _, where := range []uint64{site, site + 1, 1} {
		table.Waited(activity.Sleeper{Kind: activity.Barrier, Since: 5, Call: "acp_sync", Site: where})
	}
	s, err := Read(path)
	if err != nil || len(s.Objects) != 1 {
		t.Fatalf("objects %+v, %v, expected one", s.Objects, err)
	}
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	s.Locate(func(path string, offset uint64, began time.Time) string {
		if path != exe || began.UnixNano() != s.Begun {
			t.Errorf("the call is in %s since %v, expected %s, %d", path, began, exe, s.Begun)
		}
		return fmt.Sprintf("line %d", offset-(site-s.Objects[0].Start+s.Objects[0].Offset))
	})
	for i, want := range []string{"line 0", "line 1", ""} {
		if got := s.CallSites[i].At; got != want {
			t.Errorf("call site %d is at %q, expected %q", i, got, want)
		}
	}
	if s.Objects != nil {
		t.Errorf("objects %+v remain", s.Objects)
	}
}

// TestLinks counts messages of links, also of more links than the table has room for.
func TestLinks(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName(0))
	table := newTable(t, path, 0, 1)
	for round := range 2 {
		for i := range maxLinks + 1 {
			end := table.Link(fmt.Sprintf("ocean.f%d>ice.f%d", i, i), false)
			end.Begin()
			sent := end.Sent()
			if (sent == nil) != (i == maxLinks) {
				t.Fatalf("link %d counts at %p", i, sent)
			}
			sent.Add(uint64(i + round))
		}
	}
	table.Link("idle", true)
	s, err := Read(path)
	if err != nil || len(s.Links) != maxLinks {
		t.Fatalf("%d links, %v", len(s.Links), err)
	}
	for i, l := range s.Links {
		if want := (Link{Name: fmt.Sprintf("ocean.f%d>ice.f%d", i, i), Messages: 2, Bytes: uint64(2*i + 1), Begun: l.Begun}); l != want || l.Begun == 0 {
			t.Errorf("%+v, expected %+v", l, want)
		}
	}
	var none *Table
	none.Link("x", false).Sent().Add(1)
}

// TestTimeline compares a timeline with a sum over each of its parts, for random waits.
func TestTimeline(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	for range 50 {
		r := &timelineRecord{span: int64(firstSpan)}
		if r.decode() != nil {
			t.Fatal("a timeline without waits")
		}
		type wait struct{ from, to time.Duration }
		var waits []wait
		length := time.Duration(rnd.Int64N(int64(time.Hour))) + 1
		for range 30 {
			from := time.Duration(rnd.Int64N(int64(length)))
			w := wait{from, from + time.Duration(rnd.Int64N(int64(length-from)))}
			waits = append(waits, w)
			r.add(w.from, w.to)
		}
		line := r.decode()
		if !line.valid() {
			t.Fatalf("%+v is not valid", line)
		}
		for i, got := range line.Waited {
			begin, end := time.Duration(i)*line.Span, time.Duration(i+1)*line.Span
			var want time.Duration
			for _, w := range waits {
				want += max(0, min(w.to, end)-max(w.from, begin))
			}
			if got != want {
				t.Fatalf("part %d of %v: %v, expected %v", i, line.Span, got, want)
			}
		}
		var last time.Duration
		for _, w := range waits {
			last = max(last, w.to)
		}
		if want := int(last/line.Span) + 1; len(line.Waited) != want {
			t.Fatalf("%d parts, expected %d", len(line.Waited), want)
		}
	}
}
