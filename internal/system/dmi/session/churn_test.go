package session

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
	"github.com/goacp/goacp/internal/acptest/race"
	"github.com/goacp/goacp/internal/system/dmi/node"
	"github.com/goacp/goacp/internal/system/dmi/thread"
)

var joins = flag.Int("joins", race.Cases(200, 50), "how many processes join and leave in TestJoinsAndLeaves, over each network")

// churn is a computation whose processes come and go: threads add 1 to random pages. Each addition finds another number.
type churn struct {
	seed  uint64
	pages []churnPage
	stop  atomic.Bool
}

// churnPage is the additions to a page.
type churnPage struct {
	mu   sync.Mutex
	list []addition
}

// addition is one addition, between two moments of the computation.
type addition struct{ found, begin, end int64 }

const churnPageSize = 300

// add adds 1 to random pages: count times, or until the computation ends if count is 0.
func (c *churn) add(s *Session, t *thread.Thread, count int, clock *atomic.Int64) error {
	r := rand.New(rand.NewPCG(c.seed, uint64(t.ID().Process)<<32|uint64(t.ID().Thread)))
	var b [churnPageSize]byte
	for i := 0; i < count || count == 0 && !c.stop.Load(); i++ {
		number := r.IntN(len(c.pages))
		at, page := t.Addr+int64(number)*churnPageSize, &c.pages[number]
		if err := c.access(s, r, t.Addr, at, b[:]); err != nil {
			return err
		}
		x := addition{begin: clock.Add(1)}
		var err error
		if x.found, err = s.Node.FetchAdd(at, 1, []node.Mode{node.Put, node.Exclusive}[r.IntN(2)]); err != nil {
			return err
		}
		x.end = clock.Add(1)
		page.mu.Lock()
		page.list = append(page.list, x)
		page.mu.Unlock()
		if i%50 == 49 {
			time.Sleep(time.Millisecond) // those that join need the processors, too
		}
	}
	return nil
}

// access may read a page, or write the rest of two pages behind their numbers, by one call or by one that is started.
func (c *churn) access(s *Session, r *rand.Rand, base, at int64, b []byte) error {
	const rest = 100 // where it begins
	switch other := base + int64(r.IntN(len(c.pages)))*churnPageSize; r.IntN(5) {
	case 0, 1:
		return s.Node.Read(at, b, []node.Mode{node.Get, node.Invalidate, node.Update}[r.IntN(3)])
	case 2:
		return s.Node.WriteMany([]int64{at + rest, other + rest}, [][]byte{b[:8], b[8:16]}, node.Put)
	case 3:
		if f := s.Node.NewFuture(); s.Node.StartRead(f, at, b[:8], node.Get) { // unless that would block
			return f.Wait()
		}
	}
	return nil
}

// check returns an error unless the additions to each page have happened one after the other.
func (c *churn) check() error {
	for number := range c.pages {
		page := &c.pages[number]
		page.mu.Lock()
		list, latest := page.list, int64(0)
		page.mu.Unlock()
		slices.SortFunc(list, func(a, b addition) int { return cmp.Compare(a.found, b.found) })
		for i, x := range list {
			if x.found != int64(i) {
				return fmt.Errorf("page %d: addition %d finds %d", number, i, x.found)
			}
			if x.end < latest {
				return fmt.Errorf("page %d: the addition that finds %d ends before one that finds less begins", number, i)
			}
			latest = max(latest, x.begin)
		}
	}
	return nil
}

// TestJoinsAndLeaves: processes join and leave again and again while threads of others compute. Each has threads of its own, and owns pages and
// a part of the directory when it leaves.
func TestJoinsAndLeaves(t *testing.T) {
	const steady, most = 2, 3
	extensiontest.EachMode(t, func(t *testing.T, mode bridge.Mode) {
		c := &churn{seed: rand.Uint64(), pages: make([]churnPage, 50)}
		t.Logf("seed %d", c.seed)
		var clock atomic.Int64
		unit := func(s *Session, t *thread.Thread) error {
			if t.ID().Process < steady {
				return c.add(s, t, 0, &clock)
			}
			return c.add(s, t, 20, &clock)
		}
		elasticMain(t, mode, steady, steady+*joins, unit, func(s *Session, _ *extensiontest.Elastic) error {
			at, err := s.Node.Map(churnPageSize, int64(len(c.pages)))
			if err != nil {
				return err
			}
			threads := make([]thread.ID, steady)
			for id := range threads {
				if threads[id], err = s.Threads.Create(id, at, 0); err != nil {
					return err
				}
			}
			r := rand.New(rand.NewPCG(c.seed, 0))
			for left := *joins; left > 0; {
				n := min(left, 1+r.IntN(most))
				if err := visit(s, at, n); err != nil {
					return fmt.Errorf("with %d processes to come: %w", left, err)
				}
				left -= n
			}
			c.stop.Store(true)
			for _, id := range threads {
				if _, err := s.Threads.Join(nil, id); err != nil {
					return err
				}
			}
			return errors.Join(c.check(), s.Node.Unmap(at))
		})
	})
}

// visit lets n processes join, and leave when their threads have ended. They do so at the same time.
func visit(s *Session, at int64, n int) error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = visitOne(s, at) })
	}
	all.Wait()
	return errors.Join(errs...)
}

func visitOne(s *Session, at int64) error {
	i, err := s.Threads.Fork(0, 0)
	if err != nil {
		return err
	}
	id, err := s.Threads.Create(int(i.ID), at, 0)
	if err != nil {
		return err
	}
	if _, err := s.Threads.Join(nil, id); err != nil {
		return err
	}
	return s.Threads.Goodbye(int(i.ID))
}
