package object

import (
	"context"
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/ground/activity"
)

// ErrOtherMutex: threads wait at a condition variable with another mutex.
var ErrOtherMutex = errors.New("threads wait at it with another mutex")

// InitCond makes the CondSize bytes at addr a condition variable. Any process may call it. Blocks for a round trip.
func (o *Objects) InitCond(addr int64) error { return o.simple(addr, condInit, condKind) }

// DestroyCond ends a condition variable. Any process may call it. Blocks for a round trip, and while threads that have
// been signalled leave its queue. Fails with ErrWaiting.
func (o *Objects) DestroyCond(addr int64) error {
	x := exchanges.Get().(*exchange)
	defer exchanges.Put(x)
	for p := (pause{}); ; {
		err := o.finish(addr, condDestroy, condKind, x)
		if status(x.out[0]) != settling {
			return err
		}
		if err := p.wait(context.Background()); err != nil {
			return failed(condKind, addr, err)
		}
	}
}

// Wait unlocks a mutex that a thread of this process owns, and waits until the condition variable is signalled. Then it
// locks the mutex again. There may be wake-ups without a signal. Blocks. Fails with ErrNotLocked or ErrOwner of the
// mutex, and with ErrOtherMutex. If the space of the condition variable ends, Wait fails without the mutex. If ctx ends, Wait fails with its error, after it has locked the mutex again.
func (o *Objects) Wait(ctx context.Context, addr, mutex int64, t Thread) error {
	s, _, err := o.asThread(mutex, mutexCheck, t)
	if err == nil && s != done {
		err = failed(mutexKind, mutex, s.err())
	}
	if err != nil {
		return err
	}
	e, w := o.newEntry(t)
	if err := o.enterCond(addr, mutex, w); err != nil {
		e.slot.Free()
		return err
	}
	if err := o.Unlock(mutex, t); err != nil {
		return err
	}
	return o.awaitCond(ctx, addr, mutex, t, e, w)
}

// enterCond puts a thread into the queue of a condition variable.
func (o *Objects) enterCond(addr, mutex int64, w waiter) error {
	x := exchanges.Get().(*exchange)
	defer exchanges.Put(x)
	clear(x.in[:enterIn])
	setDouble(x.in[:], 16, mutex)
	w.put(x.in[:], 0)
	s, err := o.queueWith(addr, condEnter, w, x)
	if err == nil && s == otherMutex {
		err = failed(condKind, addr, fmt.Errorf("%w than %#x", ErrOtherMutex, mutex))
	}
	return err
}

// awaitCond waits as a thread in the queue of a condition variable, and after that in the queue of the mutex.
func (o *Objects) awaitCond(ctx context.Context, addr, mutex int64, t Thread, e *entry, w waiter) error {
	n, v, err := e.wait(ctx, addr, activity.For(activity.Condition).At(addr, mutex))
	if err != nil {
		if ctx.Err() == nil {
			return failed(condKind, addr, err)
		}
		o.standIn(mutex, t, func() error { return o.passSignal(addr, mutex, t, e) })
		return errors.Join(failed(condKind, addr, err), o.Lock(context.WithoutCancel(ctx), mutex, t))
	}
	switch n {
	case noteGranted:
		o.keep(mutex, t, e, grant(v[0]))
		return nil
	case notePopped:
		if err := o.follow(addr, e); err != nil {
			e.slot.Free()
			return err
		}
		return o.enter(context.WithoutCancel(ctx), mutex, t, e, w)
	case noteNoMutex:
		return failed(mutexKind, mutex, errors.Join(wrongKind(kind(v[0])), o.passNoMutex(e, v)))
	}
	return failed(condKind, addr, errSignal)
}

// passSignal waits in place of a thread whose context has ended. The signal that ends the wait goes to another thread.
func (o *Objects) passSignal(addr, mutex int64, t Thread, e *entry) error {
	n, v, err := e.wait(context.Background(), addr, activity.For(activity.Condition).At(addr, mutex))
	if err != nil {
		return err
	}
	switch {
	case n == notePopped:
		err = o.follow(addr, e)
	case n == noteGranted && grant(v[0])&grantUnknown != 0:
		if err := o.handOver(mutex, t, hold{entry: e}); err != nil {
			return err
		}
		return o.SignalCond(addr)
	case n == noteGranted:
		err = o.handOver(mutex, t, hold{})
	case n == noteNoMutex:
		return o.passNoMutex(e, v)
	}
	e.slot.Free()
	return errors.Join(err, o.SignalCond(addr))
}

// follow names the successor of a thread that has left the queue of a condition variable.
func (o *Objects) follow(addr int64, e *entry) error {
	next, err := e.successor()
	if err != nil {
		return failed(condKind, addr, err)
	}
	e.followed = false
	x := exchanges.Get().(*exchange)
	defer exchanges.Put(x)
	next.put(x.in[:], 0)
	return o.take(addr, condFollow, x)
}

// SignalCond wakes the thread that has waited longest at a condition variable, if there is one. Any process may call it.
// Blocks for a round trip or two.
func (o *Objects) SignalCond(addr int64) error { return o.pop(addr, condPop) }

// BroadcastCond wakes all threads that wait at a condition variable: it moves them to the queue of their mutex. Any
// process may call it. Blocks for a round trip or two.
func (o *Objects) BroadcastCond(addr int64) error { return o.pop(addr, condPopAll) }

// pop takes threads out of the queue of a condition variable.
func (o *Objects) pop(addr int64, op Builtin) error {
	x := exchanges.Get().(*exchange)
	defer exchanges.Put(x)
	return o.take(addr, op, x)
}

// take runs an operation that takes threads out of the queue of a condition variable, and moves them to the mutex.
func (o *Objects) take(addr int64, op Builtin, x *exchange) error {
	if err := o.call(addr, op, x); err != nil {
		return err
	}
	s := status(x.out[0])
	if s == done {
		return nil
	}
	c, ok := chainAt(x.out[16:])
	switch {
	case !ok:
		return failed(condKind, addr, ErrArgument)
	case s == popped && x.out[1] != 0:
		return o.signal(c.known[0].place, notePopped, 0)
	}
	return o.join(double(x.out[:], 8), c)
}

// join appends threads to the queue of a mutex. If there is no mutex, those of them that are known learn it.
func (o *Objects) join(mutex int64, c chain) error {
	x := exchanges.Get().(*exchange)
	defer exchanges.Put(x)
	clear(x.in[:chainBytes])
	c.put(x.in[:])
	if err := o.call(mutex, mutexJoin, x); err != nil {
		for i, w := range c.known {
			rest := uint32(0)
			if i == len(c.known)-1 {
				rest = c.count - uint32(len(c.known))
			}
			err = errors.Join(err, o.tellNoMutex(w.place, kind(x.out[1]), rest))
		}
		return err
	}
	for i, w := range c.known {
		if at := 4 + i*(4+placeBytes); x.out[at] != 0 {
			if err := o.tellFollowed(placeAt(x.out[:], at+4), w); err != nil {
				return err
			}
		}
	}
	if x.out[1] == 0 {
		return nil
	}
	return o.signal(c.known[0].place, noteGranted, x.out[2])
}

// tellNoMutex tells a thread that it cannot enter the queue of its mutex, because there is an object of another kind.
// Of the threads that follow it, it tells the next one, which tells the rest.
func (o *Objects) tellNoMutex(to place, found kind, rest uint32) error {
	v := make([]byte, 6)
	v[0], v[1] = byte(noteNoMutex), byte(found)
	setWord(v, 2, rest)
	return o.memory.Signal(int(to.member), to.slot, v)
}

// passNoMutex tells the thread that follows the one of an entry that there is no mutex, and ends the entry.
func (o *Objects) passNoMutex(e *entry, v []byte) error {
	defer e.slot.Free()
	if len(v) != 5 {
		return errSignal
	}
	rest := word(v, 1)
	if rest == 0 {
		return nil
	}
	next, err := e.successor()
	if err != nil {
		return err
	}
	return o.tellNoMutex(next.place, kind(v[0]), rest-1)
}
