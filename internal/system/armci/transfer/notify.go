package transfer

import (
	"context"
	"encoding/binary"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/activity"
)

// notifier is a process that sends notifications, in one world.
type notifier struct {
	world  uint64
	member int
}

// Notify sends a notification to a process after all earlier stores to it, and returns the number
// of notifications so far. Does not wait for the process.
func (e *Engine) Notify(proc int) (int, error) {
	if err := e.world.Check(proc); err != nil {
		return 0, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.store(proc, e.cfg.Numbers.Notify, binary.LittleEndian.AppendUint64(nil, e.world.ID()), 0)
	e.notified[proc]++
	return e.notified[proc], nil
}

// AwaitNotify waits for the next notification of a process: its n-th call returns after the n-th
// notification. It returns n, and the number of notifications that have arrived. It also ends with
// the error of ctx, and then does not count.
func (e *Engine) AwaitNotify(ctx context.Context, proc int) (awaited, come int, err error) {
	if err := e.world.Check(proc); err != nil {
		return 0, 0, err
	}
	n := notifier{e.world.ID(), e.world.Member(proc)}
	awaited = e.cfg.Owner.await(n, 1)
	err = e.cond.WaitContext(ctx, activity.On(activity.Notify, n.member), func() bool {
		come = e.cfg.Owner.come(n)
		return come >= awaited
	})
	if err != nil {
		e.cfg.Owner.await(n, -1)
	}
	return awaited, come, err
}

// notifications are the notifications of one notifier.
type notifications struct{ come, awaited int }

// ServeNotify takes a notification.
func (o *Owner) ServeNotify(r fabric.Request) (int, error) {
	if len(r.Body) != 8 {
		return answer(r, errMalformed)
	}
	n := notifier{binary.LittleEndian.Uint64(r.Body), r.From}
	o.mu.Lock()
	o.of(n).come++
	o.mu.Unlock()
	c := o.process.Cond
	c.Lock()
	c.Broadcast()
	c.Unlock()
	return answer(r, nil)
}

// of returns the notifications of a notifier. The caller holds the lock.
func (o *Owner) of(n notifier) *notifications {
	s := o.notified[n]
	if s == nil {
		s = new(notifications)
		o.notified[n] = s
	}
	return s
}

// await adds to the notifications that were waited for, and returns how many have been.
func (o *Owner) await(n notifier, more int) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.of(n)
	s.awaited += more
	return s.awaited
}

// come returns how many notifications have come.
func (o *Owner) come(n notifier) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.of(n).come
}
