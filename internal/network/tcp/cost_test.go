package tcp

import (
	"bytes"
	"net/netip"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/footprinttest"
	"github.com/goacp/goacp/internal/network/fabrictest"
)

// poller is a completion whose wait calls Poll and allocates nothing.
type poller struct {
	f    *Transport
	done chan error
	old  uint64
}

func newPoller(f *Transport) *poller { return &poller{f: f, done: make(chan error, 1)} }

func (p *poller) Complete(old uint64, err error) {
	p.old = old
	p.done <- err
}

// wait polls for a while, then it sleeps.
func (p *poller) wait() error {
	for range 200 {
		select {
		case err := <-p.done:
			return err
		default:
			p.f.Poll()
		}
	}
	return <-p.done
}

func TestNoAllocation(t *testing.T) {
	w := newWorld(t, 2, 1<<20)
	f := w.transports[0]
	scratch := fabrictest.Pages(t, 1<<20)
	p := newPoller(f)
	add := fabric.Atomic{Op: fabric.OpAdd, Width: 8, Operand: 1}
	puts := &fabric.Series{Kind: fabric.SeriesPut, Size: 8, Items: slices.Repeat([]fabric.Item{{Pos: startPos}}, fabric.SeriesItems)}
	cases := []struct {
		name   string
		allocs float64
		do     func()
	}{
		{"put 8", 0, func() { f.Put(1, startPos, unsafe.Pointer(&scratch[0]), 8, p) }},
		{"put 4096", 0, func() { f.Put(1, startPos, unsafe.Pointer(&scratch[0]), 4096, p) }},
		{"get 8", 0, func() { f.Get(1, startPos, unsafe.Pointer(&scratch[0]), 8, p) }},
		{"get 4096", 0, func() { f.Get(1, startPos, unsafe.Pointer(&scratch[0]), 4096, p) }},
		{"add8", 0, func() { f.Atomic(1, startPos, add, p) }},
		{"series", 0, func() { f.Series(1, puts, p) }},
		{"call", 1, func() { f.Call(1, 1, scratch[:8], scratch[8:16], p) }},                                  // of the answer
		{"call with a long buffer", 1, func() { f.Call(1, 1, scratch[:8], scratch[8:8+fabric.CallMax], p) }}, // of the bytes in the answer
	}
	for _, c := range cases {
		run := func() {
			c.do()
			if err := p.wait(); err != nil {
				t.Error(err)
			}
		}
		run()
		// Both members run in this process, so this counts the owner's side too.
		if n := testing.AllocsPerRun(100, run); n != c.allocs {
			t.Errorf("%s: %v allocations, want %v", c.name, n, c.allocs)
		}
	}
}

// TestBufferIsUsedAgain: the memory that the owner of a call allocates does not depend on the buffer of the
// initiator for the answer.
func TestBufferIsUsedAgain(t *testing.T) {
	w := newWorld(t, 2, 4096)
	reply := make([]byte, fabric.CallMax)
	p := newPoller(w.transports[0])
	const calls = 200
	for _, n := range []int{8, fabric.CallMax * 3 / 4} {
		request := make([]byte, n)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range calls {
			w.transports[0].Call(1, 1, request, reply, p)
			if err := p.wait(); err != nil {
				t.Fatal(err)
			}
		}
		runtime.ReadMemStats(&after)
		if per := (after.TotalAlloc - before.TotalAlloc) / calls; per > fabric.CallMax/2 { // the race detector drops memory that is to be used again
			t.Errorf("a call allocates %d bytes for an answer of %d", per, n)
		}
	}
}

// TestBuffer: buffers of all lengths have that length, and answers do not change when the buffer is used again.
func TestBuffer(t *testing.T) {
	for _, n := range []uint64{0, 1, shortBuffer, shortBuffer + 1, 1024, 1025, 40_000, fabric.CallMax - 1, fabric.CallMax} {
		for _, answer := range []uint64{0, n / 4, n} {
			r := newBuffer(n)
			if uint64(len(r.b)) != n {
				t.Fatalf("a buffer for %d bytes has %d", n, len(r.b))
			}
			for i := range r.b {
				r.b[i] = 1
			}
			got, used := r.answer(int(answer))
			again := newBuffer(n)
			clear(again.b)
			if uint64(len(got)) != answer || bytes.Count(got, []byte{1}) != len(got) {
				t.Errorf("an answer of %d bytes in a buffer for %d has changed", answer, n)
			}
			again.giveBack()
			used.giveBack()
		}
	}
}

func TestPeerSize(t *testing.T) {
	owner := fabrictest.NewOwner(t, startPos, 4096)
	footprinttest.PerItem(t, "peer", 1, func(members int) int64 {
		before := footprinttest.InUse()
		f := New(listen(t), Config{
			Self: 0, Size: members, Local: true, Auth: word, Owner: owner,
			Addrs: func(int) []netip.AddrPort { return nil },
		})
		after := footprinttest.InUse()
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		return after - before
	})
}

// TestOperationSlots checks that slots are used again and ids are not.
func TestOperationSlots(t *testing.T) {
	var table operations
	done := fabrictest.NewOutcome()
	seen := make(map[uint64]bool)
	var ids []uint64
	for i := range 1000 {
		id := table.add(&operation{done: done, size: uint64(i)})
		if seen[id] {
			t.Fatalf("id %#x was given out twice", id)
		}
		seen[id] = true
		ids = append(ids, id)
		if i%3 != 0 {
			old := ids[0]
			ids = ids[1:]
			op := table.find(old)
			if op == nil || op.done != done {
				t.Fatalf("operation %#x is lost", old)
			}
			if table.remove(old, op); table.find(old) != nil {
				t.Fatalf("operation %#x was removed twice", old)
			}
		}
	}
	if len(table.slots) > 340 {
		t.Errorf("table has %d slots for at most 335 operations at a time", len(table.slots))
	}
	left := 0
	table.each(func(*operation) { left++ })
	if left != len(ids) {
		t.Errorf("%d operations are left, want %d", left, len(ids))
	}
	if table.find(1<<40) != nil || table.find(0xffffffff) != nil {
		t.Error("found an operation under an id that was never given out")
	}
}
