package process

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// ExitQueue tells the ends of processes that are watched, in the order of the ends. Safe for
// concurrent use.
type ExitQueue struct {
	epoll int
	ended *os.File // closed by Close; the goroutine sees that at its other end

	mu    sync.Mutex
	next  int32
	tells map[int32]func() // by number of the watch
}

// NewExitQueue starts the goroutine that waits for ends. Close ends it.
func NewExitQueue() (*ExitQueue, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	read, write, err := os.Pipe()
	if err == nil {
		// The number of no watch is 0.
		err = unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, int(read.Fd()), &unix.EpollEvent{Events: unix.EPOLLIN})
	}
	if err != nil {
		unix.Close(epoll)
		return nil, err
	}
	q := &ExitQueue{epoll: epoll, ended: write, tells: map[int32]func(){}}
	go q.run(read)
	return q, nil
}

// Add has tell called when the process of a watch has ended, unless the watch is removed before.
// tell must not block.
func (q *ExitQueue) Add(w *ExitWatch, tell func()) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.next++
	w.number = q.next
	q.tells[w.number] = tell
	return unix.EpollCtl(q.epoll, unix.EPOLL_CTL_ADD, w.fd, &unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLONESHOT, Fd: w.number})
}

// Remove takes a watch out of the queue. The caller closes the watch.
func (q *ExitQueue) Remove(w *ExitWatch) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.tells, w.number)
	// It fails if Add has failed.
	_ = unix.EpollCtl(q.epoll, unix.EPOLL_CTL_DEL, w.fd, nil)
}

// Close ends the queue. It tells nothing more afterwards.
func (q *ExitQueue) Close() { q.ended.Close() }

// run tells ends until Close. The kernel lists processes in the order in which they have ended.
func (q *ExitQueue) run(closed *os.File) {
	defer closed.Close()
	defer unix.Close(q.epoll)
	events := make([]unix.EpollEvent, 64)
	for {
		n, err := unix.EpollWait(q.epoll, events, -1)
		if err == unix.EINTR {
			continue
		}
		for _, e := range events[:max(n, 0)] {
			if e.Fd == 0 {
				return
			}
			q.mu.Lock()
			tell := q.tells[e.Fd]
			delete(q.tells, e.Fd)
			q.mu.Unlock()
			if tell != nil {
				tell()
			}
		}
	}
}
