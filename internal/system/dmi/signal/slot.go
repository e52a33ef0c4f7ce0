package signal

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/wait"
)

// Slot is where one thread of this process waits for signals of threads of any process.
type Slot struct {
	slots  *Slots
	number uint32
	q      *queue

	addr     atomic.Int64 // of the object for which the thread waits, or 0
	count    atomic.Int64 // of messages
	messages []message    // the lock of the slots guards it
}

// ID returns the number of the slot in this process. Does not block.
func (x *Slot) ID() uint32 { return x.number }

// Free gives the slot back. No signal to it is on the way, and no thread waits. Does not block.
func (x *Slot) Free() {
	s := x.slots
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all[x.number] != x {
		return // forgotten
	}
	delete(s.all, x.number)
	x.messages = nil
	x.count.Store(0)
	s.free = append(s.free, x)
}

// Wait returns the next signal. Signals that came before are kept. Those of one thread are returned in the order in which it has sent them. Blocks
// until there is one, the context ends or the run is over, or the space of an object at addr ends; addr 0 is of no object. One thread at a time
// calls it.
func (x *Slot) Wait(ctx context.Context, addr int64, why activity.Reason) ([]byte, error) {
	if err := x.slots.gate.Enter(); err != nil {
		return nil, err
	}
	defer x.slots.gate.Leave()
	x.addr.Store(addr) // before the first look whether the space has ended
	if !x.ready() {
		if err := x.await(ctx, why); err != nil {
			return nil, err
		}
	}
	// A signal in the queue was sent before those that had to travel as messages.
	if value, ok := x.q.take(); ok {
		return value, nil
	}
	return x.takeMessage()
}

// ready reports whether there is a signal.
func (x *Slot) ready() bool { return x.q.any() || x.count.Load() > 0 }

func (x *Slot) takeMessage() ([]byte, error) {
	s := x.slots
	s.mu.Lock()
	m := x.messages[0]
	x.messages = x.messages[1:]
	x.count.Add(-1)
	s.mu.Unlock()
	if m.counted {
		if err := x.q.arrived(s.p.Lifecycle.Alive); err != nil {
			return nil, err
		}
	}
	return m.value, nil
}

// checksPerPoll is how often a thread that spins looks for a signal before it makes the fabrics progress, which bring those of other hosts.
const checksPerPoll = 64

// await spins and parks until there is a signal.
func (x *Slot) await(ctx context.Context, why activity.Reason) error {
	s := x.slots
	if d := s.p.Budget.StartSpin(); d > 0 {
		x.spin(d)
		s.p.Budget.EndSpin()
	}
	if x.ready() {
		return nil
	}
	if ctx.Done() != nil {
		notified := make(chan struct{})
		stop := context.AfterFunc(ctx, func() {
			x.q.events.Notify()
			close(notified)
		})
		defer func() {
			if !stop() {
				<-notified // the memory of the queue may go away afterwards
			}
		}()
	}
	defer s.p.Budget.Unpark(s.p.Budget.Park(why))
	return x.q.events.Park(func() (bool, error) { return x.ready(), x.stopped(ctx) })
}

// spin spins for at most d, or until there is a signal.
func (x *Slot) spin(d time.Duration) {
	checks := 0
	wait.Spin(d, func() bool {
		if checks++; checks%checksPerPoll == 0 {
			x.slots.p.Cond.Poll()
		}
		return x.ready()
	})
}

// stopped returns why a wait without a signal ends.
func (x *Slot) stopped(ctx context.Context) error {
	switch {
	case x.ready():
		return nil
	case x.slots.gate.Closed():
		return global.ErrFinalized
	}
	if err := x.slots.p.Lifecycle.Alive(); err != nil {
		return err
	}
	if addr := x.addr.Load(); addr != 0 && x.slots.check != nil {
		if err := x.slots.check(addr); err != nil {
			return err
		}
	}
	return ctx.Err()
}
