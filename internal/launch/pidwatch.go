package launch

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// pidWatch sees processes end that somebody else waits for, such as the ranks
// below mpirun: in which order, and how. The status of a process can be read
// while its parent has not waited for it yet, and on Linux 6.15 and later also
// after that.
type pidWatch struct {
	epoll int              // descriptors, closed by the watch's goroutine
	wake  int              // ends the wait
	ended func(member int) // called in the order of the ends, from the watch's goroutine

	mu      sync.Mutex
	watched map[int]*watchedPID // by member
	members map[int32]int       // by descriptor
	closed  bool
}

// watchedPID is one process: a descriptor that means this process and no later
// one with the same number.
type watchedPID struct {
	pid, fd int
	asked   bool // somebody asks for its status, and closes it afterwards
}

// newPIDWatch starts a watch.
func newPIDWatch(ended func(member int)) (*pidWatch, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err == nil {
		err = unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, wake, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(wake)})
	}
	if err != nil {
		unix.Close(epoll)
		return nil, fmt.Errorf("watch of processes: %w", err)
	}
	w := &pidWatch{epoll: epoll, wake: wake, ended: ended, watched: map[int]*watchedPID{}, members: map[int32]int{}}
	go w.loop()
	return w, nil
}

// loop reports ends until the watch is closed. One call of epoll after the other
// keeps their order, which several waiting goroutines would not.
func (w *pidWatch) loop() {
	var events [64]unix.EpollEvent
	for {
		n, err := unix.EpollWait(w.epoll, events[:], -1)
		w.mu.Lock()
		if w.closed || (err != nil && !errors.Is(err, unix.EINTR)) {
			w.closed = true
			unix.Close(w.epoll)
			unix.Close(w.wake)
			w.mu.Unlock()
			return
		}
		var members []int
		for _, e := range events[:max(n, 0)] {
			if member, known := w.members[e.Fd]; known {
				members = append(members, member)
			}
		}
		w.mu.Unlock()
		for _, member := range members {
			w.ended(member)
		}
	}
}

// add begins to watch a process, if pid means a process of the run on this host;
// mark is what its environment then holds.
func (w *pidWatch) add(member, pid int, mark string) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return // ended already
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	// Looked at after the descriptor was opened: now the number cannot be reused
	// unnoticed.
	event := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLONESHOT, Fd: int32(fd)}
	if w.closed || !marked(pid, mark) || unix.EpollCtl(w.epoll, unix.EPOLL_CTL_ADD, fd, &event) != nil {
		unix.Close(fd)
		return
	}
	w.watched[member] = &watchedPID{pid: pid, fd: fd}
	w.members[int32(fd)] = member
}

// remove gives a process up.
func (w *pidWatch) remove(member int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p := w.watched[member]; p != nil {
		delete(w.watched, member)
		delete(w.members, int32(p.fd))
		p.release()
	}
}

// ask returns a process whose status the caller asks for, and closes afterwards;
// nil if it is not watched or was asked for before.
func (w *pidWatch) ask(member int) *watchedPID {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.watched[member]
	if p == nil || p.asked {
		return nil
	}
	p.asked = true
	return p
}

// close gives all processes up.
func (w *pidWatch) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.watched {
		p.release()
	}
	w.watched, w.members = nil, nil
	if !w.closed {
		w.closed = true
		// Adding 1 to a counter that is 0 cannot fail.
		_, _ = unix.Write(w.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	}
}

// release closes the descriptor unless somebody else does.
func (p *watchedPID) release() {
	if !p.asked {
		unix.Close(p.fd)
	}
}

// status waits for the status of a process that is about to end, no longer than
// limit; known is false if the kernel does not tell.
func (p *watchedPID) status(limit time.Duration) (s Status, known bool) {
	deadline := time.Now().Add(limit)
	for time.Now().Before(deadline) {
		info, err := p.info()
		if err == nil && info.Mask&unix.PIDFD_INFO_EXIT != 0 {
			return statusOf(syscall.WaitStatus(info.Exit_code)), true
		}
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
		if err == nil {
			// 0 may mean that the kernel does not tell.
			if z, err := parseStat(string(text)); err == nil && z.zombie && !z.status.ok() {
				return z.status, true
			}
		}
		time.Sleep(time.Millisecond)
	}
	return Status{}, false
}

func (p *watchedPID) info() (*unix.PidfdInfo, error) {
	info := unix.PidfdInfo{Mask: unix.PIDFD_INFO_EXIT}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(p.fd), unix.PIDFD_GET_INFO, uintptr(unsafe.Pointer(&info)))
	if errno != 0 {
		return nil, os.NewSyscallError("ioctl(PIDFD_GET_INFO)", errno)
	}
	return &info, nil
}
