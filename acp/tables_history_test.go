package acp_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/hashed"
	"github.com/goacp/goacp/internal/hashed/hashedtest"
)

// TestTablesHistory lets all ranks do random operations on a few keys of two structures, and on both
// structures as a whole, all at the same time. For each key there is an order of the operations that
// explains all results.
func TestTablesHistory(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const ranks = 4
	shapes := []struct {
		name string
		of   [2]hashedtest.Shape
	}{
		{"same shape", [2]hashedtest.Shape{{Ranks: []int{0, 1, 2, 3}, Slots: 5}, {Ranks: []int{0, 1, 2, 3}, Slots: 5}}},
		{"other shape", [2]hashedtest.Shape{{Ranks: []int{0, 1, 2, 3}, Slots: 5}, {Ranks: []int{3, 1, 1}, Slots: 4}}},
	}
	forEachMode(t, []int{ranks}, func(t *testing.T, mode bridge.Mode, n int) {
		steps := map[bridge.Mode]int{bridge.ModeSHM: 1500, bridge.ModeTCP: 200}[mode]
		for kind, name := range []string{"set", "multiset", "map"} {
			for _, shape := range shapes {
				for _, keys := range []int{1, 6} { // of a single key the size is known
					t.Run(fmt.Sprintf("%s/%s/%d", name, shape.name, keys), func(t *testing.T) {
						h := hashedtest.History{Kind: hashed.Kind(kind), Shapes: shape.of, Keys: keys}
						recordHistory(t, &h, mode, n, steps, seed)
						if err := h.Check(); err != nil {
							t.Error(err)
						}
					})
				}
			}
		}
	})
}

// recordHistory fills h with random operations of all ranks.
func recordHistory(t *testing.T, h *hashedtest.History, mode bridge.Mode, ranks, steps int, seed uint64) {
	var at [2]acp.TableAddress
	events := make([][]hashedtest.Event, ranks)
	start := time.Now()
	run(t, ranks, acp.Config{Mode: mode, StarterSize: 1 << 16, HeapSize: acp.MinHeapSize}, func(p *member) error {
		if p.Rank() == 0 {
			for i := range at {
				var on []acp.Rank
				for _, r := range h.Shapes[i].Ranks {
					on = append(on, acp.Rank(r))
				}
				s, err := kinds[h.Kind].create(p.Process, on, h.Shapes[i].Slots, acp.Rank(i))
				if err != nil {
					return err
				}
				at[i] = s.Address()
			}
		}
		if err := p.Sync(); err != nil {
			return err
		}
		c := historian{History: h, p: p, start: start, rnd: rand.New(rand.NewPCG(seed, uint64(p.Rank())))}
		for i := range c.is {
			c.is[i] = typedTable(h.Kind, p.Process, at[i])
		}
		for range steps {
			if err := c.step(); err != nil {
				return err
			}
		}
		if err := p.Sync(); err != nil {
			return err
		}
		if p.Rank() == 0 {
			if err := c.end(); err != nil {
				return err
			}
		}
		events[p.Rank()] = c.events
		return heapIsWhole(p)
	})
	for _, list := range events {
		h.Events = append(h.Events, list...)
	}
}

// keyedTable is a structure whose keys are words.
type keyedTable interface {
	Contains(uint64) (bool, error)
	ContainsMany([]uint64) ([]bool, error)
	Len() (int, error)
	LenLocal() (int, error)
	Empty() (bool, error)
	Clear() error
	ClearLocal() error
	Destroy() error
}

func typedTable(kind hashed.Kind, p *acp.Process, a acp.TableAddress) keyedTable {
	switch kind {
	case hashed.Set:
		return must(acp.SetAt[uint64](p, a))
	case hashed.Multiset:
		return must(acp.MultisetAt[uint64](p, a))
	}
	return must(acp.MapAt[uint64, uint64](p, a))
}

// historian is one rank of TestTablesHistory.
type historian struct {
	*hashedtest.History
	p      *member
	start  time.Time
	rnd    *rand.Rand
	is     [2]keyedTable
	events []hashedtest.Event
	values uint64 // how many have been stored
}

func (c *historian) now() int64 { return int64(time.Since(c.start)) }

// record notes what do does.
func (c *historian) record(e hashedtest.Event, do func() (uint64, error)) (err error) {
	e.Client, e.Begin = int(c.p.Rank()), c.now()
	e.Result, err = do()
	e.End = c.now()
	c.events = append(c.events, e)
	return err
}

func (c *historian) step() error {
	on := c.rnd.IntN(2)
	if c.rnd.IntN(4) == 0 {
		return c.whole(on)
	}
	op := []hashedtest.Op{hashedtest.Insert, hashedtest.Insert, hashedtest.Store, hashedtest.Remove, hashedtest.RemoveAll, hashedtest.Find, hashedtest.Load, hashedtest.Load}[c.rnd.IntN(8)]
	keys := make([]uint64, max(1, c.rnd.IntN(8)-4)) // one key, and sometimes a few in one call
	for i := range keys {
		keys[i] = uint64(c.rnd.IntN(c.Keys))
	}
	return c.onKeys(op, on, keys)
}

// onKeys carries out an operation on one key, or on many in one call.
func (c *historian) onKeys(op hashedtest.Op, on int, keys []uint64) error {
	values := make([]uint64, len(keys))
	for i := range values {
		c.values++
		values[i] = uint64(c.p.Rank()+1)<<32 | c.values
	}
	begin := c.now()
	results, done, err := c.call(op, on, keys, values)
	end := c.now()
	for i, key := range keys {
		if err == nil {
			c.events = append(c.events, hashedtest.Event{
				Client: int(c.p.Rank()), Begin: begin, End: end, Op: done, On: on, Key: int(key), Arg: values[i], Result: results[i],
			})
		}
	}
	return err
}

// call carries out an operation on keys, or one like it if the structure has none. It returns which one
// that was.
func (c *historian) call(op hashedtest.Op, on int, keys, values []uint64) (results []uint64, done hashedtest.Op, err error) {
	const times = 1
	switch s := c.is[on].(type) {
	case *acp.Set[uint64]:
		switch op {
		case hashedtest.Insert, hashedtest.Store:
			results, err = eachKey(keys, s.Insert, s.InsertMany)
			return results, hashedtest.Insert, err
		case hashedtest.Remove, hashedtest.RemoveAll:
			results, err = eachKey(keys, s.Remove, s.RemoveMany)
			return results, hashedtest.Remove, err
		}
	case *acp.Multiset[uint64]:
		switch op {
		case hashedtest.Insert, hashedtest.Store:
			results, err = eachKey(keys, func(k uint64) (bool, error) { return s.Insert(k, times) }, func(k []uint64) ([]bool, error) { return s.InsertMany(k, times) })
			return results, hashedtest.Insert, err
		case hashedtest.Remove:
			results, err = eachKey(keys, func(k uint64) (bool, error) { return s.Remove(k, times) }, func(k []uint64) ([]bool, error) { return s.RemoveMany(k, times) })
			return results, op, err
		case hashedtest.RemoveAll:
			results, err = eachKey(keys, s.RemoveAll, func(k []uint64) ([]bool, error) { return s.RemoveMany(k, hashed.Everywhere) })
			return results, op, err
		case hashedtest.Load:
			results, err = eachKey(keys, s.Count, s.CountMany)
			return results, op, err
		}
	case *acp.Map[uint64, uint64]:
		switch op {
		case hashedtest.Insert:
			results, err = eachKey(keys, func(k uint64) (bool, error) { return s.Insert(k, values[0]) }, func(k []uint64) ([]bool, error) { return s.InsertMany(k, values) })
			return results, op, err
		case hashedtest.Store:
			results, err = eachKey(keys, func(k uint64) (bool, error) { return s.Store(k, values[0]) }, func(k []uint64) ([]bool, error) { return s.StoreMany(k, values) })
			return results, op, err
		case hashedtest.Remove, hashedtest.RemoveAll:
			results, err = eachKey(keys, s.Remove, s.RemoveMany)
			return results, hashedtest.Remove, err
		case hashedtest.Load:
			results, err = eachKey(keys, func(k uint64) (uint64, error) { v, _, err := s.Load(k); return v, err },
				func(k []uint64) ([]uint64, error) { v, _, err := s.LoadMany(k); return v, err })
			return results, op, err
		}
	}
	results, err = eachKey(keys, c.is[on].Contains, c.is[on].ContainsMany)
	return results, hashedtest.Find, err
}

// eachKey calls one for a single key, and many for several.
func eachKey[T bool | uint64](keys []uint64, one func(uint64) (T, error), many func([]uint64) ([]T, error)) ([]uint64, error) {
	var got []T
	var err error
	if len(keys) == 1 {
		got = make([]T, 1)
		got[0], err = one(keys[0])
	} else {
		got, err = many(keys)
	}
	results := make([]uint64, len(got))
	for i := range got {
		switch v := any(got[i]).(type) {
		case bool:
			if v {
				results[i] = 1
			}
		case uint64:
			results[i] = v
		}
	}
	return results, err
}

// whole carries out an operation on whole structures.
func (c *historian) whole(on int) error {
	ops := []hashedtest.Op{hashedtest.Clear, hashedtest.Size, hashedtest.Size, hashedtest.Assign, hashedtest.Merge, hashedtest.Move, hashedtest.Move, hashedtest.Swap, hashedtest.Swap}
	e := hashedtest.Event{Op: ops[c.rnd.IntN(len(ops))], On: on, Local: c.rnd.IntN(3) == 0}
	if e.Op == hashedtest.Swap {
		e.Local = false
	}
	return c.record(e, func() (uint64, error) {
		switch s := c.is[on]; {
		case e.Op == hashedtest.Clear && e.Local:
			return 0, s.ClearLocal()
		case e.Op == hashedtest.Clear:
			return 0, s.Clear()
		case e.Op == hashedtest.Size && e.Local:
			n, err := s.LenLocal()
			return uint64(n), err
		case e.Op == hashedtest.Size:
			n, err := s.Len()
			return uint64(n), err
		}
		switch s := c.is[on].(type) {
		case *acp.Set[uint64]:
			return 0, withOther(e, s.Bytes(), c.is[1-on].(*acp.Set[uint64]).Bytes())
		case *acp.Multiset[uint64]:
			return 0, withOther(e, s.Bytes(), c.is[1-on].(*acp.Multiset[uint64]).Bytes())
		case *acp.Map[uint64, uint64]:
			return 0, withOther(e, s.Bytes(), c.is[1-on].(*acp.Map[uint64, uint64]).Bytes())
		}
		return 0, nil
	})
}

// otherTable is a structure that works with another one of its type.
type otherTable[S any] interface {
	Assign(S) error
	AssignLocal(S) error
	Merge(S) error
	MergeLocal(S) error
	Move(S) error
	MoveLocal(S) error
	Swap(S) error
}

func withOther[S otherTable[S]](e hashedtest.Event, s, other S) error {
	switch {
	case e.Op == hashedtest.Swap:
		return s.Swap(other)
	case e.Op == hashedtest.Assign && e.Local:
		return s.AssignLocal(other)
	case e.Op == hashedtest.Assign:
		return s.Assign(other)
	case e.Op == hashedtest.Merge && e.Local:
		return s.MergeLocal(other)
	case e.Op == hashedtest.Merge:
		return s.Merge(other)
	case e.Local:
		return s.MoveLocal(other)
	}
	return s.Move(other)
}

// end records what is there in the end, and destroys both structures.
func (c *historian) end() error {
	for on, s := range c.is {
		for key := range c.Keys {
			if err := c.onKeys(hashedtest.Load, on, []uint64{uint64(key)}); err != nil {
				return err
			}
		}
		n := 0
		err := c.record(hashedtest.Event{Op: hashedtest.Size, On: on}, func() (uint64, error) {
			var err error
			n, err = s.Len()
			return uint64(n), err
		})
		if err != nil {
			return err
		}
		if empty, err := s.Empty(); err != nil || empty != (n == 0) {
			return fmt.Errorf("%d keys, empty %v, %w", n, empty, err)
		}
		if err := s.Destroy(); err != nil {
			return err
		}
	}
	return nil
}
