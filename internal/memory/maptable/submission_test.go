package maptable_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/goacp/goacp/internal/memory/maptable"
)

// TestSubmit has goroutines submit GMAs while another one takes them out, and opens and shuts the submission queue.
func TestSubmit(t *testing.T) {
	const goroutines, each = 4, 2000
	table := maptable.Table{Procs: 2}
	q := &table.Submissions
	var all sync.WaitGroup
	for i := range uint64(goroutines) {
		all.Go(func() {
			last := uint64(0)
			for n := uint64(0); n < each; {
				h, ok := table.Submit(1, &maptable.Submission{Dst: i, Operand: n})
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
		if _, ok := table.Submit(0, &maptable.Submission{}); ok {
			t.Fatal("a GMA is submitted for another rank")
		}
		q.Lock()
		if n := atomic.LoadUint64(&table.Pending); n < uint64(q.Count) {
			t.Errorf("%d of %d GMAs are pending", n, q.Count)
		}
		for _, w := range q.List[:q.Count] {
			if handle++; w.Handle != handle {
				t.Fatalf("handle %d, expected %d", w.Handle, handle)
			}
			if w.Operand != next[w.Dst] {
				t.Fatalf("GMA %d of goroutine %d, expected %d", w.Operand, w.Dst, next[w.Dst])
			}
			next[w.Dst]++
		}
		q.Count = 0
		atomic.StoreUint64(&q.To, 2-2*uint64(handle%3/2)) // rank 1, or shut
		q.Unlock()
		if q.To == 0 {
			if _, ok := table.Submit(1, &maptable.Submission{}); ok {
				t.Fatal("a GMA is in a submission queue that is shut")
			}
			q.Lock()
			atomic.StoreUint64(&q.To, 2)
			q.Unlock()
		}
	}
	all.Wait()
}
