package process

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// ExitQueue reports the ends of watched processes, and of their connections, in the order of the ends. Safe
// for concurrent use.
type ExitQueue struct {
	epoll int
	ended *os.File // closed by Close; the goroutine sees that at its other end

	mu    sync.Mutex
	next  int32
	tells map[int32]func() // by number of the descriptor
}

// NewExitQueue starts the goroutine that waits for ends. Close ends it.
func NewExitQueue() (*ExitQueue, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	read, write, err := os.Pipe()
	if err == nil {
		// No other descriptor has the number 0.
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
	return q.add(w.fd, unix.EPOLLIN, &w.number, tell)
}

// Remove takes a watch out of the queue. The caller closes the watch.
func (q *ExitQueue) Remove(w *ExitWatch) { q.remove(w.fd, w.number) }

// AddStarted has tell called when the connection of a process has ended, unless it is removed before. tell
// must not block.
func (q *ExitQueue) AddStarted(p *StartedProcess, tell func()) error {
	return q.add(p.fd, unix.EPOLLRDHUP, &p.number, tell)
}

// RemoveStarted takes a connection out of the queue. The caller closes it.
func (q *ExitQueue) RemoveStarted(p *StartedProcess) { q.remove(p.fd, p.number) }

// add has tell called at the first event of a descriptor. It sets the number of the descriptor in the
// queue.
func (q *ExitQueue) add(fd int, events uint32, number *int32, tell func()) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.next++
	*number = q.next
	q.tells[q.next] = tell
	return unix.EpollCtl(q.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: events | unix.EPOLLONESHOT, Fd: q.next})
}

// remove takes a descriptor out of the queue.
func (q *ExitQueue) remove(fd int, number int32) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.tells, number)
	// It fails if add has failed.
	_ = unix.EpollCtl(q.epoll, unix.EPOLL_CTL_DEL, fd, nil)
}

// Close ends the queue. It reports no further ends.
func (q *ExitQueue) Close() { q.ended.Close() }

// run reports ends until Close. The kernel lists descriptors in the order in which they have become ready.
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
