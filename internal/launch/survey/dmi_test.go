package survey

import (
	"testing"
	"time"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/launch/process"
)

// inDMI is a wait of a thread of DMI.
func inDMI(kind activity.Kind, call string, rank int, addr, number int64) Wait {
	return Wait{Kind: kind, Call: call, Rank: rank, Object: activity.Object{Addr: addr, Number: number}, For: 90 * time.Second}
}

// TestExplainDMI: the reasons of threads of DMI name the page, or the object with the threads for which it waits.
func TestExplainDMI(t *testing.T) {
	const r3 = " since 1 m 30 s: "
	takePart := func(r *Run, ranks ...int) {
		for _, i := range ranks {
			r.Ranks[i].Seen.DMI = &activity.Share{State: takesPart}
		}
	}
	for _, c := range []struct {
		change func(r *Run)
		want   string // of rank 0
	}{
		{func(r *Run) { r.sleeps(0, inDMI(activity.Access, "DMI_read", 2, 0x1000, 7)) },
			"waits in DMI_read" + r3 + "page 7 of the space at 0x1000, at its owner, rank 2"},
		{func(r *Run) { r.sleeps(0, inDMI(activity.Home, "DMI_read", 2, 0x1000, 0)) },
			"waits in DMI_read" + r3 + "the owner of page 0 of the space at 0x1000, which rank 2 names"},
		{func(r *Run) { r.sleeps(0, inDMI(activity.Copies, "DMI_write", -1, 0x1000, 0)) },
			"waits in DMI_write" + r3 + "ranks with copies of page 0 of the space at 0x1000"},
		{func(r *Run) { r.sleeps(0, inDMI(activity.Mutex, "DMI_mutex_lock", 1, 0x1000, 4)) },
			"waits in DMI_mutex_lock" + r3 + "the mutex at 0x1000, held by thread 4 of rank 1"},
		{func(r *Run) {
			r.sleeps(0, inDMI(activity.Mutex, "DMI_mutex_lock", 1, 0x1000, 4))
			r.Ranks[2].Seen.Holds = []activity.Object{{Addr: 0x1040, Number: 5}}
			r.Ranks[3].Seen.Holds = []activity.Object{{Addr: 0x1000, Number: 6}}
		}, "waits in DMI_mutex_lock" + r3 + "the mutex at 0x1000, held by thread 6 of rank 3"},
		{func(r *Run) { r.sleeps(0, inDMI(activity.Mutex, "", -1, 0x1000, 0)) }, "waits" + r3 + "the mutex at 0x1000"},
		{func(r *Run) { r.sleeps(0, inDMI(activity.Spin, "DMI_spin_lock", 0, 0x1000, 0)) },
			"waits in DMI_spin_lock" + r3 + "the spin lock at 0x1000, held by thread 0 of rank 0"},
		{func(r *Run) { r.sleeps(0, inDMI(activity.Condition, "DMI_cond_wait", -1, 0x1000, 0x1040)) },
			"waits in DMI_cond_wait" + r3 + "the condition variable at 0x1000, with the mutex at 0x1040"},
		{func(r *Run) {
			for i := range 3 {
				r.sleeps(i, inDMI(activity.Arrival, "DMI_local_barrier_sync", -1, 0x1000, 8))
				r.sleeps(i, inDMI(activity.Arrival, "DMI_local_barrier_sync", -1, 0x2000, 8))
			}
			r.sleeps(4, inDMI(activity.Arrival, "DMI_local_barrier_sync", -1, 0x1000, 8))
			r.Ranks[0].Seen.Waits = r.Ranks[0].Seen.Waits[:1]
		}, "waits in DMI_local_barrier_sync" + r3 + "the barrier at 0x1000: 4 of 8 threads have come"},
		{func(r *Run) {
			r.sleeps(0, inDMI(activity.Arrival, "DMI_local_barrier_sync", -1, 0x1000, 8))
			r.Ranks[5].State, r.Ranks[5].Seen = NotSeen, nil
		}, "waits in DMI_local_barrier_sync" + r3 + "the barrier at 0x1000: at least 1 of 8 threads have come"},
		{func(r *Run) {
			r.sleeps(0, inDMI(activity.Arrival, "DMI_local_barrier_sync", -1, 0x1000, 800))
			r.Ranks[5].Seen.Hidden = 100
		}, "waits in DMI_local_barrier_sync" + r3 + "the barrier at 0x1000: at least 1 of 800 threads have come"},
		{func(r *Run) { r.sleeps(0, inDMI(activity.Watch, "DMI_watch", -1, 0x1008, 8)) },
			"waits in DMI_watch" + r3 + "a change of 8 bytes at 0x1008"},
		{func(r *Run) { r.sleeps(0, inDMI(activity.Wake, "DMI_suspend", -1, 0, 0)) }, "waits in DMI_suspend" + r3 + "another thread is to wake this one"},
		{func(r *Run) { r.sleeps(0, inDMI(activity.Phase, "DMI_rescale", -1, 0, 4)); takePart(r, 0, 2, 3) },
			"waits in DMI_rescale" + r3 + "3 of 4 processes take part"},
		{func(r *Run) { r.sleeps(0, inDMI(activity.Phase, "DMI_rescale", -1, 0, 3)); takePart(r, 0, 2, 3) },
			"waits in DMI_rescale" + r3 + "the threads of DMI_scaleunit have not ended"},
		{func(r *Run) { r.sleeps(0, inDMI(activity.Phase, "", -1, 0, 0)) }, "waits" + r3 + "threads of the same DMI_rescale have not been made"},
		{func(r *Run) { r.sleeps(0, inDMI(activity.Join, "DMI_join", 3, 0, 2)) }, "waits in DMI_join" + r3 + "the end of thread 2 of rank 3"},
		{func(r *Run) { r.sleeps(0, inDMI(activity.Request, "DMI_poll", -1, 0, 0)) }, "waits in DMI_poll" + r3 + "a rank that asks to join or leave"},
		{func(r *Run) { r.sleeps(0, inDMI(activity.Coming, "DMI_fork", -1, 0, 0)) }, "waits in DMI_fork" + r3 + "a rank is to join"},
		{func(r *Run) { r.sleeps(0, inDMI(activity.Leaving, "DMI_goodbye", 3, 0, 0)) }, "waits in DMI_goodbye" + r3 + "a rank is to leave: rank 3"},
		{func(r *Run) { r.sleeps(0, inDMI(activity.Idle, "", -1, 0, 0)) }, "waits" + r3 + "no thread of the program is here"},
	} {
		r := newRun(6)
		c.change(r)
		if got := r.Explain(0); got != c.want {
			t.Errorf("%q, expected %q", got, c.want)
		}
	}
}

// TestCycleOfDMI: ranks whose threads wait for locks of each other are in no cycle, since other threads of these ranks may unlock them.
func TestCycleOfDMI(t *testing.T) {
	r := newRun(2)
	r.sleeps(0, inDMI(activity.Mutex, "DMI_mutex_lock", 1, 0x1000, 4))
	r.sleeps(1, inDMI(activity.Mutex, "DMI_mutex_lock", 0, 0x1040, 4))
	if cycle := r.Cycle(time.Second); cycle != nil {
		t.Errorf("the cycle %v", cycle)
	}
}

// TestReadDMI: waits of goroutines of the library are not those of a process of DMI.
func TestReadDMI(t *testing.T) {
	v := activity.View{Share: activity.Share{State: takesPart}, Sleepers: []activity.Sleeper{
		{Kind: activity.Change, Member: -1}, {Kind: activity.Answer}, {Kind: activity.Answer, Call: "DMI_mmap"}, {Kind: activity.Access}}}
	if p := read(1, v, process.Usage{}); len(p.Waits) != 2 || p.Waits[0].Call != "DMI_mmap" || p.Waits[1].Kind != activity.Access || p.State != Waiting {
		t.Errorf("%+v", p)
	}
	v.Sleepers = v.Sleepers[:2]
	if p := read(1, v, process.Usage{Active: 1}); p.State != Computing {
		t.Errorf("%+v", p)
	}
	v.Share = activity.Share{}
	if p := read(1, v, process.Usage{}); len(p.Waits) != 2 {
		t.Errorf("%+v", p)
	}
}
