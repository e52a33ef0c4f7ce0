package object

import (
	"context"

	"github.com/goacp/goacp/internal/ground/activity"
)

// hold is a mutex that a thread of this process owns after it has waited for it, while others wait.
type hold struct {
	owner Thread
	entry *entry        // while this process alone knows, or learns, the successor; nil otherwise
	shown activity.Hold // to readers
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
	s, _, err := o.asThread(addr, op, t)
	return err == nil && s == done, err
}

// asThread runs an operation whose input is a thread, and returns its status. Of an operation that tries to lock, it returns the owner.
func (o *Objects) asThread(addr int64, op Builtin, t Thread) (status, thread, error) {
	x := exchanges.Get().(*exchange)
	defer exchanges.Put(x)
	asOwner(t).put(x.in[:], 0)
	err := o.call(addr, op, x)
	return status(x.out[0]), threadAt(x.out[:], tryOwnerAt), err
}

// Lock locks a mutex for a thread of this process. Blocks until the threads that have called Lock before, of any
// process, have unlocked it. Fails with ErrOwned, and if the space of the mutex ends. If ctx ends first, the thread does not own the mutex.
func (o *Objects) Lock(ctx context.Context, addr int64, t Thread) error {
	e, w := o.newEntry(t)
	return o.enter(ctx, addr, t, e, w)
}

// enter locks a mutex for a thread that has an entry, which it ends.
func (o *Objects) enter(ctx context.Context, addr int64, t Thread, e *entry, w waiter) error {
	for p := (pause{}); ; {
		standsIn := o.standsIn(addr, t) // before the attempt: it may end at any time
		s, owner, err := o.queueUp(addr, w)
		switch {
		case err == nil && s == done:
			e.slot.Free()
			return nil
		case err == nil && s == waiting:
			return o.awaitLock(ctx, addr, t, e, owner)
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

// queueUp puts a thread into the queue of a mutex, and returns the owner that it has then.
func (o *Objects) queueUp(addr int64, w waiter) (status, thread, error) {
	x := exchanges.Get().(*exchange)
	defer exchanges.Put(x)
	w.put(x.in[:], 0)
	s, err := o.queueWith(addr, mutexLock, w, x)
	return s, threadAt(x.out[:], lockOwnerAt), err
}

// queueWith runs an operation that puts a thread into a queue, and sends its place to the thread before it. x has the input.
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

// lockReason is the reason of a thread that waits for a lock.
func lockReason(kind activity.Kind, addr int64, owner thread) activity.Reason {
	return activity.On(kind, int(owner.member)).At(addr, int64(owner.number))
}

// awaitLock waits as a thread in the queue of a mutex, and ends the entry. owner is the one that it had before.
func (o *Objects) awaitLock(ctx context.Context, addr int64, t Thread, e *entry, owner thread) error {
	n, v, err := e.wait(ctx, addr, lockReason(activity.Mutex, addr, owner))
	if err != nil {
		if ctx.Err() != nil {
			o.standIn(addr, t, func() error { return o.awaitAndUnlock(addr, t, e) })
		}
		return failed(mutexKind, addr, err)
	}
	if n != noteGranted {
		return failed(mutexKind, addr, errSignal)
	}
	o.keep(addr, t, e, grant(v[0]))
	return nil
}

// keep notes that a thread owns a mutex. If this process alone knows its successor, its entry is kept for unlock. Otherwise the entry ends.
func (o *Objects) keep(addr int64, t Thread, e *entry, g grant) {
	if g&grantUnknown == 0 {
		e.slot.Free()
		e = nil
	}
	if g == 0 {
		return
	}
	h := hold{t, e, o.memory.Hold(addr, t.Number)}
	o.mu.Lock()
	o.holds[addr] = h
	o.mu.Unlock()
}

// Unlock unlocks a mutex that a thread of this process owns. The thread that waits longest owns it then. Blocks for a
// round trip, and until the next thread in the queue has told that it follows. Fails with ErrNotLocked or ErrOwner.
func (o *Objects) Unlock(addr int64, t Thread) error {
	o.mu.Lock()
	h := o.holds[addr]
	o.mu.Unlock()
	if h.owner != t {
		h = hold{}
	}
	return o.handOver(addr, t, h)
}

// handOver unlocks a mutex, and ends what keep has noted of it, if that has noted anything. If it fails, the hold remains.
func (o *Objects) handOver(addr int64, t Thread, h hold) error {
	x := exchanges.Get().(*exchange)
	defer exchanges.Put(x)
	clear(x.in[:unlockIn])
	asOwner(t).put(x.in[:], 0)
	if h.entry != nil {
		next, err := h.entry.successor()
		if err != nil {
			return failed(mutexKind, addr, err)
		}
		x.in[threadBytes] = 1
		next.put(x.in[:], threadBytes+4)
	}
	if err := o.finish(addr, mutexUnlock, mutexKind, x); err != nil {
		return err
	}
	if h != (hold{}) {
		o.release(addr, h)
	}
	if status(x.out[0]) != popped {
		return nil
	}
	return o.signal(placeAt(x.out[:], 2), noteGranted, x.out[1])
}

// release ends the hold of a thread that owned a mutex.
func (o *Objects) release(addr int64, h hold) {
	o.mu.Lock()
	if o.holds[addr] == h {
		delete(o.holds, addr)
	}
	o.mu.Unlock()
	o.memory.Release(h.shown)
	if h.entry != nil {
		h.entry.slot.Free()
	}
}
