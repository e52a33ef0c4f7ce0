package account

import (
	"strings"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/traffic"
)

// unbalanced is a run of two models, the second of which is slower. Ranks have the library open for 10 s.
func unbalanced() *Run {
	r := &Run{Took: 12 * time.Second, Began: time.Unix(100, 0), Jobs: []Job{{Name: "ocean", Size: 2}, {Name: "ice", First: 2, Size: 2}},
		Ranks: []Rank{{}, {}, {Job: 1}, {Job: 1}}}
	open := func(rank int, closed time.Duration, callSites ...traffic.CallSite) {
		s := tableOf(rank, 4)
		s.Begun, s.Opened = r.Began.UnixNano(), r.Began.Add(2*time.Second).UnixNano()
		if closed > 0 {
			s.Closed = r.Began.Add(closed).UnixNano()
		}
		s.CallSites = callSites
		s.Links = []traffic.Link{{Name: r.Jobs[r.Ranks[rank].Job].Name + ".x>y.z", Messages: 3, Bytes: 100}}
		r.Ranks[rank].Counted = &s
	}
	link := func(total time.Duration, at string) traffic.CallSite {
		return traffic.CallSite{Kind: activity.Link, Call: "acp_receive_link", At: at, About: "ice.sst", Waits: 10, Total: total, Longest: total / 2}
	}
	open(0, 12*time.Second, link(4*time.Second, "ocean.c:70"), link(2*time.Second, "ocean.c:90"))
	open(1, 0, link(3*time.Second, "ocean.c:70"), traffic.CallSite{Kind: activity.Barrier, Call: "acp_sync", Waits: 1, Total: time.Second, Longest: time.Second})
	open(2, 12*time.Second, traffic.CallSite{Kind: activity.Barrier, At: "ice.go:7", Waits: 4, Total: 50 * time.Millisecond, Longest: 20 * time.Millisecond})
	return r
}

const wantWaits = `job    waits for          share  most          waits  longest  most of it at
ocean  all                50 %   60 %, rank 0  31     2.0 s    
ocean  link with ice.sst  45 %   60 %, rank 0  30     2.0 s    ocean.c:70 (acp_receive_link)
ocean  barrier            5.0 %  10 %, rank 1  1      1.0 s    acp_sync
ice    all                <1 %   <1 %, rank 2  4      20 ms    
ice    barrier            <1 %   <1 %, rank 2  4      20 ms    ice.go:7
`

// TestWriteWaits: the table has the share of time that the ranks of each job have waited, with the reasons.
func TestWriteWaits(t *testing.T) {
	var text strings.Builder
	if err := unbalanced().writeWaits(&text); err != nil {
		t.Fatal(err)
	}
	if text.String() != wantWaits {
		t.Errorf("the table is\n%s\nexpected\n%s", text.String(), wantWaits)
	}
	text.Reset()
	if err := unbalanced().writeLinks(&text); err != nil || text.String() !=
		"job    sends by link  messages  bytes\nocean  ocean.x>y.z    6         200\nice    ice.x>y.z      3         100\n" {
		t.Errorf("%v, the table is\n%s", err, text.String())
	}
}

// TestBalance names the slower model, unless the models wait about as long.
func TestBalance(t *testing.T) {
	r := unbalanced()
	const want = "ocean waited 45 % of its time for links, ice 0.0 %: ice is the slower model"
	if got := r.balance(); got != want {
		t.Errorf("%q, expected %q", got, want)
	}
	r.Ranks[2].Counted.CallSites = append(r.Ranks[2].Counted.CallSites, traffic.CallSite{Kind: activity.Link, About: "ocean.x", Waits: 1, Total: 9 * time.Second / 2})
	if got := r.balance(); got != "" {
		t.Errorf("%q of models that wait equally long", got)
	}
	r.Ranks[2].Counted.Links = nil
	r.Ranks[2].Counted.CallSites = nil
	if got := r.balance(); got != "" {
		t.Errorf("%q of a job that has no link", got)
	}
}

// TestShares: a job that has waited all the time, in several threads, and one that has not started.
func TestShares(t *testing.T) {
	for _, c := range []struct {
		waited, all time.Duration
		want        string
	}{{3, 2, "100 %"}, {1, 3, "33 %"}, {0, 5, "0.0 %"}, {1, 0, "0.0 %"}, {1, 1000, "<1 %"}, {7, 100, "7.0 %"}} {
		if got := percent(shareOf(c.waited, c.all)); got != c.want {
			t.Errorf("%d of %d: %s, expected %s", c.waited, c.all, got, c.want)
		}
	}
}
