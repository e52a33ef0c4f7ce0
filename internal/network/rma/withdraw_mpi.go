//go:build mpi

package rma

import (
	"sync"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
)

// An access by a window cannot be interrupted, and an MPI may not notice that memory is not
// attached any more. So the owner detaches memory only when every member that may know where
// it lies has forgotten it. A member forgets it while it holds the lock of its calls, so none
// of its threads is in such an access then.

// withdrawal is a round in which all members that know regions of this one forget them.
type withdrawal struct {
	one sync.Mutex // held by the goroutine in Withdraw: one round at a time

	mu      sync.Mutex
	ticket  uint64        // number of the round
	missing map[int]bool  // members that have not answered
	done    chan struct{} // closed when all have
}

// begin starts a round that waits for the answers of members. It returns the number of the
// round, and a channel that is closed when all have answered.
func (w *withdrawal) begin(members []int) (ticket uint64, done <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ticket++
	w.missing, w.done = make(map[int]bool), make(chan struct{})
	for _, m := range members {
		w.missing[m] = true
	}
	if len(members) == 0 {
		close(w.done)
	}
	return w.ticket, w.done
}

// answered records the answer of a member to a round. An answer to an earlier round does not
// count.
func (w *withdrawal) answered(member int, ticket uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if ticket != w.ticket || !w.missing[member] {
		return
	}
	delete(w.missing, member)
	if len(w.missing) == 0 {
		close(w.done)
	}
}

// overInterval is the time between two checks whether the run is over, of a goroutine that
// waits.
const overInterval = 20 * time.Millisecond

// Withdraw detaches the memory that was withdrawn, and returns when no member uses it any
// more. It calls over from time to time, and fails with its error if that is not nil. Waits
// for operations of other members on memory of this one, and for those of this process, whatever
// memory they use.
func (t *Transport) Withdraw(_ func(p unsafe.Pointer, n uint64) bool, over func() error) error {
	if err := t.flushUnless(over); err != nil {
		return err
	}
	t.withdrawal.one.Lock()
	defer t.withdrawal.one.Unlock()
	var others []int
	for _, m := range t.attached.takeAskers() {
		if m != t.cfg.Self {
			others = append(others, m)
		}
	}
	ticket, done := t.withdrawal.begin(others)
	for _, m := range others {
		t.cfg.Tell(m, ticket)
	}
	tick := time.NewTicker(overInterval)
	defer tick.Stop()
	for waiting := true; waiting; {
		select {
		case <-done:
			waiting = false
		case <-tick.C:
			if err := over(); err != nil {
				return err
			}
		}
	}
	if err := t.calls.lockUnless(over); err != nil {
		return err
	}
	defer t.calls.Unlock()
	t.attached.detach()
	return nil
}

// Forget makes this process forget where registered memory of member lies, and returns when no
// thread of this process uses that memory any more. It may wait for an operation of this
// process. It fails with the error of Over.
func (t *Transport) Forget(member int) error {
	if err := t.calls.lockUnless(t.cfg.Over); err != nil {
		return err
	}
	ended := t.flush()
	t.known.forget(member)
	t.calls.Unlock()
	fabric.CompleteAll(ended)
	return nil
}

// Forgotten records that a member has called Forget, as the Tell with this ticket has asked it
// to. Does not block.
func (t *Transport) Forgotten(member int, ticket uint64) { t.withdrawal.answered(member, ticket) }
