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

// Times of progress. An initiator that goes on wakes its target again after renewal, long
// before the target's lease is over: seldom, because that takes the processor from who
// measures in microseconds.
const (
	renewal = 5 * time.Millisecond
	eager   = 2 * renewal // after it was woken, a helper calls MPI without a pause if it may
	pause   = 10 * time.Microsecond
	lease   = 4 * renewal // after it was woken, a helper calls MPI
)

// progressTag is of a message that is never sent. Testing its receipt makes MPI
// progress.
const progressTag = 77

// slice is how long the helper's thread runs at most before others may have the
// processor. Who asks for little gets it soon (Linux 6.12 and later).
const slice = 100 * time.Microsecond

// helper is the goroutine that calls MPI because others need it. What it does meanwhile
// is in C, all in one call: the scheduler of Go then has its processor for others, such
// as the agent, which may hear that the helper is needed for longer.
type helper struct {
	never mpi.Request
	ended bool // MPI has let go of never; of run until done is closed
	calls *calls
	bell  chan struct{}
	quit  chan struct{}
	done  chan struct{}
	once  sync.Once
}

func startHelper(comm mpi.Comm, c *calls) (*helper, error) {
	never, err := comm.Irecv(nil, mpi.AnySource, progressTag)
	if err != nil {
		return nil, err
	}
	h := &helper{
		never: never, calls: c,
		bell: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{}),
	}
	c.setNever(&h.never)
	go h.run()
	return h, nil
}

func (h *helper) extend() {
	h.calls.ask()
	select {
	case h.bell <- struct{}{}:
	default: // it is awake, or about to be
	}
}

func (h *helper) run() {
	defer close(h.done)
	h.settle()
	for {
		select {
		case <-h.quit:
			return
		case <-h.bell:
		}
		if h.calls.progress() {
			h.ended = true
			return
		}
	}
}

// settle gives the goroutine a thread of its own, which gets the processor soon after it
// has slept. The thread ends with the goroutine. Where the system does not know what is
// asked for, progress is slower.
func (h *helper) settle() {
	runtime.LockOSThread()
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	_ = unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Runtime: uint64(slice)}, 0)
}

// leave ends the goroutine without a call of MPI, which it may be in for ever.
func (h *helper) leave() {
	h.once.Do(func() {
		h.calls.quit()
		close(h.quit)
	})
}

// stop ends the goroutine and takes back its request.
func (h *helper) stop() error {
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
