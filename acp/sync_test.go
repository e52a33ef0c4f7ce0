package acp_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// rounds checks that no rank leaves a barrier before all have entered it.
type rounds struct {
	entered []atomic.Int64 // by rank
}

func newRounds(n int) *rounds { return &rounds{entered: make([]atomic.Int64, n)} }

// sync enters the next barrier and leaves it.
func (r *rounds) sync(p *member) error {
	round := r.entered[p.Rank()].Add(1)
	if err := p.Process.Sync(); err != nil {
		return err
	}
	for rank := range r.entered {
		if got := r.entered[rank].Load(); got < round || got > round+1 {
			return fmt.Errorf("in barrier %d, rank %d has entered %d", round, rank, got)
		}
	}
	return nil
}

// TestSync: ranks call Sync at different times, so that the other ranks spin, sleep, or are about to sleep.
func TestSync(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	forEachMode(t, []int{1, 2, 3, 5}, func(t *testing.T, mode bridge.Mode, n int) {
		r := newRounds(n)
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			rnd := rand.New(rand.NewPCG(seed, uint64(p.Rank())))
			for range 1000 {
				if rnd.IntN(2) == 0 {
					for end := time.Now().Add(time.Duration(rnd.IntN(150)) * time.Microsecond); time.Now().Before(end); {
						runtime.Gosched()
					}
				}
				if err := r.sync(p); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// TestSyncWakesSleepers lets one rank wait until all other ranks sleep. Without a wake-up, each round would
// take the longest sleep of a rank, and all rounds together longer than the deadline of the test.
func TestSyncWakesSleepers(t *testing.T) {
	for _, n := range []int{2, 3, 5} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			r := newRounds(n)
			run(t, n, acp.Config{Mode: bridge.ModeSHM}, func(p *member) error {
				for i := range 300 {
					if int(p.Rank()) == i%n {
						for atomic.LoadUint32(p.Direct().Barrier.Sleepers) != uint32(n-1) {
							runtime.Gosched()
						}
					}
					if err := r.sync(p); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}

// TestSyncWraps lets the words of the barrier overflow.
func TestSyncWraps(t *testing.T) {
	for _, n := range []int{2, 3} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			r := newRounds(n)
			var left, set sync.WaitGroup
			left.Add(n)
			set.Add(n)
			run(t, n, acp.Config{Mode: bridge.ModeSHM}, func(p *member) error {
				if err := r.sync(p); err != nil {
					return err
				}
				left.Done()
				left.Wait()
				b := &p.Direct().Barrier
				b.Count = 1<<32 - 10
				if p.Rank() == 0 {
					atomic.StoreUint32(b.Arrived, uint32(b.Count)*b.Group)
					atomic.StoreUint32(b.Released, uint32(b.Count))
				}
				set.Done()
				set.Wait()
				for range 20 {
					if err := r.sync(p); err != nil {
						return err
					}
				}
				if b.Count != 1<<32+10 {
					return fmt.Errorf("%d barriers", b.Count)
				}
				return nil
			})
		})
	}
}
