package object

import (
	"context"
	"errors"
	"testing"
)

// TestSpinHandOvers: threads of several processes exclude each other.
func TestSpinHandOvers(t *testing.T) {
	w, all := newWorld(t, 3)
	addr := w.at(SpinSize)
	must(t, all[0].InitSpin(addr))
	exclude(t, all, 4, *handOvers/12,
		func(o *Objects, th Thread) error { return o.LockSpin(forever, addr, th) },
		func(o *Objects, th Thread) error { return o.UnlockSpin(addr, th) })
	must(t, all[0].DestroySpin(addr))
}

// TestSpinMisuse: each misuse fails with its text and changes nothing.
func TestSpinMisuse(t *testing.T) {
	w, all := newWorld(t, 1)
	addr, o, a, b := w.at(SpinSize), all[0], Thread{0, 1}, Thread{0, 2}
	missing := "spin lock at 0x100000000: it has not been initialised, or it has been destroyed"
	expect(t, o.LockSpin(forever, addr, a), ErrNotInitialised, missing)
	expect(t, o.UnlockSpin(addr, a), ErrNotInitialised, missing)
	must(t, o.InitSpin(addr))
	expect(t, o.UnlockSpin(addr, a), ErrNotLocked, "spin lock at 0x100000000: it is not locked")
	if got, err := o.TryLockSpin(addr, a); !got || err != nil {
		t.Errorf("TryLockSpin of a free lock returns %v, %v", got, err)
	}
	if got, err := o.TryLockSpin(addr, b); got || err != nil {
		t.Errorf("TryLockSpin of a locked lock returns %v, %v", got, err)
	}
	expect(t, o.LockSpin(forever, addr, a), ErrOwned, "spin lock at 0x100000000: the calling thread is the owner already")
	expect(t, o.UnlockSpin(addr, b), ErrOwner, "spin lock at 0x100000000: the calling thread is not the owner")
	expect(t, o.DestroySpin(addr), ErrLocked, "spin lock at 0x100000000: it is locked")
	ctx, cancel := context.WithCancel(forever)
	ended := make(chan error)
	go func() { ended <- o.LockSpin(ctx, addr, b) }()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("LockSpin whose context ends returns %v", err)
	}
	must(t, o.UnlockSpin(addr, a))
	must(t, o.DestroySpin(addr))
	expect(t, o.LockSpin(forever, addr, a), ErrNotInitialised, missing)
}
