package bridge

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// TestDepartingAtRandom compares members that leave with a model: they are released when all others have confirmed the epoch, or have ended.
func TestDepartingAtRandom(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	const ranks = 12
	for range 200 {
		m := newMembership([]Job{{Size: ranks, Max: ranks}}, 0)
		for i := range ranks {
			if member, reason := m.join(hello{jobRank: int32(i)}, nil); member != i {
				t.Fatalf("member %d became %d: %s", i, member, reason)
			}
		}
		unaware := map[int]map[int]bool{} // by epoch: the members that do not know it
		leavers := map[int][]int{}
		for epoch := 1; epoch < 8; epoch++ {
			members := slices.Clone(m.cohorts[0].members)
			for _, member := range members {
				if _, err := m.voteOn(member, epoch-1, member == 0 || r.IntN(4) > 0); err != nil {
					t.Fatal(err)
				}
			}
			if _, leaving := m.beginEpoch(); len(leaving) > 0 {
				m.beginDeparting(leaving)
				leavers[epoch], unaware[epoch] = leaving, map[int]bool{}
				for _, member := range m.cohorts[0].members {
					unaware[epoch][member] = true
				}
			}
			for range r.IntN(3 * ranks) {
				member, knows := r.IntN(ranks), r.IntN(epoch+1)
				if r.IntN(6) == 0 {
					knows = math.MaxInt // its process has ended, but its vote is needed here
				}
				m.confirm(member, knows)
				for e, left := range unaware {
					if e <= knows {
						delete(left, member)
					}
				}
			}
			var want [][]int
			for _, e := range slices.Sorted(maps.Keys(unaware)) {
				if len(unaware[e]) == 0 {
					want = append(want, leavers[e])
					delete(unaware, e)
				}
			}
			var got [][]int
			for _, d := range m.takeDeparted() {
				got = append(got, d.members)
			}
			if !slices.EqualFunc(got, want, slices.Equal) {
				t.Fatalf("epoch %d: %v are released, expected %v; they wait for %v", epoch, got, want, unaware)
			}
		}
	}
}

// TestLeavesWhenAllKnow: Adopt returns in a member that leaves when the functions of Follow of all others have got that, when such a member
// ends, and when one does not answer.
func TestLeavesWhenAllKnow(t *testing.T) {
	for _, how := range []string{"receives", "ends", "does not answer"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			r := newRunOf(t, ServerConfig{Jobs: []Job{{Size: 3, Max: 4}}})
			received, receive := make(chan struct{}), make(chan struct{})
			var members []Elastic
			for rank := range 3 {
				b := r.dial(0, rank)
				members = append(members, ElasticOf(b))
				follow := func(Change) error { return nil }
				if rank == 2 {
					follow = func(Change) error { close(received); <-receive; return nil }
				}
				if err := b.Follow(follow); err != nil {
					t.Fatal(err)
				}
			}
			var may atomic.Bool // the member that leaves may return
			left := make(chan error, 1)
			for rank, stays := range []bool{true, false, true} {
				go func() {
					epoch, err := members[rank].Adopt(r.ctx(), 0, stays)
					if !stays {
						if err == nil && epoch != 1 {
							t.Errorf("it leaves epoch %d, expected 1", epoch)
						}
						if !may.Load() {
							t.Error("it leaves before the last member knows that")
						}
						left <- err
					}
				}()
			}
			<-received
			time.Sleep(20 * time.Millisecond) // so that it fails if Adopt returns early
			may.Store(true)
			switch how {
			case "receives":
				close(receive)
			case "ends":
				members[2].(*client).conn.Close()
			}
			if err := <-left; err != nil {
				t.Error(err)
			}
			if how != "receives" {
				close(receive)
			}
		})
	}
}
