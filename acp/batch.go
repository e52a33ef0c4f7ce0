package acp

import (
	"sync/atomic"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/network"
)

// batchWidth bounds the transfers of a batch that are under way at the same time.
const batchWidth = 64

// batch is a number of transfers that are waited for together. It implements
// fabric.Completion for each of them. The zero value with p is ready.
type batch struct {
	p    *Process
	open atomic.Int32 // transfers under way
	err  error        // of the first that failed; guarded by the lock of p.cond
}

// room waits until add may be called.
func (b *batch) room() error {
	if b.open.Load() < batchWidth {
		return nil
	}
	return b.wait()
}

// add begins to copy n bytes from src to dst. It does not wait for other ranks, so that its
// caller may have entered the space.
func (b *batch) add(dst, src network.Place, n uint64) {
	a := b.p.net.Between(dst, src)
	if a.Immediate() {
		fabric.Move(dst.Addr, src.Addr, n)
		return
	}
	b.open.Add(1)
	b.p.net.Start(a, dst, src, n, b)
}

// Complete implements fabric.Completion.
func (b *batch) Complete(_ uint64, err error) {
	b.p.cond.Lock()
	defer b.p.cond.Unlock()
	if b.err == nil {
		b.err = err
	}
	if b.open.Add(-1) == 0 {
		b.p.cond.Broadcast()
	}
}

// wait returns when no transfer is under way, with the first error, or when the run is
// over.
func (b *batch) wait() error {
	if err := b.p.cond.Wait(func() bool { return b.open.Load() == 0 }); err != nil {
		return err
	}
	return b.err
}
