package pid

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// ErrOther says that a process id is that of another process than the one meant.
var ErrOther = errors.New("the process id belongs to another process")

// Process is a process that was found to be the one meant. Its methods may be called by
// several goroutines at once.
type Process struct {
	id      int
	started uint64
	fd      int // that refers to the process; -1 if the kernel gives none

	opened time.Time
	seen   atomic.Int64 // when the process was last found alive, in nanoseconds after opened
}

// Open returns the process that has the id and started at that time, as StartTime tells
// it. Close gives it back. Fails with ErrOther, and if there is no such process.
func Open(id int, started uint64) (*Process, error) {
	fd, err := unix.PidfdOpen(id, 0)
	switch {
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM):
		fd = -1 // kernels before 5.3, and sandboxes
	case err != nil:
		return nil, fmt.Errorf("process %d: %w", id, os.NewSyscallError("pidfd_open", err))
	}
	p := &Process{id: id, started: started, fd: fd, opened: time.Now()}
	// With the descriptor open: from then on the id is that of no other process.
	now, err := StartTime(id)
	if err == nil && now != started {
		err = fmt.Errorf("process %d: %w: it started at %d, expected %d", id, ErrOther, now, started)
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// ID returns the process id.
func (p *Process) ID() int { return p.id }

// FD returns a descriptor that is readable when the process has ended, and -1 if there is
// none. It is the Process's.
func (p *Process) FD() int { return p.fd }

// reuseTime is less than the time in which the kernel gives the id of a process that has
// ended to another one: it goes through all other ids first, 32767 at least unless an
// administrator has chosen fewer.
const reuseTime = time.Millisecond

// HasID reports whether the id is not that of another process, which it cannot be while the
// process is alive and for a while after that. It costs less than Alive.
func (p *Process) HasID() bool {
	now := int64(time.Since(p.opened))
	if now-p.seen.Load() < int64(reuseTime) {
		return true
	}
	if !p.Alive() {
		return false
	}
	p.seen.Store(now)
	return true
}

// Alive reports whether the process has not ended, so that the id still is its own.
func (p *Process) Alive() bool {
	if p.fd < 0 {
		now, err := StartTime(p.id)
		return err == nil && now == p.started
	}
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLIN}}, 0)
		if !errors.Is(err, unix.EINTR) {
			return err == nil && n == 0
		}
	}
}

// Close gives the descriptor back.
func (p *Process) Close() error {
	if p.fd < 0 {
		return nil
	}
	return unix.Close(p.fd)
}
