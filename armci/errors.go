package armci

import (
	"errors"
	"fmt"
	"sync"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// Errors that callers may test for with errors.Is. Functions also fail with errors of package acp:
// ErrPeerDead and ErrFinalized.
var (
	// ErrAddress: memory that is no shared memory of the process, or not aligned.
	ErrAddress = world.ErrAddress
	// ErrCount: an impossible number of elements.
	ErrCount = world.ErrCount
	// ErrIndex: there is no such mutex.
	ErrIndex = world.ErrLevels
	// ErrProc: there is no such process, or it takes no part.
	ErrProc = world.ErrProc
	// ErrFailed: the transfer failed after it had been issued.
	ErrFailed = world.ErrFailed
	// ErrMemory: the heap of a process has no room.
	ErrMemory = world.ErrMemory
	// ErrState: the world has been closed, there is a world already, a mutex is locked or is not.
	ErrState = world.ErrState
	// ErrBounds: elements outside of a slice.
	ErrBounds = errors.New("outside of the slice")
	// ErrShape: a layout that cannot be, or two that have different shapes.
	ErrShape = errors.New("impossible shape")
	// ErrBadType: a type with pointers, whose values are meaningless in other processes.
	ErrBadType = acp.ErrBadType
)

// OpError is the error of a call.
type OpError struct {
	Op     string  // "put", "fence" …
	Proc   int     // the calling process, -1 if it is none of a world
	Target int     // the target process of the call, -1 if there is no single target
	Addr   uintptr // of the memory of Target, 0 if the call is about none
	Err    error   // the cause
}

// Error implements the error interface, for example
// "armci: put by process 2 to process 5 at 0x410000001040: no such process or group: process 5 of 4".
func (e *OpError) Error() string {
	s := "armci: " + e.Op
	if e.Proc >= 0 {
		s += fmt.Sprintf(" by process %d", e.Proc)
	}
	if e.Target >= 0 {
		s += fmt.Sprintf(" to process %d", e.Target)
	}
	if e.Addr != 0 {
		s += fmt.Sprintf(" at %#x", e.Addr)
	}
	return fmt.Sprintf("%s: %v", s, e.Err)
}

// Unwrap returns the cause.
func (e *OpError) Unwrap() error { return e.Err }

// failed returns the error of a call that is about no single process.
func (w *World) failed(op string, err error) error { return w.failedAt(op, -1, 0, err) }

// failedAt returns the error of a call that is about memory of a process.
func (w *World) failedAt(op string, target int, addr uintptr, err error) error {
	if err == nil {
		return nil
	}
	return &OpError{Op: op, Proc: w.Proc(), Target: max(target, -1), Addr: addr, Err: err}
}

// failures has the first failed store that no call has reported.
type failures struct {
	mu    sync.Mutex
	first error
}

// add notes a failure.
func (f *failures) add(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.first == nil {
		f.first = err
	}
}

// take returns the failure since the last call.
func (f *failures) take() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.first
	f.first = nil
	return err
}
