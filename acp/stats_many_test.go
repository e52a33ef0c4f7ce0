package acp_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// TestManyTakeOneMessage: a call for many keys or elements asks each owner once.
func TestManyTakeOneMessage(t *testing.T) {
	const many = 200
	run(t, 3, acp.Config{Mode: bridge.ModeTCP, Stats: true}, func(p *member) error {
		if p.Rank() != 0 {
			return nil
		}
		owners := []acp.Rank{1, 2}
		keys := make([]int64, many)
		for i := range keys {
			keys[i] = int64(i)
		}
		table := must(acp.NewMap[int64, int64](p.Process, owners, 64, 1))
		set := must(acp.NewSet[int64](p.Process, owners, 64, 1))
		counts := must(acp.NewMultiset[int64](p.Process, owners, 64, 1))
		vector := must(acp.NewVector[int64](p.Process, 0, 1))
		deque := must(acp.NewDeque[int64](p.Process, 0, 1))
		list := must(acp.NewList[int64](p.Process, 1))
		for _, call := range []struct {
			name   string
			owners int
			do     func() error
		}{
			{"Map.StoreMany", 2, func() error { return errorOf(table.StoreMany(keys, keys)) }},
			{"Map.InsertMany", 2, func() error { return errorOf(table.InsertMany(keys, keys)) }},
			{"Map.ContainsMany", 2, func() error { return errorOf(table.ContainsMany(keys)) }},
			{"Map.LoadMany", 2, func() error { _, _, err := table.LoadMany(keys); return err }},
			{"Map.RemoveMany", 2, func() error { return errorOf(table.RemoveMany(keys)) }},
			{"Set.InsertMany", 2, func() error { return errorOf(set.InsertMany(keys)) }},
			{"Set.ContainsMany", 2, func() error { return errorOf(set.ContainsMany(keys)) }},
			{"Set.RemoveMany", 2, func() error { return errorOf(set.RemoveMany(keys)) }},
			{"Multiset.InsertMany", 2, func() error { return errorOf(counts.InsertMany(keys, 2)) }},
			{"Multiset.CountMany", 2, func() error { return errorOf(counts.CountMany(keys)) }},
			{"Multiset.RemoveMany", 2, func() error { return errorOf(counts.RemoveMany(keys, 1)) }},
			{"Vector.PushBack", 1, func() error { return vector.PushBack(keys...) }},
			{"Vector.PopBackMany", 1, func() error { return errorOf(vector.PopBackMany(many)) }},
			{"Deque.PushFront", 1, func() error { return deque.PushFront(keys...) }},
			{"Deque.PopBackMany", 1, func() error { return errorOf(deque.PopBackMany(many)) }},
			{"List.PushBackMany", 1, func() error { return list.PushBackMany(keys, 1) }},
			{"List.PopFrontMany", 1, func() error { return errorOf(list.PopFrontMany(many)) }},
		} {
			before := operations(p, "structure")
			if err := call.do(); err != nil {
				return fmt.Errorf("%s: %w", call.name, err)
			}
			after := operations(p, "structure")
			for rank := range acp.Rank(p.Procs()) {
				want := uint64(0)
				if rank == 1 || rank == 2 && call.owners == 2 {
					want = 1
				}
				if got := after[rank] - before[rank]; got != want {
					return fmt.Errorf("%s asks rank %d %d times, expected %d", call.name, rank, got, want)
				}
			}
		}
		return errors.Join(table.Destroy(), set.Destroy(), counts.Destroy(), vector.Destroy(), deque.Destroy(), list.Destroy())
	})
}

func errorOf[T any](_ T, err error) error { return err }

// operations returns how many operations of a kind this rank has counted for each rank.
func operations(p *member, kind string) map[acp.Rank]uint64 {
	n := make(map[acp.Rank]uint64)
	for _, x := range p.Stats() {
		if x.Kind == kind {
			n[x.Rank] += x.Operations
		}
	}
	return n
}
