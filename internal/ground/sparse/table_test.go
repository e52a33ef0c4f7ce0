package sparse

import (
	"maps"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/goacp/goacp/internal/ground/footprinttest"
)

// TestModel compares random tables with maps.
func TestModel(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		size := 1 + r.IntN(4*perBlock)
		table, model := New[int](size), map[int]*int{}
		for range 100 {
			switch i := r.IntN(size); r.IntN(20) {
			case 0:
				table.Clear()
				clear(model)
			case 1:
				table.Store(i, nil)
				delete(model, i)
			default:
				model[i] = new(int)
				table.Store(i, model[i])
			}
		}
		if got := maps.Collect(table.All()); !maps.Equal(got, model) {
			t.Fatalf("seed %d: %v, want %v", seed, got, model)
		}
		for i := range table.Size() {
			if table.Load(i) != model[i] {
				t.Fatalf("seed %d: entry %d is %p, want %p", seed, i, table.Load(i), model[i])
			}
		}
		last := -1
		for i := range table.All() {
			if i <= last {
				t.Fatalf("seed %d: %d comes after %d", seed, i, last)
			}
			if last = i; last > size/2 {
				break
			}
		}
	}
}

// TestConcurrent: no entry is lost when several goroutines make one block.
func TestConcurrent(t *testing.T) {
	const workers = 4
	for range 200 {
		table := New[int](2 * perBlock)
		var all sync.WaitGroup
		for w := range workers {
			all.Go(func() {
				for i := w; i < table.Size(); i += workers {
					table.Store(i, &i)
				}
			})
		}
		all.Wait()
		for i := range table.Size() {
			if p := table.Load(i); p == nil || *p != i {
				t.Fatalf("entry %d is lost", i)
			}
		}
	}
}

// TestCost: an entry that was never set takes no more than a quarter of a byte.
func TestCost(t *testing.T) {
	var table *Table[int]
	footprinttest.PerItem(t, "entry", 0.25, func(items int) int64 {
		table = nil
		before := footprinttest.InUse()
		table = New[int](items)
		after := footprinttest.InUse()
		runtime.KeepAlive(table)
		return after - before
	})
}
