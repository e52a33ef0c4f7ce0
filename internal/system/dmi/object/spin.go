package object

import (
	"context"
	"runtime"
	"time"

	"github.com/goacp/goacp/internal/ground/activity"
)

// A spin lock, in bytes, is as a mutex without a queue: mark, 1 if it is locked, the thread that has locked it.

func initSpin(b, _, _ []byte)       { initialise(b, spinKind) }
func destroySpin(b, _, out []byte)  { destroyLock(b, out) }
func tryLockSpin(b, in, out []byte) { tryLock(b, in, out) }

// unlockSpin unlocks the lock of the thread of the input.
func unlockSpin(b, in, out []byte) {
	m := mutex{b}
	if s := m.holder(threadAt(in, 0)); s != done {
		out[0] = byte(s)
		return
	}
	b[lockedAt] = 0
}

// InitSpin makes the SpinSize bytes at addr a free spin lock. Any process may call it. Blocks for a round trip.
func (o *Objects) InitSpin(addr int64) error { return o.simple(addr, spinInit, spinKind) }

// DestroySpin ends a free spin lock. Any process may call it. Blocks for a round trip. Fails with ErrLocked.
func (o *Objects) DestroySpin(addr int64) error { return o.simple(addr, spinDestroy, spinKind) }

// TryLockSpin locks a spin lock for a thread of this process, if it is free, and reports whether it has. Blocks for a
// round trip.
func (o *Objects) TryLockSpin(addr int64, t Thread) (bool, error) {
	return o.tryLock(addr, spinTryLock, t)
}

// LockSpin locks a spin lock for a thread of this process. Blocks until the lock is free: it tries again and again, at
// first at once and then after growing times. Fails with ErrOwned, or if ctx ends.
func (o *Objects) LockSpin(ctx context.Context, addr int64, t Thread) error {
	shown := display{memory: o.memory}
	defer shown.end()
	for p := (pause{}); ; {
		s, owner, err := o.asThread(addr, spinTryLock, t)
		switch {
		case err != nil:
			return err
		case s == done:
			return nil
		case s == owned:
			return failed(spinKind, addr, ErrOwned)
		}
		if p.tries >= looks {
			shown.set(addr, owner)
		}
		if err := p.wait(ctx); err != nil {
			return failed(spinKind, addr, err)
		}
	}
}

// display is the reason that readers see of a thread that waits for a spin lock.
type display struct {
	memory Memory
	owner  thread
	wait   activity.Wait // the zero Wait before the first set
}

// set shows the owner of the lock.
func (d *display) set(addr int64, owner thread) {
	if d.wait != 0 && owner == d.owner {
		return
	}
	d.end()
	d.owner, d.wait = owner, d.memory.Say(lockReason(activity.Spin, addr, owner))
}

// end shows nothing any more.
func (d *display) end() { d.memory.Unsay(d.wait) }

// UnlockSpin unlocks a spin lock that a thread of this process owns. Blocks for a round trip. Fails with ErrNotLocked
// or ErrOwner.
func (o *Objects) UnlockSpin(addr int64, t Thread) error {
	s, _, err := o.asThread(addr, spinUnlock, t)
	if err == nil && s != done {
		err = failed(spinKind, addr, s.err())
	}
	return err
}

// Bounds of a pause.
const (
	looks        = 16 // without sleep
	firstSleep   = time.Microsecond
	longestSleep = time.Millisecond
)

// pause spaces the attempts of a thread that tries something again until it succeeds.
type pause struct {
	tries int
	sleep time.Duration
}

// wait blocks for longer each time. Fails if the context ends.
func (p *pause) wait(ctx context.Context) error {
	if p.tries++; p.tries <= looks {
		runtime.Gosched()
		return ctx.Err()
	}
	p.sleep = min(max(2*p.sleep, firstSleep), longestSleep)
	timer := time.NewTimer(p.sleep)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
