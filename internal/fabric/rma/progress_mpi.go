//go:build mpi

package rma

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/goacp/goacp/internal/futex"
	"github.com/goacp/goacp/mpi"
)

// Times of progress. An initiator that goes on wakes its target again after renewal,
// long before the target's lease is over.
const (
	renewal = 500 * time.Microsecond
	eager   = 2 * renewal // after it was woken, a helper calls MPI without a pause if it may
	pause   = 10 * time.Microsecond
	lease   = 20 * time.Millisecond // after it was woken, a helper calls MPI
)

// progressTag is of a message that is never sent. Testing its receipt makes MPI
// progress.
const progressTag = 77

// slice is how long the helper's thread runs at most before others may have the
// processor. Who asks for little gets it soon (Linux 6.12 and later).
const slice = 100 * time.Microsecond

// helper is the goroutine that calls MPI because others need it.
type helper struct {
	never mpi.Request
	calls *sync.Mutex  // held by who calls MPI
	spins atomic.Bool  // it may take a processor for itself
	woken atomic.Int64 // when somebody asked for progress last, ns since started
	start time.Time
	bell  chan struct{}
	quit  chan struct{}
	done  chan struct{}
	once  sync.Once
}

func startHelper(comm mpi.Comm, calls *sync.Mutex) (*helper, error) {
	never, err := comm.Irecv(nil, mpi.AnySource, progressTag)
	if err != nil {
		return nil, err
	}
	h := &helper{
		never: never, calls: calls, start: time.Now(),
		bell: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{}),
	}
	go h.run()
	return h, nil
}

func (h *helper) extend() {
	h.woken.Store(int64(time.Since(h.start)))
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
		for h.turn() {
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

// turn calls MPI once and reports whether to go on.
func (h *helper) turn() bool {
	select {
	case <-h.quit:
		return false
	default:
	}
	if h.progress() {
		return false // MPI has come to an end
	}
	switch idle := time.Since(h.start) - time.Duration(h.woken.Load()); {
	case idle > lease:
		return false
	case idle > eager || !h.spins.Load():
		rest()
	default:
		futex.Yield()
	}
	return true
}

// progress calls MPI, unless another thread of this process does: then MPI makes
// progress already, and this thread would only wait, without a pause, for a lock of it.
func (h *helper) progress() (ended bool) {
	if h.calls.TryLock() {
		ended, _ = h.never.Test()
		h.calls.Unlock()
	}
	return ended
}

// rest sleeps for a moment. The timers of Go are no finer than a millisecond in a
// process that does nothing else.
func rest() {
	t := unix.NsecToTimespec(int64(pause))
	_ = unix.Nanosleep(&t, nil) // a signal may cut it short
}

// leave ends the goroutine without a call of MPI, which it may be in for ever.
func (h *helper) leave() { h.once.Do(func() { close(h.quit) }) }

// stop ends the goroutine and takes back its request.
func (h *helper) stop() error {
	h.leave()
	<-h.done
	if err := h.never.Cancel(); err != nil {
		return err
	}
	if err := h.never.Wait(); err != nil && !errors.Is(err, mpi.ErrCancelled) {
		return err
	}
	return nil
}
