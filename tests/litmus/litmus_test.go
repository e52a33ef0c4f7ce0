//go:build cgo

package litmus

import (
	"flag"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/goacp/goacp/internal/ground/futex"
)

// rounds is how often each pattern walks over its cells. make check takes a second for all of them, make
// check-arm64 more.
var rounds = flag.Int("rounds", 50, "how often each pattern walks over its cells")

// cellsOfRound fit in the caches. A walk through them takes longer than the delay between the begins of the two
// threads.
const cellsOfRound = 4096

// spins is the number of polls before a thread yields its processor. The threads walk at the same time only if both
// have a processor when the round begins.
const spins = 1 << 16

// both is a barrier of two threads. They spin, so that both begin to walk at the same time.
type both struct{ arrived atomic.Uint32 }

// wait is called for the n-th time by each thread, counted from 1.
func (b *both) wait(n uint32) {
	b.arrived.Add(1)
	for i := 1; b.arrived.Load() < 2*n; i++ {
		if i%spins == 0 {
			futex.Yield() // the other thread may need this processor
		}
	}
}

// meet lets two threads walk over the same cells, again and again. It returns for how many cells wrong is true, and
// for how many rare is: the tests log that, because a pattern whose threads never met has shown nothing.
func meet(rounds int, sides [2]side, wrong, rare func(c *cell) bool) (failures, met int) {
	cells, free := newCells(cellsOfRound)
	defer free()
	var b both
	var threads sync.WaitGroup
	for index, s := range sides {
		threads.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for round := range uint32(rounds) {
				if index == 0 {
					clear(cells)
				}
				b.wait(2*round + 1)
				s.walk(cells, index)
				b.wait(2*round + 2)
				if index != 0 {
					continue
				}
				for i := range cells {
					if wrong(&cells[i]) {
						failures++
					}
					if rare(&cells[i]) {
						met++
					}
				}
			}
		})
	}
	threads.Wait()
	return failures, met
}

// storeBuffering lets two sides store and then load: at least one of them sees the store of the other.
func storeBuffering(t *testing.T, rounds int, a, b side) {
	t.Run(a.name+", "+b.name, func(t *testing.T) {
		failures, met := meet(rounds, [2]side{a, b},
			func(c *cell) bool { return c.seen[0] == 0 && c.seen[1] == 0 },
			func(c *cell) bool { return c.seen[0] != 0 && c.seen[1] != 0 })
		if failures != 0 {
			t.Errorf("%d times of %d neither thread saw the other", failures, rounds*cellsOfRound)
		}
		t.Logf("%d times both saw the other", met)
	})
}

// TestStoreBuffering: a thread that is about to park and a thread that wakes it, a reader and a thread that withdraws
// its data, and all other pairs in which each side stores and then loads the store of the other side.
func TestStoreBuffering(t *testing.T) {
	for i, a := range stores {
		for _, b := range stores[i:] {
			storeBuffering(t, *rounds, a, b)
		}
	}
}

// TestMembarrier: the same for a reader that makes no barrier itself.
func TestMembarrier(t *testing.T) {
	if !canBarrier() {
		t.Log("the kernel has no membarrier, and the library does without")
		return
	}
	storeBuffering(t, max(*rounds/20, 1), mark, barrier)
}

// TestMessagePassing: a thread that sees the flag sees the data that were stored before it.
func TestMessagePassing(t *testing.T) {
	for _, from := range senders {
		for _, to := range receivers {
			t.Run(from.name+", "+to.name, func(t *testing.T) {
				failures, met := meet(*rounds, [2]side{from, to},
					func(c *cell) bool { return c.seen[1] != 0 && c.seen[0] == 0 },
					func(c *cell) bool { return c.seen[1] == 0 && c.seen[0] != 0 })
				if failures != 0 {
					t.Errorf("%d times of %d the flag came before the data", failures, *rounds*cellsOfRound)
				}
				t.Logf("%d times the data came before the flag", met)
			})
		}
	}
}

// TestSequenceNumber: a reader that finds the same even number before and after has read the data of one change.
func TestSequenceNumber(t *testing.T) {
	n := uint64(*rounds) * cellsOfRound * 8
	for writer, change := range map[string]func(table, uint64){"C": table.changeInC, "Go": table.changeInGo} {
		for reader, look := range map[string]func(table, uint64) (uint64, uint64){"C": table.lookInC, "Go": table.lookInGo} {
			t.Run(writer+" changes, "+reader+" reads", func(t *testing.T) {
				x := newTable()
				defer x.free()
				var threads sync.WaitGroup
				threads.Go(func() { change(x, n) })
				wrong, found := look(x, n)
				threads.Wait()
				if wrong != 0 {
					t.Errorf("%d of %d readings are of two changes", wrong, found)
				}
				if _, found = look(x, 1); found != 1 {
					t.Error("nothing is found when nothing changes")
				}
			})
		}
	}
}

// TestLock: stores of a thread under a lock are visible to the next holder.
func TestLock(t *testing.T) {
	n := uint64(*rounds) * cellsOfRound / 8
	var g guarded
	var threads sync.WaitGroup
	for range 2 {
		threads.Go(func() { g.incrementInC(n) })
		threads.Go(func() { g.incrementInGo(n) })
	}
	threads.Wait()
	if g.n != 4*n {
		t.Errorf("%d of %d increments are there", g.n, 4*n)
	}
}
