package global

import (
	"sync/atomic"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/network/router"
)

// batchWidth bounds the copies of a batch that are under way at the same time.
const batchWidth = 64

// Batch is a group of copies whose end one goroutine awaits. Only that goroutine uses it.
type Batch struct {
	m    *Memory
	open atomic.Int32 // copies under way
	err  error        // of the first that failed; guarded by the lock of m.cond
}

// NewBatch returns a Batch of no copies.
func (m *Memory) NewBatch() *Batch { return &Batch{m: m} }

// WaitCapacity returns when Add may be called. If batchWidth copies are under way, it waits until all are complete.
// Fails as Wait does.
func (b *Batch) WaitCapacity() error {
	if b.open.Load() < batchWidth {
		return nil
	}
	return b.Wait()
}

// Add begins to copy n bytes from src to dst, and returns the path. It does not wait for other ranks, so
// its caller may have entered the space.
func (b *Batch) Add(dst, src router.Location, n uint64) router.Path {
	a := b.m.router.Between(dst, src)
	if a.Immediate() {
		fabric.Move(dst.Addr, src.Addr, n)
		return a
	}
	b.open.Add(1)
	b.m.router.Start(a, dst, src, n, b)
	return a
}

// Complete implements fabric.Completion.
func (b *Batch) Complete(_ uint64, err error) {
	b.m.cond.Lock()
	defer b.m.cond.Unlock()
	b.complete(1, err)
}

// Batch implements fabric.Batched.
func (b *Batch) Batch() fabric.Batch { return b }

// CompleteAll implements fabric.Batch.
func (b *Batch) CompleteAll(outcomes []fabric.Outcome) {
	b.m.cond.Lock()
	defer b.m.cond.Unlock()
	var first error
	for _, o := range outcomes {
		if first == nil {
			first = o.Err
		}
	}
	b.complete(len(outcomes), first)
}

// complete notes that n copies have ended, with the first error. The caller holds the lock of m.cond.
func (b *Batch) complete(n int, err error) {
	if b.err == nil {
		b.err = err
	}
	if b.open.Add(int32(-n)) == 0 {
		b.m.cond.Broadcast()
	}
}

// Wait returns when no copy is under way, with the first error, or when the run is over.
func (b *Batch) Wait() error {
	if err := b.m.cond.Wait(activity.For(activity.Complete), func() bool { return b.open.Load() == 0 }); err != nil {
		return err
	}
	return b.err
}
