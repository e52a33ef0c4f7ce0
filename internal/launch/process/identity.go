package process

import (
	"errors"

	"golang.org/x/sys/unix"
)

// Identity names one process of this host. The kernel gives the number of a process that has
// ended to another process sooner or later, but never with the same start time. The zero
// value names no process.
type Identity struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"` // clock ticks after boot
}

// Identify returns the identity of the process that has the number pid now. That is the intended process only
// if nothing has waited for its end yet.
func (fs ProcFS) Identify(pid int) (Identity, error) {
	p, err := fs.stat(pid)
	return p.Identity, err
}

// exists reports whether the process still has its number. A zombie has.
func (fs ProcFS) exists(id Identity) bool {
	now, err := fs.Identify(id.PID)
	return err == nil && now == id
}

// Running reports whether the process has not ended yet.
func (fs ProcFS) Running(id Identity) bool {
	now, err := fs.stat(id.PID)
	return err == nil && now.Identity == id && !now.Zombie
}

// Signal sends a signal to the process that id names. If that process has ended, signal fails
// with ESRCH, even if another process has its number.
func (fs ProcFS) Signal(id Identity, sig unix.Signal) error {
	// Open the descriptor first. If the number is still that of the process afterwards, the
	// descriptor is that of the process.
	fd, err := unix.PidfdOpen(id.PID, 0)
	if err == nil {
		defer unix.Close(fd)
	}
	// Linux before 5.3 does not know the call, and filters of containers may refuse it. Then
	// another process could get the number between the check and the signal.
	byNumber := errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM)
	if err != nil && !byNumber {
		return err
	}
	if id.PID <= 1 || !fs.exists(id) {
		return unix.ESRCH
	}
	if byNumber {
		return unix.Kill(id.PID, sig)
	}
	return unix.PidfdSendSignal(fd, sig, nil, 0)
}
