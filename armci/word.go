package armci

import (
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
)

// FetchAdd adds value to the first element of at, and returns its old value. Integers wrap around. It
// takes effect after all transfers of this goroutine to the process, and is visible when it returns.
// Fails with ErrBounds if at is empty, with ErrAddress if it is not aligned, and with ErrProc. Any
// process. Blocks for a round trip, or for none if the memory of the process is mapped. ARMCI API:
// ARMCI_Rmw, ARMCI_FETCH_AND_ADD.
func FetchAdd[T Integer](w *World, at Remote[T], value T) (old T, err error) {
	return modify(w, "fetch and add", fabric.OpAdd, at, value)
}

// Swap replaces the first element of at and returns its old value. Otherwise as FetchAdd. Any process.
// Blocks as FetchAdd does. ARMCI API: ARMCI_Rmw, ARMCI_SWAP.
func Swap[T Integer](w *World, at Remote[T], value T) (old T, err error) {
	return modify(w, "swap", fabric.OpSwap, at, value)
}

func modify[T Integer](w *World, name string, op fabric.Op, at Remote[T], value T) (T, error) {
	s, err := w.live()
	if err == nil {
		err = at.first(1)
	}
	if err != nil {
		return 0, w.failedAt(name, at.proc, at.addr, err)
	}
	a := fabric.Atomic{Op: op, Width: uint8(unsafe.Sizeof(value)), Operand: uint64(value)}
	old, err := patiently(w, at.proc, func() (uint64, error) { return s.Transfer.Modify(at.proc, at.addr, a) }, nil)
	return T(old), w.failedAt(name, at.proc, at.addr, err)
}

// SetFlag stores a value in the first element of flag, when all puts and accumulates of this process
// to that process before are visible there. Its owner loads the flag atomically, for example in a
// loop. Errors as for FetchAdd. Any process. Does not block. ARMCI API: ARMCI_PutS_flag.
func SetFlag(w *World, flag Remote[int32], value int32) error {
	s, err := w.live()
	if err == nil {
		err = flag.first(1)
	}
	if err == nil {
		err = w.patient(flag.proc, func() error { return s.Transfer.Flag(flag.proc, flag.addr, uint32(value)) })
	}
	return w.failedAt("flag", flag.proc, flag.addr, err)
}

// Notify sends a notification to a process after all earlier puts and accumulates of this process to
// it, and returns the number of notifications so far. Notifications are counted for each pair of
// processes. Fails with ErrProc. Any process. Does not block. ARMCI API: armci_notify.
func (w *World) Notify(proc int) (sent int, err error) {
	s, err := w.live()
	if err == nil {
		err = s.World.Check(proc)
	}
	if err == nil {
		sent, err = patiently(w, proc, func() (int, error) { return s.Transfer.Notify(proc) }, nil)
	}
	return sent, w.failedAt("notify", proc, 0, err)
}

// AwaitNotify waits for the next notification of a process: its n-th call returns after the n-th
// notification. It returns n, and the number of notifications that have arrived. A call that gives up
// does not count. Only one goroutine at a time may wait for a process. Fails with ErrProc. Any
// process. Blocks until the notification comes. ARMCI API: armci_notify_wait.
func (w *World) AwaitNotify(proc int) (awaited, come int, err error) {
	s, err := w.live()
	if err == nil {
		awaited, come, err = s.Transfer.AwaitNotify(w.ctx, proc)
	}
	return awaited, come, w.failedAt("wait for notification", proc, 0, err)
}
