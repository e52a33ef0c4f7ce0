//go:build mpi

package rma

import (
	"errors"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/goacp/goacp/mpi"
)

// Times of progress. An initiator wakes its target again after renewal, long before the lease
// of the target ends. It does so seldom, because each message takes processor time of both.
const (
	renewal = 5 * time.Millisecond
	eager   = 2 * renewal // how long the progress thread spins after it was woken, if it may
	pause   = 10 * time.Microsecond
	lease   = 4 * renewal // how long the progress thread calls MPI after it was woken
)

// progressTag is of a message that is never sent. Testing its receipt makes MPI
// progress.
const progressTag = 77

// slice is how long the progress thread runs at most before the system gives its processor to
// others. A thread with a short slice gets a processor soon (Linux 6.12 and later).
const slice = 100 * time.Microsecond

// progressThread is the goroutine that calls MPI when other members need it. Its loop is one
// call of C. The scheduler of Go then runs other goroutines, such as the agent, which receives
// the requests to go on.
type progressThread struct {
	never  mpi.Request
	ended  bool // MPI has completed never; run owns this until done is closed
	calls  *calls
	wakeup chan struct{}
	quit   chan struct{}
	done   chan struct{}
	once   sync.Once
}

func startProgressThread(comm mpi.Comm, c *calls) (*progressThread, error) {
	never, err := comm.Irecv(nil, mpi.AnySource, progressTag)
	if err != nil {
		return nil, err
	}
	h := &progressThread{
		never: never, calls: c,
		wakeup: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{}),
	}
	c.setNever(&h.never)
	go h.run()
	return h, nil
}

func (h *progressThread) extend() {
	h.calls.ask()
	select {
	case h.wakeup <- struct{}{}:
	default: // it calls MPI already, or is about to
	}
}

func (h *progressThread) run() {
	defer close(h.done)
	h.ownThread()
	for {
		select {
		case <-h.quit:
			return
		case <-h.wakeup:
		}
		if h.calls.progress() {
			h.ended = true
			return
		}
	}
}

// ownThread gives the goroutine a thread of its own, which gets a processor soon after it has
// slept. The thread ends with the goroutine. If the system cannot do that, progress is slower.
func (h *progressThread) ownThread() {
	runtime.LockOSThread()
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	if a, err := unix.SchedGetAttr(0, 0); err == nil && a.Policy == unix.SCHED_NORMAL {
		a.Runtime = uint64(slice)
		_ = unix.SchedSetAttr(0, a, 0)
	}
}

// leave tells the goroutine to end, and does not wait: it may be in a call of MPI that does
// not return.
func (h *progressThread) leave() {
	h.once.Do(func() {
		h.calls.quit()
		close(h.quit)
	})
}

// stop ends the goroutine and takes back its request.
func (h *progressThread) stop() error {
	h.leave()
	<-h.done
	if h.ended {
		return nil
	}
	if err := h.never.Cancel(); err != nil {
		return err
	}
	if err := h.never.Wait(); err != nil && !errors.Is(err, mpi.ErrCancelled) {
		return err
	}
	return nil
}
