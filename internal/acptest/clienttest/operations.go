package clienttest

import (
	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/structure/hashed"
	"github.com/goacp/goacp/internal/structure/hashed/hashedtest"
)

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

// tableAt returns the structure of a kind at an address.
func tableAt(kind hashed.Kind, p *acp.Process, a acp.TableAddress) (keyedTable, error) {
	switch kind {
	case hashed.Set:
		return acp.SetAt[uint64](p, a)
	case hashed.Multiset:
		return acp.MultisetAt[uint64](p, a)
	}
	return acp.MapAt[uint64, uint64](p, a)
}

// call carries out an operation on keys, or one like it if the structure has none. It returns which one
// that was.
func (c *Client) call(op hashedtest.Op, on int, keys, values []uint64) (results []uint64, done hashedtest.Op, err error) {
	const times = 1
	switch s := c.tables[on].(type) {
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
	results, err = eachKey(keys, c.tables[on].Contains, c.tables[on].ContainsMany)
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
func (c *Client) whole(on int) error {
	ops := []hashedtest.Op{hashedtest.Clear, hashedtest.Size, hashedtest.Size, hashedtest.Assign, hashedtest.Merge, hashedtest.Move, hashedtest.Move, hashedtest.Swap, hashedtest.Swap}
	e := hashedtest.Event{Op: ops[c.Random.IntN(len(ops))], On: on, Local: c.Random.IntN(3) == 0}
	if e.Op == hashedtest.Swap {
		e.Local = false
	}
	return c.record(e, func() (uint64, error) {
		switch s := c.tables[on]; {
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
		switch s := c.tables[on].(type) {
		case *acp.Set[uint64]:
			return 0, withOther(e, s.Bytes(), c.tables[1-on].(*acp.Set[uint64]).Bytes())
		case *acp.Multiset[uint64]:
			return 0, withOther(e, s.Bytes(), c.tables[1-on].(*acp.Multiset[uint64]).Bytes())
		case *acp.Map[uint64, uint64]:
			return 0, withOther(e, s.Bytes(), c.tables[1-on].(*acp.Map[uint64, uint64]).Bytes())
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
