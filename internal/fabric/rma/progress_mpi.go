//go:build mpi

package rma

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goacp/goacp/internal/futex"
	"github.com/goacp/goacp/mpi"
)

// Times of progress. An initiator that goes on wakes its target again after renewal,
// long before the target's lease is over.
const (
	renewal = 500 * time.Microsecond
	eager   = 2 * renewal // after it was woken, a helper calls MPI without a pause if it may
	pause   = 50 * time.Microsecond
	lease   = 20 * time.Millisecond // after it was woken, a helper calls MPI
)

// progressTag is of a message that is never sent. Testing its receipt makes MPI
// progress.
const progressTag = 77

// helper is the goroutine that calls MPI because others need it.
type helper struct {
	never mpi.Request
	spins atomic.Bool  // it may take a processor for itself
	woken atomic.Int64 // when somebody asked for progress last, ns since started
	start time.Time
	bell  chan struct{}
	quit  chan struct{}
	done  chan struct{}
	once  sync.Once
}

func startHelper(comm mpi.Comm) (*helper, error) {
	never, err := comm.Irecv(nil, mpi.AnySource, progressTag)
	if err != nil {
		return nil, err
	}
	h := &helper{
		never: never, start: time.Now(),
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

// turn calls MPI once and reports whether to go on.
func (h *helper) turn() bool {
	select {
	case <-h.quit:
		return false
	default:
	}
	if ended, _ := h.never.Test(); ended {
		return false // MPI has come to an end
	}
	switch idle := time.Since(h.start) - time.Duration(h.woken.Load()); {
	case idle > lease:
		return false
	case idle > eager || !h.spins.Load():
		time.Sleep(pause)
	default:
		futex.Yield()
	}
	return true
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
