package acp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// joint is one collective call of a list of ranks.
type joint struct {
	ranks   []acp.Rank
	root    acp.Rank // of a broadcast; -1: a sync
	data    []byte   // the data of root
	entered *atomic.Int32
}

// jointSizes are the sizes of broadcasts: within one message, one piece, and more.
var jointSizes = []int{0, 1, 7, 4096, 100000, 300000}

// randomJoints returns count functions of random lists of n ranks, which overlap.
func randomJoints(rnd *rand.Rand, n, count int) []joint {
	list := make([]joint, count)
	for i := range list {
		var ranks []acp.Rank
		for _, r := range rnd.Perm(n)[:1+rnd.IntN(n)] {
			ranks = append(ranks, acp.Rank(r))
		}
		j := joint{ranks: ranks, root: -1, entered: new(atomic.Int32)}
		if rnd.IntN(2) == 0 {
			j.root = ranks[rnd.IntN(len(ranks))]
			j.data = make([]byte, jointSizes[rnd.IntN(len(jointSizes))])
			for k := range j.data {
				j.data[k] = byte(rnd.Uint32())
			}
		}
		list[i] = j
	}
	return list
}

// call calls the function with the ranks in random order.
func (j *joint) call(p *acp.Process, rnd *rand.Rand) error {
	ranks := slices.Clone(j.ranks)
	rnd.Shuffle(len(ranks), func(a, b int) { ranks[a], ranks[b] = ranks[b], ranks[a] })
	j.entered.Add(1)
	if j.root < 0 {
		err := p.SyncRanks(ranks)
		if got := int(j.entered.Load()); err == nil && got != len(ranks) {
			err = fmt.Errorf("the sync of %v has ended when %d had called it", ranks, got)
		}
		return err
	}
	b := make([]byte, len(j.data))
	if p.Rank() == j.root {
		copy(b, j.data)
	}
	err := p.Broadcast(b, j.root, ranks)
	if err == nil && !bytes.Equal(b, j.data) {
		err = fmt.Errorf("broadcast of %d bytes from rank %d to %v: other bytes have come", len(b), j.root, ranks)
	}
	return err
}

// TestJoints: random lists of ranks, which overlap, sync and broadcast at random. All ranks call the
// functions in the same order, each those of its lists.
func TestJoints(t *testing.T) {
	forEachMode(t, []int{1, 2, 3, 5}, func(t *testing.T, mode bridge.Mode, n int) {
		list := randomJoints(rand.New(rand.NewPCG(uint64(n), 1)), n, 60)
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			rnd := rand.New(rand.NewPCG(uint64(p.Rank()), 2))
			for i := range list {
				if i == len(list)/2 {
					// From now on the lists name other processes.
					if err := p.Reset(acp.Rank(n-1) - p.Rank()); err != nil {
						return err
					}
				}
				if !slices.Contains(list[i].ranks, p.Rank()) {
					continue
				}
				if err := list[i].call(p.Process, rnd); err != nil {
					return fmt.Errorf("function %d: %w", i, err)
				}
			}
			return nil
		})
	})
}

// TestTwoGroupsAtOnce: a rank may be in two lists at the same time, on two goroutines.
func TestTwoGroupsAtOnce(t *testing.T) {
	run(t, 3, acp.Config{Mode: bridge.ModeSHM}, func(p *member) error {
		var all sync.WaitGroup
		errs := make([]error, 2)
		for i, ranks := range [][]acp.Rank{{0, 1}, {1, 2}} {
			if !slices.Contains(ranks, p.Rank()) {
				continue
			}
			all.Go(func() {
				for range 200 {
					errs[i] = errors.Join(errs[i], p.SyncRanks(ranks))
				}
			})
		}
		all.Wait()
		return errors.Join(errs...)
	})
}

// TestJobsSync: each job syncs by itself, and each another number of times.
func TestJobsSync(t *testing.T) {
	runCoupled(t, acp.Config{Mode: bridge.ModeSHM}, func(p *member) error {
		job := must(p.JobOf(p.Rank()))
		for range 10 * (1 + job.Number) {
			if err := p.SyncRanks(job.Ranks()); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestWrongLists: mistakes in a list are errors of the rank that makes them.
func TestWrongLists(t *testing.T) {
	run(t, 3, acp.Config{Mode: bridge.ModeSHM}, func(p *member) error {
		own, other := p.Rank(), (p.Rank()+1)%3
		for _, c := range []struct {
			ranks []acp.Rank
			want  error
		}{
			{nil, acp.ErrNotEndpoint}, {[]acp.Rank{other}, acp.ErrNotEndpoint},
			{[]acp.Rank{own, 3}, acp.ErrBadRank}, {[]acp.Rank{-1, own}, acp.ErrBadRank},
			{[]acp.Rank{own, other, own}, acp.ErrBadRank},
		} {
			err := errors.Join(expect(c.want, p.SyncRanks(c.ranks)), expect(c.want, p.Broadcast(nil, own, c.ranks)))
			if err != nil {
				return fmt.Errorf("%v: %w", c.ranks, err)
			}
		}
		return expect(acp.ErrBadRank, p.Broadcast(nil, other, []acp.Rank{own}))
	})
}

// TestUnequalBroadcast: slices of different lengths.
func TestUnequalBroadcast(t *testing.T) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			both := []acp.Rank{0, 1}
			for _, length := range []int{4, 20} {
				if p.Rank() == 0 {
					if err := p.Broadcast(make([]byte, 10), 0, both); err != nil {
						return err
					}
				} else if err := expect(acp.ErrDisagree, p.Broadcast(make([]byte, length), 0, both)); err != nil {
					return err
				}
			}
			return p.SyncRanks(both)
		})
	})
}

// TestGroupGivenUp: a call whose context ends continues. The next call of the same function waits for it, and
// Reset follows it.
func TestGroupGivenUp(t *testing.T) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		givenUp, entered := make(chan struct{}), new(atomic.Int32)
		both := []acp.Rank{0, 1}
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			if p.Rank() == 1 {
				<-givenUp
				entered.Add(1)
				err := errors.Join(p.SyncRanks(both), p.Broadcast([]byte("hello"), 1, both), p.Broadcast([]byte("later"), 1, both))
				return errors.Join(err, p.SyncRanks(both), p.Reset(0), p.SyncRanks(both))
			}
			b := []byte("-----")
			err := errors.Join(
				expect(context.Canceled, p.WithContext(cancelled()).SyncRanks(both)), // does nothing
				expect(context.Canceled, p.WithContext(endsWhenAsked()).SyncRanks(both)),
				expect(context.Canceled, p.WithContext(cancelled()).SyncRanks(both)), // continues to wait
			)
			close(givenUp)
			err = errors.Join(err, p.SyncRanks(both))
			if entered.Load() != 1 {
				err = errors.Join(err, errors.New("the sync ended before rank 1 had called it"))
			}
			if gaveUp := p.WithContext(endsWhenAsked()).Broadcast(b, 1, both); gaveUp != nil {
				err = errors.Join(err, expect(context.Canceled, gaveUp))
				if string(b) != "-----" {
					err = errors.Join(err, fmt.Errorf("a broadcast that was given up has stored %q", b))
				}
				err = errors.Join(err, p.Broadcast(b, 1, both))
			}
			if string(b) != "hello" {
				err = errors.Join(err, fmt.Errorf("%q has come", b))
			}
			err = errors.Join(err, p.WithContext(context.Background()).Broadcast(b, 1, both))
			if string(b) != "later" {
				err = errors.Join(err, fmt.Errorf("%q has come then", b))
			}
			if gaveUp := p.WithContext(endsWhenAsked()).SyncRanks(both); gaveUp != nil {
				err = errors.Join(err, expect(context.Canceled, gaveUp))
			}
			return errors.Join(err, p.Reset(1), p.SyncRanks(both))
		})
	})
}

// TestGroupLost: the end of the run ends the calls that wait in a group, also those that returned early.
func TestGroupLost(t *testing.T) {
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) {
			w := newWorld(t, 3)
			ctx, cancel := context.WithTimeout(context.Background(), deadline)
			defer cancel()
			all, waiting := []acp.Rank{0, 1, 2}, make(chan struct{}, 2)
			errs := make([]error, 3)
			var ranks sync.WaitGroup
			for rank := range 3 {
				ranks.Go(func() {
					p, err := w.open(ctx, rank, acp.Config{Mode: mode})
					if err != nil {
						errs[rank] = err
						return
					}
					if rank == 2 {
						<-waiting
						<-waiting
						p.Abort("a test")
						_ = p.Finalize() // fails: the run is over
						return
					}
					if rank == 1 {
						errs[rank] = expect(context.Canceled, p.WithContext(endsWhenAsked()).Broadcast(make([]byte, 9), 0, []acp.Rank{0, 1}))
					}
					waiting <- struct{}{}
					errs[rank] = errors.Join(errs[rank], expect(acp.ErrPeerDead, p.SyncRanks(all)),
						expect(acp.ErrPeerDead, p.SyncRanks([]acp.Rank{acp.Rank(rank)})), expect(acp.ErrPeerDead, p.Finalize()))
				})
			}
			ranks.Wait()
			if err := errors.Join(errs...); err != nil {
				t.Error(err)
			}
		})
	}
}
