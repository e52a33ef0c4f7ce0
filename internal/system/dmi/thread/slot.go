package thread

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/network/am"
)

// MaxSignal is the most bytes of a signal.
const MaxSignal = fabric.CallMax - 4

// slots are where threads of this process wait for signals.
type slots struct {
	mu   sync.Mutex
	all  map[uint32]*Slot
	free []uint32 // numbers that had a slot
	last uint32   // the greatest number so far
}

// Slot is where one thread of this process waits for signals of threads of any process. Signals are kept, in order.
type Slot struct {
	s      *System
	number uint32
	count  atomic.Int64 // signals in the queue
	queue  [][]byte     // the lock of the slots guards it
}

// NewSlot returns a slot without signals. Does not block.
func (s *System) NewSlot() *Slot {
	t := &s.slots
	t.mu.Lock()
	defer t.mu.Unlock()
	x := &Slot{s: s}
	if n := len(t.free); n > 0 {
		x.number, t.free = t.free[n-1], t.free[:n-1]
	} else {
		t.last++
		x.number = t.last
	}
	if t.all == nil {
		t.all = make(map[uint32]*Slot)
	}
	t.all[x.number] = x
	return x
}

// ID returns the number of the slot in this process. Does not block.
func (x *Slot) ID() uint32 { return x.number }

// Free gives the slot back. No signal to it is on the way. Does not block.
func (x *Slot) Free() {
	t := &x.s.slots
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.all, x.number)
	t.free = append(t.free, x.number)
}

// Wait returns the next signal. Blocks until there is one, the context ends or the run is over.
func (x *Slot) Wait(ctx context.Context, why activity.Reason) ([]byte, error) {
	if err := x.s.p.Cond.WaitContext(ctx, why, func() bool { return x.count.Load() > 0 }); err != nil {
		return nil, err
	}
	t := &x.s.slots
	t.mu.Lock()
	defer t.mu.Unlock()
	value := x.queue[0]
	x.queue = x.queue[1:]
	x.count.Add(-1)
	return value, nil
}

// Signal sends a value of at most MaxSignal bytes to a slot of a member. Signals from this process to a member arrive in order. Does
// not block.
func (s *System) Signal(member int, slot uint32, value []byte) error {
	request := append(appendInt32(nil, int32(slot)), value...)
	if member == s.p.Ranks.Self() {
		return s.deliver(request)
	}
	if err := s.p.Check(member); err != nil {
		return err
	}
	s.p.Start(member, opSignal, request, make([]byte, refusalRoom), ignored{})
	return nil
}

// ignored is the completion of a signal. If it has not arrived, the run is over.
type ignored struct{}

func (ignored) Complete(uint64, error) {}

func (s *System) serveSignal(r fabric.Request) (int, error) {
	if err := s.deliver(append([]byte(nil), r.Body...)); err != nil {
		return 0, err
	}
	return done(r.Reply, nil)
}

// deliver puts a signal into the queue of its slot, and keeps its memory.
func (s *System) deliver(request []byte) error {
	in := reader{b: request}
	number := uint32(in.int32())
	if in.bad {
		return am.ErrMalformed
	}
	if !s.slots.put(number, in.b) {
		return nil // a thread that does not wait any more
	}
	s.p.Cond.Lock()
	defer s.p.Cond.Unlock()
	s.p.Cond.Broadcast()
	return nil
}

// put puts a signal into the queue of a slot, and reports whether there is the slot.
func (t *slots) put(number uint32, value []byte) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	x := t.all[number]
	if x == nil {
		return false
	}
	x.queue = append(x.queue, value)
	x.count.Add(1)
	return true
}
