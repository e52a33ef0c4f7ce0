package acp_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// TestLoopsThatRemove: a loop that removes elements it has seen, while other ranks insert and reuse the freed
// memory, returns every key that stays, and none twice.
func TestLoopsThatRemove(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const keys = 400
	for _, slots := range []int{1, 9, 200} {
		forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
			var at acp.TableAddress
			var over atomic.Bool
			run(t, n, acp.Config{Mode: mode}, func(p *member) error {
				if p.Rank() == 0 {
					s, err := acp.NewMap[int64, int64](p.Process, []acp.Rank{0, 1, 2}, slots, 2)
					for i := int64(0); i < keys && err == nil; i++ {
						_, err = s.Insert(i, -i)
					}
					if err != nil {
						return err
					}
					at = s.Address()
				}
				if err := p.Sync(); err != nil {
					return err
				}
				l := looper{p: p, m: must(acp.MapAt[int64, int64](p.Process, at)), rnd: rand.New(rand.NewPCG(seed, uint64(p.Rank())))}
				var err error
				if p.Rank() == 0 {
					err = l.iterate(keys)
					over.Store(true)
				} else {
					err = l.disturb(&over)
				}
				return errors.Join(err, p.Sync())
			})
		})
	}
}

// looper is one rank of TestLoopsThatRemove.
type looper struct {
	p   *member
	m   *acp.Map[int64, int64]
	rnd *rand.Rand
}

// disturb inserts keys and allocates memory until the test is over. It inserts so few keys that iterations
// end.
func (l *looper) disturb(over *atomic.Bool) error {
	for i := int64(0); !over.Load(); i++ {
		if i < 300 {
			if _, err := l.m.Insert(int64(l.p.Rank())<<32+i, 0); err != nil {
				return err
			}
		}
		block, err := l.p.Malloc(48, acp.Rank(l.rnd.IntN(l.p.Procs())))
		if err == nil {
			err = l.p.Free(block)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// iterate removes some of the keys it has seen, in any order, and inserts others.
func (l *looper) iterate(keys int64) error {
	seen := map[int64]bool{}
	var kept []int64
	m := l.m.Bytes()
	it, err := m.Begin()
	for err == nil && it != m.End() {
		key, failed := l.keyAt(it)
		if failed != nil {
			return failed
		}
		if seen[key] {
			return fmt.Errorf("key %d is returned twice", key)
		}
		seen[key] = true
		kept = append(kept, key)
		for left := l.rnd.IntN(4); left > 0 && len(kept) > 0; left-- { // one fewer than the table records
			i := len(kept) - 1 - l.rnd.IntN(min(3, len(kept)))
			if _, err := l.m.Remove(kept[i]); err != nil {
				return err
			}
			kept = append(kept[:i], kept[i+1:]...)
		}
		if l.rnd.IntN(8) == 0 {
			if _, err := l.m.Insert(1<<40+int64(len(seen)), 0); err != nil {
				return err
			}
		}
		it, err = m.Next(it)
	}
	for i := range keys {
		if err == nil && !seen[i] {
			err = fmt.Errorf("key %d has not been returned", i)
		}
	}
	return err
}

// keyAt returns the key of an element that only this rank removes.
func (l *looper) keyAt(it acp.TableIterator) (int64, error) {
	where, err := l.m.Bytes().Deref(it)
	if err == nil {
		err = l.p.move(must(l.p.StarterGA(l.p.Rank())), where.First.GA, 8)
	}
	var key int64
	for i := 7; i >= 0 && err == nil; i-- {
		key = key<<8 | int64(l.p.Starter()[i])
	}
	return key, err
}
