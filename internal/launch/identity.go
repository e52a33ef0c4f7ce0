package launch

import (
	"errors"

	"golang.org/x/sys/unix"
)

// identity names one process of this host for ever. The kernel gives the number of a
// process that has ended to another one sooner or later, but never with the same start
// time. The zero identity is that of no process.
type identity struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"` // clock ticks after boot
}

// identify returns the identity of the process that has a number now. It is that of
// the process that is meant only as long as nothing has waited for its end.
func (fs procfs) identify(pid int) (identity, error) {
	p, err := fs.stat(pid)
	return p.identity, err
}

// exists reports whether the process is there still, perhaps as a zombie, which keeps
// its number.
func (fs procfs) exists(id identity) bool {
	now, err := fs.identify(id.PID)
	return err == nil && now == id
}

// running reports whether the process has not ended yet.
func (fs procfs) running(id identity) bool {
	now, err := fs.stat(id.PID)
	return err == nil && now.identity == id && !now.zombie
}

// signal sends a signal to the process that id names and to no other: it fails with
// ESRCH if that is gone, also if another process has its number.
func (fs procfs) signal(id identity, sig unix.Signal) error {
	// The descriptor is opened first: if the process is the right one afterwards, the
	// descriptor is its own.
	fd, err := unix.PidfdOpen(id.PID, 0)
	if err == nil {
		defer unix.Close(fd)
	}
	// Linux before 5.3 does not know the call, and filters of containers may refuse it.
	// Then the number could be given away between the look at it and the signal.
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
