package node_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/system/dmi/node"
)

// TestHandover: shards and pages move away from one process and back again and again, while threads of the others make histories, and make
// and end spaces.
func TestHandover(t *testing.T) {
	const procs = 4
	forEach(t, func(t *testing.T, h hosts) {
		eachBatch(t, 30, procs-1, func(histories []*history) {
			var over atomic.Bool
			leaver := make(chan error)
			left := make(chan struct{})
			run(t, procs, h, func(n *node.Node, p *acp.Process) error {
				if err := n.Begin(); err != nil {
					return err
				}
				switch n.ID() {
				case procs - 1:
					return errors.Join(leave(n, leaver, left), p.Sync())
				case 0:
					var all sync.WaitGroup
					var failed error
					all.Go(func() { failed = moveShards(n, &over, leaver, left) })
					err := makeHistories(n, histories)
					over.Store(true)
					all.Wait()
					return errors.Join(err, failed, p.Sync())
				}
				return errors.Join(makeHistories(n, histories), p.Sync())
			})
		})
	})
}

// makeHistories makes histories, and spaces that no other process uses.
func makeHistories(n *node.Node, histories []*history) error {
	b := make([]byte, 100)
	for _, x := range histories {
		if err := x.run(n); err != nil {
			return fmt.Errorf("seed %d: %w", x.seed, err)
		}
		base, err := n.Map(7, 20)
		if err != nil {
			return err
		}
		if err := errors.Join(n.Write(base, b, node.Put), n.Read(base, b, node.Update), n.Unmap(base)); err != nil {
			return err
		}
	}
	return nil
}

// moveShards takes all shards and pages from the last process, and gives shards back, until the histories are over. At the end the
// process has none.
func moveShards(n *node.Node, over *atomic.Bool, leaver chan error, left chan struct{}) error {
	defer close(left)
	for {
		if err := n.Distribute([]int{0, 1, 2}); err != nil {
			return err
		}
		left <- struct{}{}
		if err := <-leaver; err != nil || over.Load() {
			return err
		}
		if err := n.Distribute([]int{0, 1, 2, 3}); err != nil {
			return err
		}
	}
}

// leave lets the process move all its pages away whenever it has no shards.
func leave(n *node.Node, leaver chan error, left chan struct{}) error {
	for range left {
		err := errors.Join(n.Evacuate(), n.MayLeave())
		n.Stay()
		leaver <- err
	}
	return nil
}

// TestPlan: few shards move, and all processes hold as many.
func TestPlan(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	now := make([]int, 1024)
	for range 300 {
		wanted := r.Perm(20)[:1+r.IntN(10)]
		before := map[int]int{}
		for _, holder := range now {
			before[holder]++
		}
		moves := node.Plan(now, wanted)
		for _, m := range moves {
			if now[m.Shard] != m.From {
				t.Fatalf("shard %d is held by %d, not %d", m.Shard, now[m.Shard], m.From)
			}
			now[m.Shard] = m.To
		}
		count, least := map[int]int{}, 0
		for _, holder := range now {
			count[holder]++
		}
		for _, process := range wanted {
			if c := count[process]; c < 1024/len(wanted) || c > 1024/len(wanted)+1 {
				t.Fatalf("process %d of %d holds %d shards", process, len(wanted), c)
			}
			least += max(0, count[process]-before[process])
		}
		if len(moves) != least {
			t.Fatalf("%d moves where %d are enough", len(moves), least)
		}
	}
}
