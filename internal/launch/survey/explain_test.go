package survey

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/ground/activity"
)

// newRun returns a run of two jobs whose ranks compute.
func newRun(ranks int) *Run {
	r := &Run{Name: "7", Command: "macprun", Jobs: []Job{{Number: 0, Size: 1}, {Number: 1, First: 1, Size: ranks - 1}}}
	for i := range ranks {
		r.Ranks = append(r.Ranks, Rank{Rank: i, Job: min(i, 1), Host: "pc01", PID: 100 + i, State: Computing, Seen: &Process{Rank: i, Memory: 3 << 20}})
	}
	return r
}

// sleeps makes a rank wait.
func (r *Run) sleeps(rank int, w Wait) {
	r.Ranks[rank].State = Waiting
	r.Ranks[rank].Seen.Waits = append(r.Ranks[rank].Seen.Waits, w)
	if w.Kind == activity.Barrier {
		r.Ranks[rank].Seen.Barriers = 1
	}
}

// all is a wait for all ranks, one for a wait for one of them.
func all(k activity.Kind, call string) Wait {
	return Wait{Kind: k, Call: call, Rank: -1, For: 90 * time.Second}
}

func one(k activity.Kind, call string, rank int) Wait {
	return Wait{Kind: k, Call: call, Rank: rank, For: 90 * time.Second}
}

func TestExplain(t *testing.T) {
	const r3 = " since 1 m 30 s"
	for _, c := range []struct {
		change func(r *Run)
		want   string // of rank 0
	}{
		{func(r *Run) {}, "computes"},
		{func(r *Run) { r.Ranks[0].State = Stopped }, "is stopped"},
		{func(r *Run) {
			w := all(activity.Opening, "acp_open_link_to")
			w.About = "ocean.sst to air.below"
			r.sleeps(0, w)
		}, "waits in acp_open_link_to" + r3 + ": not all ranks have opened the link of ocean.sst to air.below"},
		{func(r *Run) {
			w := one(activity.Link, "acp_send_link", 5)
			w.About = "air.below"
			r.sleeps(0, w)
		}, "waits in acp_send_link" + r3 + ": the other end of the link with air.below, at rank 5 (job 1)"},
		{func(r *Run) { r.sleeps(0, one(activity.Link, "acp_open_link_to", -1)) }, "waits in acp_open_link_to" + r3 + ": the other end of the link"},
		{func(r *Run) { r.sleeps(0, one(activity.Mutex, "", -1)); r.Ranks[0].State = Stopped }, "is stopped; waits" + r3 + ": a mutex"},
		{func(r *Run) { r.Ranks[0].State, r.Ranks[0].How = Ended, "killed by signal 9 (Killed)" }, "killed by signal 9 (Killed)"},
		{func(r *Run) { r.sleeps(0, all(activity.Barrier, "acp_sync")) }, "waits in acp_sync" + r3 + ": ranks 1-5 have not come"},
		{func(r *Run) {
			r.sleeps(0, all(activity.Barrier, "acp_sync"))
			r.Ranks[2].Apart, r.Ranks[4].Apart = true, true
		}, "waits in acp_sync" + r3 + ": ranks 1, 3, 5 have not come"},
		{func(r *Run) {
			r.sleeps(0, all(activity.Start, "acp_init"))
			r.Ranks[0].Apart, r.Ranks[2].Seen = true, nil
		}, "waits in acp_init" + r3},
		{func(r *Run) {
			for i := range 5 {
				r.sleeps(i, all(activity.Barrier, "acp_sync"))
			}
		}, "waits in acp_sync" + r3 + ": rank 5 has not come"},
		{func(r *Run) {
			r.sleeps(0, all(activity.Barrier, "acp_sync"))
			r.Ranks[1].Seen.Barriers, r.Ranks[3].Seen.Barriers, r.Ranks[4].Seen.Barriers, r.Ranks[5].State, r.Ranks[5].Seen = 1, 2, 0, NotSeen, nil
		}, "waits in acp_sync" + r3 + ": ranks 2, 4 have not come"},
		{func(r *Run) {
			r.sleeps(0, all(activity.Start, "acp_init"))
			r.Ranks[2].State, r.Ranks[2].Seen = Outside, nil
		}, "waits in acp_init" + r3 + ": rank 2 has not come"},
		{func(r *Run) {
			for i := range 4 {
				r.sleeps(i, all(activity.Exchange, "acp_create_ws"))
			}
		}, "waits in acp_create_ws" + r3 + ": ranks 4-5 have not come"},
		{func(r *Run) { r.sleeps(0, one(activity.Receive, "acp_wait_ch", 2)) }, "waits in acp_wait_ch" + r3 + ": a message from rank 2"},
		{func(r *Run) {
			r.sleeps(0, Wait{Kind: activity.Receive, Call: "acp.Channel.Receive", At: "main.go:12", Rank: 2, For: 90 * time.Second})
		}, "waits in acp.Channel.Receive (main.go:12)" + r3 + ": a message from rank 2"},
		{func(r *Run) { r.sleeps(0, one(activity.Receive, "", -1)) }, "waits" + r3 + ": a message"},
		{func(r *Run) { r.sleeps(0, one(activity.Send, "acp_wait_ch", 2)) }, "waits in acp_wait_ch" + r3 + ": a message is not taken yet by rank 2"},
		{func(r *Run) { r.sleeps(0, one(activity.Complete, "acp_complete", 3)); r.Ranks[0].Seen.Pending = 12 },
			"waits in acp_complete" + r3 + ": 12 copies and atomics in flight, the first with rank 3"},
		{func(r *Run) { r.sleeps(0, one(activity.Complete, "acp_complete", 3)); r.Ranks[0].Seen.Pending = 1 },
			"waits in acp_complete" + r3 + ": a copy or atomic in flight with rank 3"},
		{func(r *Run) { r.sleeps(0, one(activity.Complete, "ARMCI_Fence", 3)) }, "waits in ARMCI_Fence" + r3 + ": transfers in flight with rank 3"},
		{func(r *Run) { r.sleeps(0, one(activity.Answer, "acp_malloc", 4)) }, "waits in acp_malloc" + r3 + ": an answer from rank 4"},
		{func(r *Run) { r.sleeps(0, one(activity.Unknown, "acp_new", -1)) }, "waits in acp_new" + r3},
		{func(r *Run) {
			r.sleeps(0, one(activity.Answer, "acp_malloc", 4))
			r.sleeps(0, one(activity.Notify, "armci_notify_wait", 1))
			r.Ranks[0].Seen.Hidden = 2
		}, "waits in acp_malloc" + r3 + ": an answer from rank 4; waits in armci_notify_wait" + r3 + ": a notification from rank 1; 2 more threads wait"},
	} {
		r := newRun(6)
		c.change(r)
		if got := r.Explain(0); got != c.want {
			t.Errorf("%q, expected %q", got, c.want)
		}
	}
}

// TestEveryKindIsExplained: each kind that waits for a rank names it.
func TestEveryKindIsExplained(t *testing.T) {
	for k := activity.Unknown + 1; !strings.HasPrefix(k.String(), "Kind("); k++ {
		r := newRun(6)
		for i := range 5 {
			r.sleeps(i, one(k, "", 5))
		}
		if k == activity.Start {
			r.Ranks[5].State, r.Ranks[5].Seen = Outside, nil
		}
		if got := r.Explain(0); !strings.Contains(got, "5") {
			t.Errorf("kind %v: %q", k, got)
		}
	}
}

func TestDurationAndBytes(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0.0 s", 1234 * time.Millisecond: "1.2 s", 12 * time.Second: "12 s",
		200 * time.Second: "3 m 20 s", 2*time.Hour + 3*time.Minute: "2 h 3 m"} {
		if got := Duration(d); got != want {
			t.Errorf("%v: %q, expected %q", d, got, want)
		}
	}
	for n, want := range map[uint64]string{0: "0 B", 1023: "1023 B", 1024: "1 KiB", 1536: "1.5 KiB", 34 << 20: "34 MiB", 1 << 60: "1 EiB"} {
		if got := Bytes(n); got != want {
			t.Errorf("%d: %q, expected %q", n, got, want)
		}
	}
}

// TestCycle compares with a search that follows all paths.
func TestCycle(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	cycles := 0
	for range 3000 {
		r := newRun(2 + rnd.IntN(6))
		for i := range r.Ranks {
			switch rnd.IntN(5) {
			case 0:
				r.sleeps(i, all(activity.Barrier, "acp_sync"))
			case 1, 2:
				r.sleeps(i, one(activity.Receive, "acp_wait_ch", rnd.IntN(len(r.Ranks))))
			case 3:
				r.sleeps(i, one(activity.Answer, "acp_malloc", rnd.IntN(len(r.Ranks))))
			}
		}
		got := r.Cycle(time.Second)
		if (got != nil) != r.anyCycle() {
			t.Fatalf("cycle %v, expected one: %v", got, r.anyCycle())
		}
		if got == nil {
			continue
		}
		cycles++
		for i, rank := range got {
			to := got[(i+1)%len(got)]
			if !slices.Contains(r.programAwaits(rank), to) {
				t.Fatalf("%v: rank %d does not wait for rank %d", got, rank, to)
			}
		}
		if got[0] != slices.Min(got) {
			t.Fatalf("%v does not begin with the smallest", got)
		}
	}
	if cycles < 100 || cycles > 2900 {
		t.Errorf("%d of 3000 have a cycle", cycles)
	}
}

// programAwaits returns the ranks whose programs a rank waits for.
func (r *Run) programAwaits(rank int) (to []int) {
	for _, w := range r.Ranks[rank].Seen.Waits {
		if w.forProgram() {
			to = append(to, r.Awaited(rank, w)...)
		}
	}
	return to
}

// anyCycle follows all paths.
func (r *Run) anyCycle() bool {
	var reaches func(from, to, steps int) bool
	reaches = func(from, to, steps int) bool {
		return steps > 0 && slices.ContainsFunc(r.programAwaits(from), func(next int) bool { return next == to || reaches(next, to, steps-1) })
	}
	for i := range r.Ranks {
		if reaches(i, i, len(r.Ranks)) {
			return true
		}
	}
	return false
}

func TestDescribeCycle(t *testing.T) {
	r := newRun(4)
	r.sleeps(0, one(activity.Receive, "acp_wait_ch", 2))
	r.sleeps(2, one(activity.Connect, "", 3))
	r.sleeps(3, all(activity.Barrier, "acp_sync"))
	const want = "rank 0 (job 0) waits in acp_wait_ch for rank 2, rank 2 (job 1) waits for rank 3, rank 3 (job 1) waits in acp_sync for rank 0"
	if got := r.DescribeCycle(r.Cycle(time.Second)); got != want {
		t.Errorf("%q, expected %q", got, want)
	}
	if cycle := r.Cycle(2 * time.Minute); cycle != nil {
		t.Errorf("a cycle of waits that are too short: %v", cycle)
	}
}

// TestStallAtLinks: the text about a cycle of models that wait for each other names the fields.
func TestStallAtLinks(t *testing.T) {
	r := newRun(4)
	for rank, field := range []string{"air.below", "air.below", "ocean.sst", "ocean.sst"} {
		w := one(activity.Link, "acp_receive_link", 3-rank)
		w.At, w.About = "step.c:9", field
		r.sleeps(rank, w)
	}
	const want = "all ranks have been waiting for 1 m 0 s: rank 0 (job 0) waits in acp_receive_link (step.c:9) at the link with air.below for rank 3, " +
		"rank 3 (job 1) waits in acp_receive_link (step.c:9) at the link with ocean.sst for rank 0"
	if got := NewStall(time.Minute).Look(r); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestStallOfOpenings: the line has all ranks that open links, where they do it and which links. It advises
// to change the name of a model of which no rank opens a link, or the order if the waits form a cycle.
func TestStallOfOpenings(t *testing.T) {
	const (
		stalled = "all ranks have been waiting for 1 m 0 s: "
		order   = "; models open links between the same fields, and in the same order, or begin all of them before they wait"
	)
	opens := func(about string) string {
		return " in acp_open_link (" + modelOf(about) + ".c:9) since 1 m 30 s: not all ranks have opened the link of " + about
	}
	for _, c := range []struct {
		name  string
		ranks []string // the link that each of them opens; "": it waits for another reason
		want  string
	}{
		{"order", []string{"ocean.sst to air.below", "air.wind to ocean.stress", "air.wind to ocean.stress"},
			"rank 0 waits" + opens("ocean.sst to air.below") + "; ranks 1-2 wait" + opens("air.wind to ocean.stress") + order},
		{"no ring", []string{"a.x to b.x", "b.y to c.y", "a.z from c.z", "c.z to a.z"},
			"rank 0 waits" + opens("a.x to b.x") + "; rank 1 waits" + opens("b.y to c.y") + "; rank 2 waits" + opens("a.z from c.z") +
				"; rank 3 waits" + opens("c.z to a.z")},
		{"ring", []string{"a.x to b.x", "b.y to c.y", "c.z to a.z"},
			"rank 0 waits" + opens("a.x to b.x") + "; rank 1 waits" + opens("b.y to c.y") + "; rank 2 waits" + opens("c.z to a.z") + order},
		{"no model", []string{"ocean.sst to atmosfere.below", "atmosphere.below from ocean.sst"},
			"rank 0 waits" + opens("ocean.sst to atmosfere.below") + "; rank 1 waits" + opens("atmosphere.below from ocean.sst") +
				"; no rank opens a link of model atmosfere"},
		{"another rank may be of the model", []string{"ocean.sst to air.below", ""},
			"rank 0 waits" + opens("ocean.sst to air.below") + "; rank 1 waits in acp_get since 1 m 30 s: transfers in flight"},
		{"same link", []string{"ocean.sst to air.below", "air.below from ocean.sst", "air.below from ocean.sst"},
			"rank 0 waits" + opens("ocean.sst to air.below") + "; ranks 1-2 wait" + opens("air.below from ocean.sst")},
		{"within a model", []string{"m.f to m.g", "m.f to m.g"}, "ranks 0-1 wait" + opens("m.f to m.g") + order},
	} {
		r := newRun(len(c.ranks))
		for rank, about := range c.ranks {
			if about == "" {
				r.sleeps(rank, all(activity.Complete, "acp_get"))
				continue
			}
			w := all(activity.Opening, "acp_open_link")
			w.At, w.About = modelOf(about)+".c:9", about
			r.sleeps(rank, w)
		}
		if got := NewStall(time.Minute).Look(r); got != stalled+c.want {
			t.Errorf("%s:\n%s, want\n%s", c.name, got, stalled+c.want)
		}
	}
}

// TestStallIsShort: the line has a bounded number of reasons.
func TestStallIsShort(t *testing.T) {
	r := newRun(9)
	for rank := range r.Ranks {
		w := one(activity.Receive, "acp_wait_ch", -1)
		w.At = fmt.Sprintf("ice.c:%d", rank)
		r.sleeps(rank, w)
	}
	if got := NewStall(time.Minute).Look(r); strings.Count(got, "ice.c") != 6 || !strings.HasSuffix(got, "; 3 more waits") {
		t.Error(got)
	}
}

func TestStall(t *testing.T) {
	stall := NewStall(time.Minute)
	r := newRun(2)
	expect := func(want string) {
		t.Helper()
		if got := stall.Look(r); got != want {
			t.Errorf("%q, expected %q", got, want)
		}
	}
	expect("")
	r.sleeps(0, one(activity.Receive, "acp_wait_ch", 1))
	expect("") // rank 1 computes
	r.sleeps(1, all(activity.Barrier, "acp_sync"))
	r.Ranks[1].Seen.Waits[0].For = 30 * time.Second
	expect("") // not for long
	r.Ranks[1].Seen.Waits[0].For = 61 * time.Second
	r.Unheard = []string{"host pc02: no answer"}
	expect("")
	r.Unheard = nil
	const line = "all ranks have been waiting for 1 m 0 s: rank 0 (job 0) waits in acp_wait_ch for rank 1, rank 1 (job 1) waits in acp_sync for rank 0"
	expect(line)
	expect("") // once
	r.Ranks[0].State, r.Ranks[0].Seen.Waits = Computing, nil
	expect("")
	r.sleeps(0, one(activity.Receive, "acp_wait_ch", 1))
	expect(line)
	stall = NewStall(time.Minute)
	r.Ranks[1].State = Left
	expect("all ranks have been waiting for 1 m 0 s: rank 0 waits in acp_wait_ch since 1 m 30 s: a message from rank 1")
	for limit, want := range map[time.Duration]time.Duration{time.Second: time.Second, 8 * time.Second: 2 * time.Second, time.Hour: 15 * time.Second} {
		if got := NewStall(limit).Interval(); got != want {
			t.Errorf("limit %v: looks every %v, expected %v", limit, got, want)
		}
	}
}

func TestWrite(t *testing.T) {
	r := newRun(3)
	r.Age = 200 * time.Second
	r.sleeps(0, all(activity.Barrier, "acp_sync"))
	r.Ranks[1].State, r.Ranks[1].Seen, r.Ranks[1].Host, r.Ranks[1].PID = NotStarted, nil, "", 0
	r.Ranks[2].Seen.Accesses = 1234567
	r.Unheard = []string{"host pc02: no answer within 2s"}
	const want = `run 7, 3 ranks, since 3 m 20 s: macprun
rank  job  host  pid  memory  accesses  state
0     0    pc01  100  3 MiB   0         waits in acp_sync since 1 m 30 s: ranks 1-2 have not come
1     1    -     -    -       -         is not started
2     1    pc01  102  3 MiB   1234567   computes
host pc02: no answer within 2s
`
	var b strings.Builder
	if err := r.Write(&b); err != nil || b.String() != want {
		t.Errorf("%v\n%s\nexpected\n%s", err, b.String(), want)
	}
}

// TestAdd: readings of ranks that do not exist, or with states that only the launcher sets, are ignored.
func TestAdd(t *testing.T) {
	r := newRun(3)
	for i := range r.Ranks {
		r.Ranks[i].State, r.Ranks[i].Seen = NotSeen, nil
	}
	r.Ranks[2].State = Left
	r.Add(Reading{Host: "pc01", Processes: []Process{{Rank: -1, State: Computing}, {Rank: 3, State: Computing},
		{Rank: 0, State: Ended}, {Rank: 1, State: Stopped}, {Rank: 2, State: Computing}}})
	if got := fmt.Sprintf("%s, %s, %s", r.Ranks[0].State, r.Ranks[1].State, r.Ranks[2].State); got != "not seen, stopped, left" {
		t.Error(got)
	}
}

// TestWithoutLauncher: processes are sorted by runs, and those of known runs left out.
func TestWithoutLauncher(t *testing.T) {
	a, b, c := activity.Run{1}, activity.Run{2}, activity.Run{3}
	runs := WithoutLauncher("pc01", []Process{{Run: a, Procs: 3, Rank: 1, State: Computing, PID: 8}, {Run: b, Procs: 1}, {Run: c, Procs: 1 << 30},
		{Run: a, Procs: 3, Rank: 0, State: Stopped, Age: time.Minute}}, map[activity.Run]bool{b: true})
	if len(runs) != 1 || runs[0].Name != "01000000" || len(runs[0].Ranks) != 3 || runs[0].Age != time.Minute ||
		runs[0].Ranks[0].State != Stopped || runs[0].Ranks[1].PID != 8 || runs[0].Ranks[2].State != NotSeen {
		t.Errorf("%+v", runs)
	}
}
