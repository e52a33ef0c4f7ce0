//go:build mpi

package mpi

// #cgo noescape MPI_Win_flush
// #cgo nocallback MPI_Win_flush
// #cgo noescape MPI_Win_flush_all
// #cgo nocallback MPI_Win_flush_all
// #cgo noescape MPI_Win_flush_local
// #cgo nocallback MPI_Win_flush_local
// #cgo noescape MPI_Win_flush_local_all
// #cgo nocallback MPI_Win_flush_local_all
// #cgo noescape MPI_Win_sync
// #cgo nocallback MPI_Win_sync
// #include "shim.h"
import "C"

// LockType determines whether other processes may hold a lock at the same time.
type LockType int

// The kinds of locks.
const (
	LockShared    LockType = iota // other processes with a shared lock
	LockExclusive                 // no other
)

// Assert is a promise of the caller of a lock to MPI.
type Assert int

// The assertions of locks.
const (
	NoAssert Assert = iota // nothing
	// NoCheck: no process holds or asks for a conflicting lock. With it, locking does
	// not wait for the target.
	NoCheck
)

// Lock begins accesses to the memory of one process of the window. It may return
// before the lock is granted. A process holds at most one lock for a target.
// Local. May block until another process unlocks. MPI 11.5.3.
func (w Win) Lock(kind LockType, target int, assert Assert) error {
	const op = "MPI_Win_lock"
	if err := w.usable(op); err != nil {
		return err
	}
	if kind != LockShared && kind != LockExclusive {
		return refuse(op, ErrLockType, "lock type %d", int(kind))
	}
	if err := assert.valid(op); err != nil {
		return err
	}
	return check(op, C.goacp_mpi_win_lock(C.int(kind), C.int(target), C.int(assert), w.handle))
}

// Unlock completes all accesses to the target at both ends and releases the lock.
// Local. Blocks until they have completed. MPI 11.5.3.
func (w Win) Unlock(target int) error {
	const op = "MPI_Win_unlock"
	if err := w.usable(op); err != nil {
		return err
	}
	return check(op, C.MPI_Win_unlock(C.int(target), w.handle))
}

// LockAll begins accesses to all processes of the window, as with shared locks.
// Local. May block until another process unlocks; not with [NoCheck]. MPI 11.5.3.
func (w Win) LockAll(assert Assert) error {
	const op = "MPI_Win_lock_all"
	if err := w.usable(op); err != nil {
		return err
	}
	if err := assert.valid(op); err != nil {
		return err
	}
	return check(op, C.goacp_mpi_win_lock_all(C.int(assert), w.handle))
}

func (a Assert) valid(op string) error {
	if a != NoAssert && a != NoCheck {
		return refuse(op, ErrAssert, "assertion %d", int(a))
	}
	return nil
}

// UnlockAll completes all accesses at both ends and releases the locks of LockAll.
// Local. Blocks until they have completed. MPI 11.5.3.
func (w Win) UnlockAll() error {
	const op = "MPI_Win_unlock_all"
	if err := w.usable(op); err != nil {
		return err
	}
	return check(op, C.MPI_Win_unlock_all(w.handle))
}

// Flush completes all accesses to the target at both ends: the program may use the
// buffers again, and the target sees the bytes that were put. Local. Blocks until
// they have completed. MPI 11.5.4.
func (w Win) Flush(target int) error {
	const op = "MPI_Win_flush"
	if err := w.usable(op); err != nil {
		return err
	}
	return check(op, C.MPI_Win_flush(C.int(target), w.handle))
}

// FlushAll is Flush for all targets. Local. Blocks until all accesses have
// completed. MPI 11.5.4.
func (w Win) FlushAll() error {
	const op = "MPI_Win_flush_all"
	if err := w.usable(op); err != nil {
		return err
	}
	return check(op, C.MPI_Win_flush_all(w.handle))
}

// FlushLocal completes all accesses to the target at this end: the program may use
// the buffers again. Local. Blocks until then. MPI 11.5.4.
func (w Win) FlushLocal(target int) error {
	const op = "MPI_Win_flush_local"
	if err := w.usable(op); err != nil {
		return err
	}
	return check(op, C.MPI_Win_flush_local(C.int(target), w.handle))
}

// FlushLocalAll is FlushLocal for all targets. Local. Blocks until all buffers
// may be used again. MPI 11.5.4.
func (w Win) FlushLocalAll() error {
	const op = "MPI_Win_flush_local_all"
	if err := w.usable(op); err != nil {
		return err
	}
	return check(op, C.MPI_Win_flush_local_all(w.handle))
}

// Sync orders the stores and loads of this process with the accesses of other processes to its
// memory, as a memory barrier does. Local. Does not block. MPI 11.5.4.
func (w Win) Sync() error {
	const op = "MPI_Win_sync"
	if err := w.usable(op); err != nil {
		return err
	}
	return check(op, C.MPI_Win_sync(w.handle))
}
