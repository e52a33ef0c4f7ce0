package acp_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/acptest/race"
)

// crowdKeys is the number of keys that all ranks insert and remove at the same time.
const crowdKeys = 2000

// TestTablesCrowd lets 8 ranks insert, find and remove the same keys of one structure at the same time.
// Afterwards it holds the keys that the ranks have counted as inserted, less those counted as removed.
func TestTablesCrowd(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for _, kind := range kinds {
		// A million operations for maps and sets together.
		steps := map[bridge.Mode]int{bridge.ModeSHM: race.Cases(500_000, 60_000) / 8, bridge.ModeTCP: race.Cases(3000, 600)}
		for _, test := range []struct {
			mode    bridge.Mode
			sleeper bool // whether rank 7, which holds a part, only waits
		}{{bridge.ModeSHM, false}, {bridge.ModeTCP, false}, {bridge.ModeSHM, true}, {bridge.ModeTCP, true}} {
			n := steps[test.mode]
			if test.sleeper {
				n /= 2
			}
			t.Run(fmt.Sprintf("%s/%v/sleeper=%v", kind.name, test.mode, test.sleeper), func(t *testing.T) {
				fightForKeys(t, kind, test.mode, n, test.sleeper, seed)
			})
		}
	}
}

func fightForKeys(t *testing.T, kind tableKind, mode bridge.Mode, steps int, sleeper bool, seed uint64) {
	const ranks = 8
	var balance [crowdKeys]atomic.Int64
	cfg := acp.Config{Mode: mode, StarterSize: 1 << 16, HeapSize: acp.MinHeapSize}
	run(t, ranks, cfg, func(p *member) error {
		s, err := sharedStructure(p, kind, 61)
		if err != nil {
			return err
		}
		if !sleeper || p.Rank() != ranks-1 {
			f := fighter{p: p, s: s, rnd: rand.New(rand.NewPCG(seed, uint64(p.Rank()))), balance: &balance}
			for range steps {
				if err := f.step(); err != nil {
					return err
				}
			}
		}
		if err := p.Sync(); err != nil {
			return err
		}
		if p.Rank() == 0 {
			err = checkBalance(p, s, &balance)
			err = errors.Join(err, s.Destroy())
		}
		return errors.Join(err, heapIsWhole(p))
	})
}

// sharedStructure returns a structure on all ranks, whose address comes from rank 0.
func sharedStructure(p *member, kind tableKind, slots int) (structure, error) {
	own, zero := must(p.StarterGA(p.Rank())), must(p.StarterGA(0))
	var s structure
	if p.Rank() == 0 {
		var ranks []acp.Rank
		for r := range p.Procs() {
			ranks = append(ranks, acp.Rank(r))
		}
		var err error
		if s, err = kind.create(p.Process, ranks, slots, acp.Rank(p.Procs()-1)); err != nil {
			return nil, err
		}
		a := s.Address()
		for i, v := range []uint64{uint64(a.GA), a.Ranks, a.Slots} {
			binary.NativeEndian.PutUint64(p.Starter()[8*i:], v)
		}
	}
	if err := p.Sync(); err != nil {
		return nil, err
	}
	if p.Rank() != 0 {
		if err := p.Complete(must(p.Copy(own, zero, 24, acp.HandleNull))); err != nil {
			return nil, err
		}
		f := fighter{p: p}
		s = kind.at(p.Process, acp.TableAddress{GA: acp.GA(f.word(0)), Ranks: f.word(1), Slots: f.word(2)})
	}
	return s, p.Sync()
}

// fighter is one rank of TestTablesCrowd.
type fighter struct {
	p       *member
	s       structure
	rnd     *rand.Rand
	balance *[crowdKeys]atomic.Int64
}

// Where the key and the value lie in starter memory.
const fighterKey, fighterValue = 64, 128

func (f *fighter) element(at, n int) acp.Element {
	return acp.Element{GA: must(f.p.StarterGA(f.p.Rank())) + acp.GA(at), Size: uint64(n)}
}

// word returns a word of starter memory.
func (f *fighter) word(i int) uint64 { return binary.NativeEndian.Uint64(f.p.Starter()[8*i:]) }

// key puts key i into memory.
func (f *fighter) key(i int) acp.Element {
	binary.LittleEndian.PutUint64(f.p.Starter()[fighterKey:], uint64(i))
	return f.element(fighterKey, 8)
}

// value puts a value of key i into memory. It consists of copies of the key.
func (f *fighter) value(i int) acp.Element {
	times := 1 + f.rnd.IntN(6)
	for k := range times {
		binary.LittleEndian.PutUint64(f.p.Starter()[fighterValue+8*k:], uint64(i))
	}
	return f.element(fighterValue, 8*times)
}

func (f *fighter) step() error {
	i := f.rnd.IntN(crowdKeys)
	key := f.key(i)
	switch f.rnd.IntN(3) {
	case 0:
		return f.insert(i, key)
	case 1:
		removed, err := f.s.Remove(key)
		if removed {
			f.balance[i].Add(-1)
		}
		return err
	}
	return f.find(i, key)
}

func (f *fighter) insert(i int, key acp.Element) error {
	var added bool
	var err error
	switch s := f.s.(type) {
	case acp.ByteSet:
		added, err = s.Insert(key)
	case acp.ByteMultiset:
		_, err = s.Insert(key)
		added = true
	case acp.ByteMap:
		added, err = s.Insert(acp.Pair{First: key, Second: f.value(i)})
	}
	if added && err == nil {
		f.balance[i].Add(1)
	}
	return err
}

// find finds key i, which other ranks may insert and remove meanwhile.
func (f *fighter) find(i int, key acp.Element) error {
	s, isMap := f.s.(acp.ByteMap)
	if !isMap {
		_, err := f.s.Find(key)
		return err
	}
	n, err := s.Load(acp.Pair{First: key, Second: f.element(fighterValue, 48)})
	if err != nil || n%8 != 0 {
		return fmt.Errorf("a value of %d bytes: %w", n, err)
	}
	for k := range int(n / 8) {
		if got := binary.LittleEndian.Uint64(f.p.Starter()[fighterValue+8*k:]); got != uint64(i) {
			return fmt.Errorf("key %d has the value of %d", i, got)
		}
	}
	return nil
}

func checkBalance(p *member, s structure, balance *[crowdKeys]atomic.Int64) error {
	f := fighter{p: p, s: s}
	want := 0
	for i := range crowdKeys {
		key := f.key(i)
		it, err := s.Find(key)
		if err != nil {
			return err
		}
		got := int64(0)
		if it != s.End() {
			got, want = 1, want+1
		}
		if m, ok := s.(acp.ByteMultiset); ok {
			got = int64(must(m.Count(key)))
		}
		if got != balance[i].Load() {
			return fmt.Errorf("key %d is there %d times, the ranks say %d", i, got, balance[i].Load())
		}
	}
	if n, err := s.Len(); err != nil || n != want {
		return fmt.Errorf("%d elements, expected %d, %w", n, want, err)
	}
	return nil
}

// TestIterationWhileChanging iterates while other ranks insert and remove. It cannot predict the elements,
// but every iteration ends, and every element lies in a heap.
func TestIterationWhileChanging(t *testing.T) {
	for _, kind := range kinds {
		forEachMode(t, []int{4}, func(t *testing.T, mode bridge.Mode, n int) {
			steps := map[bridge.Mode]int{bridge.ModeSHM: race.Cases(40000, 8000), bridge.ModeTCP: 1500}[mode]
			var busy atomic.Int32
			busy.Store(int32(n / 2))
			var balance [crowdKeys]atomic.Int64
			run(t, n, acp.Config{Mode: mode, StarterSize: 1 << 16}, func(p *member) error {
				s, err := sharedStructure(p, kind, 7)
				if err != nil {
					return err
				}
				if int(p.Rank()) < n/2 {
					defer busy.Add(-1)
					f := fighter{p: p, s: s, rnd: rand.New(rand.NewPCG(1, uint64(p.Rank()))), balance: &balance}
					for range steps {
						if err := f.step(); err != nil {
							return err
						}
					}
					return nil
				}
				for busy.Load() > 0 {
					if err := iterateOver(s); err != nil {
						return err
					}
					runtime.Gosched()
				}
				return nil
			})
		})
	}
}

func iterateOver(s structure) error {
	it, err := s.Begin()
	for err == nil && it != s.End() {
		switch s := s.(type) {
		case acp.ByteSet:
			_, err = s.Deref(it)
		case acp.ByteMultiset:
			_, err = s.Deref(it)
		case acp.ByteMap:
			_, err = s.Deref(it)
		}
		if errors.Is(err, acp.ErrBadAddress) { // the element was removed, and its memory is used for something else
			err = nil
		}
		if err == nil {
			it, err = s.Next(it)
		}
	}
	return err
}
