package segbuf

import (
	"runtime"
	"testing"

	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/ga"
)

// withoutMemory returns Buffers whose ends have no memory.
func withoutMemory(ranks *ga.Ranks, cond *wait.Cond) *Buffers {
	return &Buffers{pairing: pairing{ranks: ranks}, cond: cond}
}

// TestSettle: Settle waits for the copies and messages of all ends, and for no other event.
func TestSettle(t *testing.T) {
	var budget wait.Budget
	budget.Permit(1)
	b := withoutMemory(ga.NewRanks(2, 0), wait.NewCond(&budget, func() bool { return false }))
	b.Settle() // without ends it returns at once
	ends := []*End{{s: b, peer: 1, source: true}, {s: b, peer: 1}, {s: b, peer: 0}}
	for _, e := range ends {
		b.enter(e)
	}
	b.Settle()
	for _, e := range ends[:2] {
		e.underway.Add(2)
	}
	settled := make(chan struct{})
	go func() {
		defer close(settled)
		b.Settle()
	}()
	for range 2 {
		for _, e := range ends[:2] {
			for budget.Poll() == 0 { // until the goroutine is parked
				select {
				case <-settled:
					t.Fatal("did not wait")
				default:
					runtime.Gosched()
				}
			}
			e.underway.Add(-1)
		}
	}
	b.wake()
	<-settled
}
