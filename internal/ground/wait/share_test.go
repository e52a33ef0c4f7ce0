package wait

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/ground/activity"
)

// sharing returns the Budgets of ranks that share processors, and the word that they share.
func sharing(ranks, processors int) ([]*Budget, *uint32) {
	awake := new(uint32)
	var all []*Budget
	for range ranks {
		b := new(Budget)
		b.Share(awake, processors)
		all = append(all, b)
	}
	return all, awake
}

// TestShare: threads of two ranks on two processors spin if a third rank sleeps, and agents poll if two
// ranks sleep.
func TestShare(t *testing.T) {
	ranks, _ := sharing(3, 2)
	expect := func(when string, spin, poll time.Duration) {
		t.Helper()
		if got := ranks[0].Spin(); got != spin {
			t.Errorf("%s a thread spins for %v, want %v", when, got, spin)
		}
		if got := ranks[2].Poll(); got != poll {
			t.Errorf("%s an agent polls for %v, want %v", when, got, poll)
		}
	}
	expect("while all are awake", 0, 0)
	third := ranks[2].Park(activity.Reason{})
	expect("while one sleeps", SpinTime, 0)
	second := ranks[1].Park(activity.Reason{})
	expect("while two sleep", SpinTime, SpinTime)
	ranks[1].Unpark(second)
	ranks[2].Unpark(third)
	expect("after all have woken", 0, 0)
	if ranks[0].Ample() {
		t.Error("there is a processor for each rank")
	}
	ranks[0].Park(activity.Reason{})
	ranks[2].Leave()
	if got := ranks[2].Spin(); got != 0 {
		t.Errorf("after Leave a thread spins for %v", got)
	}
}

// TestShareThreads compares the count with a model: ranks have several threads, which park and wake at
// random. A rank sleeps while as many threads are parked as have ever waited at the same time.
func TestShareThreads(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	ranks, awake := sharing(4, 2)
	waits, threads := make([][]activity.Wait, len(ranks)), make([]int, len(ranks))
	for range 10000 {
		i := rnd.IntN(len(ranks))
		b, parked := ranks[i], len(waits[i])
		switch what := rnd.IntN(8); {
		case what == 0: // a thread that is not parked waits
			b.Spin()
			threads[i] = max(threads[i], parked+1)
		case what < 4 && parked < 5:
			waits[i] = append(waits[i], b.Park(activity.Reason{}))
			threads[i] = max(threads[i], parked+1)
		case parked > 0:
			b.Unpark(waits[i][parked-1])
			waits[i] = waits[i][:parked-1]
		}
		want := uint32(0)
		for i, w := range waits {
			if len(w) == 0 || len(w) < threads[i] {
				want++
			}
		}
		if *awake != want {
			t.Fatalf("%d ranks are awake, want %d: %d threads, parked %d", *awake, want, threads, waits)
		}
	}
}

// TestShareAtOnce lets threads of all ranks park and wake at the same time. In the end all ranks are
// awake.
func TestShareAtOnce(t *testing.T) {
	ranks, awake := sharing(3, 2)
	var all sync.WaitGroup
	for _, b := range ranks {
		for range 3 {
			all.Go(func() {
				for range 2000 {
					b.Spin()
					b.Unpark(b.Park(activity.Reason{}))
					b.Poll()
				}
			})
		}
	}
	all.Wait()
	if *awake != uint32(len(ranks)) {
		t.Errorf("%d ranks are awake, want %d", *awake, len(ranks))
	}
}
