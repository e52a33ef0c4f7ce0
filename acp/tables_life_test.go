package acp_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// TestTablesErrors: every mistake is an error, and no memory leaks.
func TestTablesErrors(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
				run(t, n, acp.Config{Mode: mode, HeapSize: acp.MinHeapSize}, func(p *member) error {
					return errors.Join(badCreations(p, kind), badHandles(p, kind), heapIsWhole(p))
				})
			})
		})
	}
}

func badCreations(p *member, kind tableKind) error {
	const big = 1 << 21 // slots of 32 bytes: as much as a heap
	for _, bad := range []struct {
		ranks []acp.Rank
		slots int
		rank  acp.Rank
		want  error
	}{
		{nil, 1, 0, acp.ErrBadSize}, {[]acp.Rank{0}, 0, 0, acp.ErrBadSize}, {[]acp.Rank{0}, -1, 0, acp.ErrBadSize},
		{[]acp.Rank{0}, 1 << 31, 0, acp.ErrBadSize}, {[]acp.Rank{0}, 1, 2, acp.ErrBadRank}, {[]acp.Rank{0, -1}, 1, 0, acp.ErrBadRank},
		{[]acp.Rank{0, 1}, big, 0, acp.ErrHeapFull}, {[]acp.Rank{1, 0, 0, 1}, big / 2, 1, acp.ErrHeapFull},
	} {
		if _, err := kind.create(p.Process, bad.ranks, bad.slots, bad.rank); !errors.Is(err, bad.want) {
			return fmt.Errorf("creation on %v with %d slots: %v, expected %v", bad.ranks, bad.slots, err, bad.want)
		}
	}
	return p.Sync()
}

func badHandles(p *member, kind tableKind) error {
	s, err := kind.create(p.Process, []acp.Rank{0, 1}, 8, 1-p.Rank())
	if err != nil {
		return err
	}
	good := s.Address()
	block := must(p.Malloc(64, 1-p.Rank()))
	for what, a := range map[string]acp.TableAddress{
		"null":           {},
		"no tables":      {GA: good.GA, Slots: 8},
		"no slots":       {GA: good.GA, Ranks: 2},
		"other slots":    {GA: good.GA, Ranks: 2, Slots: 7},
		"fewer tables":   {GA: good.GA, Ranks: 1, Slots: 8},
		"crooked":        {GA: good.GA + 4, Ranks: 2, Slots: 8},
		"no rank":        {GA: good.GA | 1<<60, Ranks: 2, Slots: 8},
		"something else": {GA: block, Ranks: 2, Slots: 8},
		"huge":           {GA: good.GA, Ranks: 1 << 62, Slots: 1 << 62},
		"many":           {GA: good.GA, Ranks: 1 << 30, Slots: 1 << 30},
	} {
		if err := useAll(kind.at(p.Process, a)); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	for _, it := range []acp.TableIterator{{Rank: -1, Elem: block}, {Rank: 2, Elem: block}, {Slot: 8, Elem: block}, {Slot: -1, Elem: block}} {
		if _, err := s.Next(it); !errors.Is(err, acp.ErrBadIterator) {
			return fmt.Errorf("next of %+v: %v", it, err)
		}
	}
	if _, err := s.Find(acp.Element{GA: block}); !errors.Is(err, acp.ErrBadSize) {
		return fmt.Errorf("an empty key: %v", err)
	}
	if _, err := s.Find(acp.Element{GA: block, Size: 1 << 50}); !errors.Is(err, acp.ErrHeapFull) && !errors.Is(err, acp.ErrBadAddress) {
		return fmt.Errorf("a key of a petabyte: %v", err)
	}
	if err := s.Destroy(); err != nil {
		return err
	}
	if err := p.Sync(); err != nil { // no rank takes its memory before that
		return err
	}
	if err := s.Destroy(); !errors.Is(err, acp.ErrDestroyed) {
		return fmt.Errorf("destroyed twice: %v", err)
	}
	return errors.Join(useAll(s), p.Sync(), p.Free(block))
}

// useAll expects that every operation on s fails.
func useAll(s structure) error {
	_, size := s.Len()
	_, begin := s.Begin()
	_, local := s.BeginLocal()
	for what, err := range map[string]error{"size": size, "begin": begin, "clear": s.Clear(), "destroy": s.Destroy()} {
		if !errors.Is(err, acp.ErrBadAddress) && !errors.Is(err, acp.ErrDestroyed) {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	if errors.Is(local, acp.ErrPeerDead) {
		return local
	}
	return nil
}

// TestStaleDirectory: a rank that has cached the directory of a structure detects that the structure was
// destroyed and that another one lies in its place.
func TestStaleDirectory(t *testing.T) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode, StarterSize: 1 << 16}, func(p *member) error {
			reused := false
			var last acp.GA
			for round := range 20 {
				s, err := sharedStructure(p, kinds[2], 5+round%2)
				if err != nil {
					return err
				}
				m := s.(acp.ByteMap)
				reused = reused || m.Address().GA == last
				last = m.Address().GA
				f := fighter{p: p, s: m}
				for i := range 40 {
					f.key(i + 100*int(p.Rank()))
					pair := acp.Pair{First: f.element(fighterKey, 8), Second: f.element(fighterKey, 8)}
					if added, err := m.Insert(pair); err != nil || !added {
						return fmt.Errorf("round %d: %v, %w", round, added, err)
					}
				}
				if err := p.Sync(); err != nil {
					return err
				}
				if p.Rank() == 0 {
					if n, err := m.Len(); err != nil || n != 80 {
						return fmt.Errorf("round %d: %d elements, %w", round, n, err)
					}
					if err := m.Destroy(); err != nil {
						return err
					}
				}
				if err := p.Sync(); err != nil {
					return err
				}
				if _, err := m.Find(f.key(1)); !errors.Is(err, acp.ErrDestroyed) {
					return fmt.Errorf("round %d: find in what is destroyed: %v", round, err)
				}
				if err := p.Sync(); err != nil {
					return err
				}
			}
			if !reused {
				return errors.New("no directory was where one had been before")
			}
			return nil
		})
	})
}

// TestDeadHolder: a rank that waits for the lock of a slot whose holder has died stops waiting when the run
// ends.
func TestDeadHolder(t *testing.T) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		w := newWorld(t, n)
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		defer cancel()
		errs := make([]error, n)
		var met sync.Mutex
		var ended, waiting, tried sync.WaitGroup
		waiting.Add(1)
		tried.Add(n)
		for rank := range n {
			ended.Go(func() {
				p, err := w.open(ctx, rank, acp.Config{Mode: mode, StarterSize: 1 << 16})
				if err != nil {
					errs[rank] = err
					tried.Done()
					return
				}
				errs[rank] = deadHolder(w, &member{p, &met}, &waiting)
				tried.Done()
				tried.Wait()     // until no rank sends requests to this one any more
				_ = p.Finalize() // which only fails: the run is over
			})
		}
		ended.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	})
}

func deadHolder(w *world, p *member, waiting *sync.WaitGroup) error {
	s, err := sharedStructure(p, kinds[2], 1)
	if err != nil {
		return err
	}
	f := fighter{p: p, s: s}
	pair := acp.Pair{First: f.key(1), Second: f.element(fighterKey, 8)}
	if p.Rank() == 1 {
		waiting.Wait() // until all locks are taken
		go w.server.Abort("the test ends the run")
		for i := range 100 { // a key of each table is among them
			// The run may be over, so memory cannot be allocated by a call.
			binary.LittleEndian.PutUint64(p.Starter()[fighterKey:], uint64(i))
			if _, err := s.(acp.ByteMap).Insert(pair); err != nil {
				if errors.Is(err, acp.ErrPeerDead) {
					return nil
				}
				return err
			}
		}
		return errors.New("no rank held a lock")
	}
	own := must(p.StarterGA(0))
	for table := range acp.GA(2) {
		if err := p.Complete(must(p.Copy(own, s.Address().GA+8*table, 8, acp.HandleNull))); err != nil {
			return err
		}
		lock := acp.GA(f.word(0))
		if err := p.Complete(must(p.Cas8(own+8, lock, 0, 1, acp.HandleNull))); err != nil {
			return err
		}
	}
	waiting.Done()
	return nil
}

// TestTablesAllocations: operations on keys of structures on this host allocate no Go memory.
func TestTablesAllocations(t *testing.T) {
	run(t, 1, acp.Config{Mode: bridge.ModeSHM, StarterSize: 1 << 16}, func(p *member) error {
		s, err := sharedStructure(p, kinds[2], 100)
		if err != nil {
			return err
		}
		m := s.(acp.ByteMap)
		f := fighter{p: p, s: s}
		pair := acp.Pair{First: f.key(1), Second: f.element(fighterValue, 8)}
		var failed error
		n := testing.AllocsPerRun(100, func() {
			_, err1 := m.Insert(pair)
			it, err2 := m.Find(pair.First)
			_, err3 := m.Deref(it)
			_, err4 := m.Next(it)
			_, err5 := m.Load(pair)
			_, err6 := m.Remove(pair.First)
			for _, err := range [...]error{err1, err2, err3, err4, err5, err6} {
				if err != nil {
					failed = err
				}
			}
		})
		if n != 0 {
			t.Errorf("%v allocations", n)
		}
		typed, err := acp.MapAt[uint64, point](p.Process, m.Address())
		if err != nil {
			return err
		}
		n = testing.AllocsPerRun(100, func() {
			_, err1 := typed.Store(7, point{1, 2})
			v, _, err2 := typed.Load(7)
			_, err3 := typed.Remove(7)
			if err1 != nil || err2 != nil || err3 != nil || v.Y != 2 {
				failed = fmt.Errorf("loaded %v: %w", v, errors.Join(err1, err2, err3))
			}
		})
		if n != 0 {
			t.Errorf("%v allocations with Go types", n)
		}
		return failed
	})
}
