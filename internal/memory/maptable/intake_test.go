package maptable_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/goacp/goacp/internal/memory/maptable"
)

// TestLeave has goroutines leave GMAs while another one takes them out, and opens and shuts the Intake.
func TestLeave(t *testing.T) {
	const goroutines, each = 4, 2000
	table := maptable.Table{Procs: 2}
	in := &table.Intake
	var all sync.WaitGroup
	for i := range uint64(goroutines) {
		all.Go(func() {
			last := uint64(0)
			for n := uint64(0); n < each; {
				h, ok := table.Leave(1, &maptable.Waiting{Dst: i, Operand: n})
				if !ok {
					runtime.Gosched()
					continue
				}
				if h <= last {
					t.Errorf("handle %d behind %d", h, last)
				}
				last = h
				n++
			}
		})
	}
	var next [goroutines]uint64
	for handle := uint64(0); handle < goroutines*each; runtime.Gosched() {
		if _, ok := table.Leave(0, &maptable.Waiting{}); ok {
			t.Fatal("a GMA is left for another rank")
		}
		in.Lock()
		if n := atomic.LoadUint64(&table.Pending); n < uint64(in.Count) {
			t.Errorf("%d of %d GMAs are pending", n, in.Count)
		}
		for _, w := range in.Waiting[:in.Count] {
			if handle++; w.Handle != handle {
				t.Fatalf("handle %d, expected %d", w.Handle, handle)
			}
			if w.Operand != next[w.Dst] {
				t.Fatalf("GMA %d of goroutine %d, expected %d", w.Operand, w.Dst, next[w.Dst])
			}
			next[w.Dst]++
		}
		in.Count = 0
		atomic.StoreUint64(&in.To, 2-2*uint64(handle%3/2)) // rank 1, or shut
		in.Unlock()
		if in.To == 0 {
			if _, ok := table.Leave(1, &maptable.Waiting{}); ok {
				t.Fatal("a GMA is left in an Intake that is shut")
			}
			in.Lock()
			atomic.StoreUint64(&in.To, 2)
			in.Unlock()
		}
	}
	all.Wait()
}
