package acp

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/direct"
	"github.com/goacp/goacp/internal/fabric/segment"
	"github.com/goacp/goacp/internal/wait"
)

// newBarriers makes the barriers of members that have these leaders, and that tell each
// other notes without a fabric.
func newBarriers(leaders []int) []*barrier {
	barriers := make([]*barrier, len(leaders))
	words := make(map[int]*segment.Barrier)
	for m, l := range leaders {
		if words[l] == nil {
			words[l] = &segment.Barrier{Arrived: new(uint32), Released: new(uint32), Sleepers: new(uint32), Marks: new([2]uint64)}
		}
		b := newBarrier()
		b.here, b.budget = &direct.Barrier{}, &wait.Budget{}
		b.poll = func() bool { return false }
		b.notify = func(to int, kind uint32, value uint64) error {
			go barriers[to].note(kind, value)
			return nil
		}
		b.group(m, leaders)
		if b.here.Group > 1 {
			b.words = words[l]
		}
		barriers[m] = b
	}
	return barriers
}

// TestBarrierMarks lets members on one and several hosts come to barriers with equal marks
// and then to one with different marks. All of them must find out in that barrier.
func TestBarrierMarks(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	marks := []uint64{0, call{function: callFinalize}.mark(), call{function: callReset}.mark(), call{callDestroyWorkspace, 1}.mark(), call{callDestroyWorkspace, 2}.mark()}
	for i, leaders := range [][]int{
		{0}, {0, 0}, {0, 1}, {0, 0, 0}, {0, 0, 2}, {0, 1, 2}, {0, 1, 0, 1}, {0, 0, 0, 3}, {0, 1, 2, 0, 1, 2, 0},
		{0, 1, 2, 3, 4, 5, 6}, {0, 0, 0, 3, 3, 3, 3}, {0, 1, 1, 1, 4, 1, 1, 4, 1},
	} {
		t.Run(fmt.Sprint(leaders), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, uint64(i)))
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
				if agreed, err := b.wait(mark); err != nil || !agreed {
					errs[m] = fmt.Errorf("member %d, barrier %d of %x: agreed %v, %v", m, i, same, agreed, err)
					return
				}
			}
			if agreed, err := b.wait(last[m]); err != nil || agreed != want {
				errs[m] = fmt.Errorf("member %d, marks %x: agreed %v, expected %v, %v", m, last, agreed, want, err)
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// TestMarks checks that no two functions have the same mark or digest, and that no small
// number of one adds up to the other.
func TestMarks(t *testing.T) {
	calls := []call{{}, {function: callFinalize}, {function: callReset}, {function: callCreateWorkspace}}
	for n := uint64(1); n <= 1000; n++ {
		calls = append(calls, call{callDestroyWorkspace, n})
	}
	seen, digests := make(map[uint64]call), make(map[digest]call)
	for i, c := range calls {
		mark := c.mark()
		if other, found := seen[mark]; found {
			t.Errorf("%v has the mark of %v", c, other)
		}
		if other, found := digests[digestOf(mark)]; found || digestOf(mark) == digestMixed {
			t.Errorf("%v has the digest of %v, or none", c, other)
		}
		seen[mark], digests[digestOf(mark)] = c, c
		g := progress{c, uint64(i), i%2 == 0}
		if decoded, err := decodeProgress(g.encode()); err != nil || decoded != g {
			t.Errorf("%v decoded as %v, %v", g, decoded, err)
		}
	}
}

// FuzzDecodeProgress checks that a message of another rank is taken as a whole or not at
// all.
func FuzzDecodeProgress(f *testing.F) {
	f.Add(progress{call{callDestroyWorkspace, 3}, 7, true}.encode())
	f.Add([]byte{})
	f.Add(append([]byte{200}, make([]byte, progressBytes-1)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		g, err := decodeProgress(b)
		if err == nil && (!bytes.Equal(g.encode(), b) || g.call.String() == "") {
			t.Errorf("%x decoded as %v", b, g)
		}
	})
}

// TestNeighbour checks that the members of each group stand in one ring.
func TestNeighbour(t *testing.T) {
	for _, leaders := range [][]int{{0}, {0, 0}, {0, 1}, {0, 1, 0, 1, 0}, {0, 0, 2, 3, 2, 0}} {
		for m, l := range leaders {
			seen := make(map[int]bool)
			for next := m; !seen[next]; next = neighbour(next, leaders) {
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
