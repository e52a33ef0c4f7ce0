package tcp

import (
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/network/fabrictest"
)

// TestPollBudget checks that only a member that has carried out requests polls for more, and that members
// with an unlimited budget still carry out operations and close.
func TestPollBudget(t *testing.T) {
	var asked [2]atomic.Int32
	w := newPollingWorld(t, 2, fabrictest.MemorySize, func(member int) time.Duration {
		asked[member].Add(1)
		return time.Hour
	})
	value := uint64(7)
	add := func(from int) {
		t.Helper()
		o := fabrictest.NewOutcome()
		w.transports[from].Atomic(1-from, startPos, fabric.Atomic{Op: fabric.OpAdd, Width: 8, Operand: value}, o)
		o.Must(t)
	}
	const rounds = 100
	for range rounds {
		add(0)
	}
	// The target calls PollBudget when it finds no more requests, which may be after the last answer.
	for limit := time.Now().Add(time.Minute); asked[1].Load() == 0 && time.Now().Before(limit); {
		time.Sleep(time.Millisecond)
	}
	if asked[0].Load() != 0 || asked[1].Load() == 0 {
		t.Errorf("the poll budget was asked for %d times at the initiator, %d at the target", asked[0].Load(), asked[1].Load())
	}
	// The member that polls carries out operations, too.
	for range rounds {
		add(1)
	}
	for i, o := range w.owners {
		if got := *(*uint64)(unsafe.Pointer(&o.Memory[0])); got != rounds*value {
			t.Errorf("member %d: %d; expected %d", i, got, rounds*value)
		}
	}
}

// TestPollRaisesLowWater: the kernel does not wake a reader that polls for the next of several requests. It
// wakes the reader again when the reader has stopped polling.
func TestPollRaisesLowWater(t *testing.T) {
	var budget atomic.Int64
	w := newPollingWorld(t, 2, fabrictest.MemorySize, func(int) time.Duration { return time.Duration(budget.Load()) })
	add := func(from int) {
		t.Helper()
		o := fabrictest.NewOutcome()
		w.transports[from].Atomic(1-from, startPos, fabric.Atomic{Op: fabric.OpAdd, Width: 8, Operand: 1}, o)
		o.Must(t)
	}
	connect(t, w)
	l := (*w.transports[1].links.Load())[0]
	becomes := func(raised bool) {
		t.Helper()
		for limit := time.Now().Add(time.Minute); (lowWater(t, l) != 1) != raised; time.Sleep(100 * time.Microsecond) {
			if time.Now().After(limit) {
				t.Fatalf("the kernel wakes the reader for %d bytes", lowWater(t, l))
			}
			if raised {
				add(0) // the reader may have used up its budget before this one
			}
		}
	}
	for range 10 {
		budget.Store(int64(time.Hour))
		becomes(true)
		budget.Store(int64(time.Millisecond))
		add(0) // ends the poll of an hour
		becomes(false)
		add(0)
		add(1)
	}
}
