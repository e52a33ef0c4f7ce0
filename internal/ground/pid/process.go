package pid

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// ErrOther says that a process id is that of another process than the expected one.
var ErrOther = errors.New("the process id belongs to another process")

// Process is a process whose id was found to be that of the expected process. It is safe for
// concurrent use.
type Process struct {
	id      int
	started uint64
	fd      int // that refers to the process; -1 if the kernel gives none

	opened time.Time
	seen   atomic.Int64 // when the process was last found alive, in nanoseconds after opened
}

// Open returns the process that has the id and the start time, see StartTime. Close releases
// it. Open fails with ErrOther if the id is that of another process, and if there is no such
// process.
func Open(id int, started uint64) (*Process, error) {
	fd, err := unix.PidfdOpen(id, 0)
	switch {
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM):
		fd = -1 // kernels before 5.3, and sandboxes
	case err != nil:
		return nil, fmt.Errorf("process %d: %w", id, os.NewSyscallError("pidfd_open", err))
	}
	p := &Process{id: id, started: started, fd: fd, opened: time.Now()}
	// The descriptor is open. If the id is that of the process now, the descriptor refers to
	// the process.
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

// FD returns a descriptor that becomes readable when the process has ended. It returns -1 if
// there is none. The descriptor belongs to the Process.
func (p *Process) FD() int { return p.fd }

// reuseTime is less than the time after which the kernel gives the id of an ended process to
// another one. It first gives out all other ids, which are 32767 or more unless an
// administrator has chosen fewer.
const reuseTime = time.Millisecond

// HasID reports whether the id is still that of the process. While the process is alive, and
// for a while after its end, the kernel does not give the id to another one. HasID costs less
// than Alive.
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

// Alive reports whether the process has not ended.
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

// Close closes the descriptor.
func (p *Process) Close() error {
	if p.fd < 0 {
		return nil
	}
	return unix.Close(p.fd)
}
