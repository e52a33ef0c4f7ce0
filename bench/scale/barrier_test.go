package main

import (
	"math/bits"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/maptable"
	"github.com/goacp/goacp/internal/process/barrier"
)

// TestMeetIsLikeABarrier compares the notes that meet counts with those of leaders that come to a barrier
// with each other.
func TestMeetIsLikeABarrier(t *testing.T) {
	for n := 1; n <= 40; n++ {
		leaders := make([]int, n)
		barriers := make([]*barrier.Barrier, n)
		notes := make([]atomic.Int32, n)
		for m := range leaders {
			leaders[m] = m
			barriers[m] = barrier.New(new(maptable.Barrier))
		}
		for m, b := range barriers {
			b.Form(barrier.Config{
				Self: m, Leaders: leaders, Budget: new(wait.Budget), Poll: func() bool { return false },
				Notify: func(member int, round uint32, note uint64) error {
					notes[m].Add(1)
					barriers[member].Note(round, note)
					return nil
				},
			})
		}
		var all sync.WaitGroup
		for _, b := range barriers {
			all.Go(func() {
				if _, err := b.Wait(0); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		for m := range leaders {
			got, err := meet(m, leaders)
			if want := int(notes[m].Load()); err != nil || got != (meeting{groups: n, notes: want, depth: want}) {
				t.Errorf("member %d of %d: %+v, %v; expected %d notes", m, n, got, err, want)
			}
		}
	}
}

// TestMeetOfGroups lets the leader of the first group meet others.
func TestMeetOfGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		leaders := make([]int, 1+random.IntN(100))
		groups := make(map[int]int) // members by leader
		for m := range leaders {
			if leaders[m] = m; m > 0 && random.IntN(3) > 0 {
				leaders[m] = leaders[random.IntN(m)]
			}
			groups[leaders[m]]++
		}
		want := meeting{groups: len(groups), notes: bits.Len(uint(len(groups) - 1))}
		want.depth = want.notes
		if groups[0] > 1 {
			want.depth += 2
		}
		if got, err := meet(0, leaders); err != nil || got != want {
			t.Errorf("%v: %+v, %v; expected %+v", leaders, got, err, want)
		}
	}
}
