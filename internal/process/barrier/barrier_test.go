package barrier

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/maptable"
	"github.com/goacp/goacp/internal/memory/segment"
)

// newBarriers makes the barriers of members that have these leaders, and that tell each
// other notes without a fabric.
func newBarriers(leaders []int) []*Barrier {
	barriers := make([]*Barrier, len(leaders))
	words := make(map[int]*segment.Barrier)
	for m, l := range leaders {
		if words[l] == nil {
			words[l] = &segment.Barrier{Arrived: new(uint32), Released: new(uint32), Sleepers: new(uint32), Marks: new([2]uint64)}
		}
		b := New(&maptable.Barrier{})
		cfg := Config{
			Self: m, Leaders: leaders, Budget: &wait.Budget{},
			Poll: func() bool { return false },
			Notify: func(to int, kind uint32, value uint64) error {
				go barriers[to].Note(kind, value)
				return nil
			},
		}
		if Next(m, leaders) != m {
			cfg.Words = words[l]
		}
		b.Form(cfg)
		barriers[m] = b
	}
	return barriers
}

// TestBarrierMarks lets members on one and several hosts come to barriers with equal marks
// and then to one with different marks. All of them must find out in that barrier.
func TestBarrierMarks(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	marks := []uint64{0, r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()}
	for i, leaders := range [][]int{
		{0}, {0, 0}, {0, 1}, {0, 0, 0}, {0, 0, 2}, {0, 1, 2}, {0, 1, 0, 1}, {0, 0, 0, 3}, {0, 1, 2, 0, 1, 2, 0},
		{0, 1, 2, 3, 4, 5, 6}, {0, 0, 0, 3, 3, 3, 3}, {0, 1, 1, 1, 4, 1, 1, 4, 1},
	} {
		t.Run(fmt.Sprint(leaders), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, uint64(i)+1))
			for range 50 {
				same := make([]uint64, rnd.IntN(6))
				for k := range same {
					same[k] = marks[rnd.IntN(len(marks))]
				}
				last := make([]uint64, len(leaders))
				first := rnd.IntN(len(marks))
				different := false
				for m := range last {
					last[m] = marks[first]
					if rnd.IntN(3) == 0 {
						last[m] = marks[rnd.IntN(len(marks))]
					}
					different = different || last[m] != last[0]
				}
				meetWithMarks(t, leaders, same, last, !different)
			}
		})
	}
}

// meetWithMarks lets all members come to one barrier for each mark in same and then to one
// with the marks in last.
func meetWithMarks(t *testing.T, leaders []int, same, last []uint64, want bool) {
	t.Helper()
	barriers := newBarriers(leaders)
	stuck := time.AfterFunc(time.Minute, func() { panic(fmt.Sprint("members are stuck: ", same, last)) })
	defer stuck.Stop()
	errs := make([]error, len(leaders))
	var all sync.WaitGroup
	for m, b := range barriers {
		all.Go(func() {
			for i, mark := range same {
				if agreed, err := b.Wait(mark); err != nil || !agreed {
					errs[m] = fmt.Errorf("member %d, barrier %d of %x: agreed %v, %v", m, i, same, agreed, err)
					return
				}
			}
			if agreed, err := b.Wait(last[m]); err != nil || agreed != want {
				errs[m] = fmt.Errorf("member %d, marks %x: agreed %v, expected %v, %v", m, last, agreed, want, err)
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// TestReset forms groups anew in a random order of sizes: new members come with others that have been in many barriers.
func TestReset(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	const most = 6
	old := make([]*Barrier, most)
	words := make([]*segment.Barrier, most)
	for m := range words {
		words[m] = &segment.Barrier{Arrived: new(uint32), Released: new(uint32), Sleepers: new(uint32), Marks: new([2]uint64)}
		old[m] = New(&maptable.Barrier{})
	}
	for range 40 {
		members := r.Perm(most)[:1+r.IntN(most)] // by number in the epoch
		leaders := make([]int, len(members))
		for i := range leaders {
			leaders[i] = i
			if i > 0 && r.IntN(2) == 0 {
				leaders[i] = leaders[r.IntN(i)]
			}
		}
		for _, m := range members {
			old[m].Reset()
			words[m].Reset()
		}
		for i, m := range members {
			cfg := Config{
				Self: i, Leaders: leaders, Budget: &wait.Budget{}, Poll: func() bool { return false },
				Notify: func(to int, kind uint32, value uint64) error { go old[members[to]].Note(kind, value); return nil },
			}
			if Next(i, leaders) != i {
				cfg.Words = words[members[leaders[i]]]
			}
			old[m].Form(cfg)
		}
		stuck := time.AfterFunc(time.Minute, func() { panic(fmt.Sprint("members are stuck: ", leaders)) })
		rounds, arrived := 1+r.IntN(5), make([]atomic.Int32, 6)
		var all sync.WaitGroup
		for _, m := range members {
			all.Go(func() {
				for k := range rounds {
					arrived[k].Add(1)
					if agreed, err := old[m].Wait(uint64(k)); err != nil || !agreed || int(arrived[k].Load()) != len(members) {
						t.Errorf("barrier %d of %v: agreed %v, %v, %d have arrived", k, leaders, agreed, err, arrived[k].Load())
					}
				}
			})
		}
		all.Wait()
		stuck.Stop()
	}
}

// TestNext checks that the members of each group stand in one ring.
func TestNext(t *testing.T) {
	for _, leaders := range [][]int{{0}, {0, 0}, {0, 1}, {0, 1, 0, 1, 0}, {0, 0, 2, 3, 2, 0}} {
		for m, l := range leaders {
			seen := make(map[int]bool)
			for next := m; !seen[next]; next = Next(next, leaders) {
				seen[next] = true
			}
			for other, leader := range leaders {
				if seen[other] != (leader == l) {
					t.Errorf("%v: ring of %d: %v", leaders, m, seen)
				}
			}
		}
	}
}

// TestDigests checks that a mark has neither the digest of acp_sync nor that of a disagreement.
func TestDigests(t *testing.T) {
	for n := range uint64(1000) {
		for _, mark := range []uint64{n + 1, ^n, uint64(digestMixed) - n, uint64(digestMixed) + n, n<<32 + 1<<63} {
			if d := DigestOf(mark); d == 0 || d == digestMixed {
				t.Errorf("mark %#x has the digest %#x", mark, d)
			}
		}
	}
	if d := DigestOf(0); d != 0 {
		t.Errorf("mark 0 has the digest %#x", d)
	}
}
