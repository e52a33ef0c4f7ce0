package main

import (
	"errors"
	"slices"
	"time"

	"github.com/goacp/goacp/acp"
)

// maps inserts many keys of 8 bytes with values of 8 bytes in a map over all ranks, but
// without rank 0 if there are two, finds them, and removes them.
func (b *bench) maps(keys uint64, insert, find, remove string) error {
	if b.p.Rank() != 0 {
		return nil
	}
	var ranks []acp.Rank
	for r := range acp.Rank(b.p.Procs()) {
		if r > 0 || b.p.Procs() > 2 {
			ranks = append(ranks, r)
		}
	}
	m, err := acp.NewMap[uint64, uint64](b.p, ranks, 4096, 0)
	if err != nil {
		return err
	}
	for s := -1; s < samples; s++ {
		for _, phase := range []struct {
			name string
			do   func(key uint64) (bool, error)
		}{
			{insert, func(key uint64) (bool, error) { return m.Insert(key, key) }},
			{find, m.Contains},
			{remove, m.Remove},
		} {
			begin := time.Now()
			for key := range keys {
				if done, err := phase.do(key); err != nil || !done {
					return errors.Join(errors.New("the map is wrong"), err)
				}
			}
			if s >= 0 {
				report(phase.name, float64(time.Since(begin))/float64(keys))
			}
		}
	}
	if err := manyKeys(m, keys, insert+"many", find+"many", remove+"many"); err != nil {
		return err
	}
	return m.Destroy()
}

// atOnce is how many keys one call is for.
const atOnce = 500

// manyKeys does as maps does, with many keys in one call.
func manyKeys(m *acp.Map[uint64, uint64], keys uint64, insert, find, remove string) error {
	all := make([]uint64, keys)
	for i := range all {
		all[i] = uint64(i)
	}
	for s := -1; s < samples; s++ {
		for _, phase := range []struct {
			name string
			do   func(keys []uint64) ([]bool, error)
		}{
			{insert, func(keys []uint64) ([]bool, error) { return m.InsertMany(keys, keys) }},
			{find, m.ContainsMany},
			{remove, m.RemoveMany},
		} {
			begin := time.Now()
			for part := range slices.Chunk(all, atOnce) {
				if done, err := phase.do(part); err != nil || slices.Contains(done, false) {
					return errors.Join(errors.New("the map is wrong"), err)
				}
			}
			if s >= 0 {
				report(phase.name, float64(time.Since(begin))/float64(keys))
			}
		}
	}
	return nil
}
