package object

import (
	"context"

	"github.com/goacp/goacp/internal/ground/activity"
)

// hold is a mutex that a thread of this process owns, while this process alone knows, or learns, its successor.
type hold struct {
	owner Thread
	entry *entry
}

// claim is a thread at a mutex.
type claim struct {
	mutex  int64
	thread Thread
}

// InitMutex makes the MutexSize bytes at addr a free mutex. Any process may call it. Blocks for a round trip.
func (o *Objects) InitMutex(addr int64) error { return o.simple(addr, mutexInit, mutexKind) }

// DestroyMutex ends a free mutex. Any process may call it. Blocks for a round trip. Fails with ErrLocked.
func (o *Objects) DestroyMutex(addr int64) error { return o.simple(addr, mutexDestroy, mutexKind) }

// simple runs an operation without input that returns a status alone.
func (o *Objects) simple(addr int64, op Builtin, k kind) error {
	x := exchanges.Get().(*exchange)
	defer exchanges.Put(x)
	return o.finish(addr, op, k, x)
}

// finish runs an operation that returns a status alone.
func (o *Objects) finish(addr int64, op Builtin, k kind, x *exchange) error {
	if err := o.call(addr, op, x); err != nil {
		return err
	}
	if err := status(x.out[0]).err(); err != nil {
		return failed(k, addr, err)
	}
	return nil
}

// err is the error for a status that is one.
func (s status) err() error {
	switch s {
	case done, popped:
		return nil
	case notOwner:
		return ErrOwner
	case owned:
		return ErrOwned
	case locked:
		return ErrLocked
	case notLocked:
		return ErrNotLocked
	case waiting, settling:
		return ErrWaiting
	}
	return ErrArgument
}

// asOwner is a thread of this process as objects name it.
func asOwner(t Thread) thread { return thread{uint32(t.Member), t.Number} }

// newEntry returns an entry for a thread that will wait, and the thread as it enters queues.
func (o *Objects) newEntry(t Thread) (*entry, waiter) {
	e := &entry{slot: o.memory.NewSlot()}
	return e, waiter{place{uint32(t.Member), e.slot.ID()}, t.Number}
}

// TryLock locks a mutex for a thread of this process, if it is free, and reports whether it has. Blocks for a round trip.
func (o *Objects) TryLock(addr int64, t Thread) (bool, error) {
	return o.tryLock(addr, mutexTryLock, t)
}

// tryLock tries to lock a mutex or spin lock.
func (o *Objects) tryLock(addr int64, op Builtin, t Thread) (bool, error) {
	s, err := o.asThread(addr, op, t)
	return err == nil && s == done, err
}

// asThread runs an operation whose input is a thread, and returns its status.
func (o *Objects) asThread(addr int64, op Builtin, t Thread) (status, error) {
	x := exchanges.Get().(*exchange)
	defer exchanges.Put(x)
	asOwner(t).put(x.in[:], 0)
	err := o.call(addr, op, x)
	return status(x.out[0]), err
}

// Lock locks a mutex for a thread of this process. Blocks until the threads that have called Lock before, of any
// process, have unlocked it. Fails with ErrOwned. If ctx ends first, the thread does not own the mutex.
func (o *Objects) Lock(ctx context.Context, addr int64, t Thread) error {
	e, w := o.newEntry(t)
	return o.enter(ctx, addr, t, e, w)
}

// enter locks a mutex for a thread that has an entry, which it ends.
func (o *Objects) enter(ctx context.Context, addr int64, t Thread, e *entry, w waiter) error {
	for p := (pause{}); ; {
		standsIn := o.standsIn(addr, t) // before the attempt: it may end at any time
		s, err := o.queueUp(addr, mutexLock, w)
		switch {
		case err == nil && s == done:
			e.slot.Free()
			return nil
		case err == nil && s == waiting:
			return o.awaitLock(ctx, addr, t, e)
		case err == nil && s == owned && standsIn:
			err = p.wait(ctx)
		case err == nil:
			err = failed(mutexKind, addr, s.err())
		}
		if err != nil {
			e.slot.Free()
			return err
		}
	}
}

// queueUp runs an operation that puts a thread into a queue, and sends its place to the thread before it.
func (o *Objects) queueUp(addr int64, op Builtin, w waiter) (status, error) {
	x := exchanges.Get().(*exchange)
	defer exchanges.Put(x)
	w.put(x.in[:], 0)
	return o.queueWith(addr, op, w, x)
}

// queueWith is queueUp with all input in x.
func (o *Objects) queueWith(addr int64, op Builtin, w waiter, x *exchange) (status, error) {
	if err := o.call(addr, op, x); err != nil {
		return 0, err
	}
	s := status(x.out[0])
	if s == waiting && x.out[1] != 0 {
		return s, o.tellFollowed(placeAt(x.out[:], 2), w)
	}
	return s, nil
}

// awaitLock waits as a thread in the queue of a mutex, and ends the entry.
func (o *Objects) awaitLock(ctx context.Context, addr int64, t Thread, e *entry) error {
	n, v, err := e.wait(ctx, activity.For(activity.Mutex))
	if err != nil {
		if ctx.Err() != nil {
			o.standIn(addr, t, func() error { return o.awaitAndUnlock(addr, t, e) })
		}
		return failed(mutexKind, addr, err)
	}
	if n != noteGranted {
		return failed(mutexKind, addr, errSignal)
	}
	o.keep(addr, t, e, v[0] != 0)
	return nil
}

// keep notes that a thread owns a mutex. If another thread follows it in the queue, its entry is kept for unlock.
func (o *Objects) keep(addr int64, t Thread, e *entry, follows bool) {
	if !follows {
		e.slot.Free()
		return
	}
	o.mu.Lock()
	o.holds[addr] = hold{t, e}
	o.mu.Unlock()
}

// Unlock unlocks a mutex that a thread of this process owns. The thread that waits longest owns it then. Blocks for a
// round trip, and until the next thread in the queue has told that it follows. Fails with ErrNotLocked or ErrOwner.
func (o *Objects) Unlock(addr int64, t Thread) error {
	o.mu.Lock()
	h := o.holds[addr]
	o.mu.Unlock()
	if h.owner != t {
		h.entry = nil
	}
	return o.handOver(addr, t, h.entry)
}

// handOver unlocks a mutex. e is the entry of a thread that another one follows, or nil. If handOver succeeds, it ends
// the entry.
func (o *Objects) handOver(addr int64, t Thread, e *entry) error {
	x := exchanges.Get().(*exchange)
	defer exchanges.Put(x)
	clear(x.in[:unlockIn])
	asOwner(t).put(x.in[:], 0)
	if e != nil {
		next, err := e.successor()
		if err != nil {
			return failed(mutexKind, addr, err)
		}
		x.in[threadBytes] = 1
		next.put(x.in[:], threadBytes+4)
	}
	if err := o.finish(addr, mutexUnlock, mutexKind, x); err != nil {
		return err
	}
	if e != nil {
		o.release(addr, e)
	}
	if status(x.out[0]) != popped {
		return nil
	}
	return o.signal(placeAt(x.out[:], 2), noteGranted, x.out[1])
}

// release ends the entry of a thread that owned a mutex.
func (o *Objects) release(addr int64, e *entry) {
	o.mu.Lock()
	if o.holds[addr].entry == e {
		delete(o.holds, addr)
	}
	o.mu.Unlock()
	e.slot.Free()
}
