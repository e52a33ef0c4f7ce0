//go:build mpi

package rma

import (
	"sync"
	"time"
	"unsafe"
)

// An access by a window cannot be interrupted, and an MPI may not notice that memory is not
// attached any more. So the owner detaches memory only when every member that may know its
// place has forgotten it. A member forgets it while it has the lock, so that no thread of it
// is in such an access.

// leaving is what Withdraw waits for.
type leaving struct {
	one sync.Mutex // held by the goroutine in Withdraw

	mu      sync.Mutex
	ticket  uint64
	missing map[int]bool // members that have not forgotten
	empty   chan struct{}
}

// begin starts a round: it waits for the answers of members. It returns the number of the
// round, and a channel that is closed when all have answered.
func (l *leaving) begin(members []int) (ticket uint64, empty <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ticket++
	l.missing, l.empty = make(map[int]bool), make(chan struct{})
	for _, m := range members {
		l.missing[m] = true
	}
	if len(members) == 0 {
		close(l.empty)
	}
	return l.ticket, l.empty
}

// forgotten notes the word of a member.
func (l *leaving) forgotten(member int, ticket uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if ticket != l.ticket || !l.missing[member] {
		return
	}
	delete(l.missing, member)
	if len(l.missing) == 0 {
		close(l.empty)
	}
}

// overLook is how often a goroutine that waits asks whether the run is over.
const overLook = 20 * time.Millisecond

// Withdraw detaches the memory that was withdrawn, and returns when no member uses it any
// more. It ends early with the error of over, which it asks again and again. Waits for
// operations of other members on memory of this one. Operations of this process end before
// their calls return, so that it need not know which memory it is.
func (t *Transport) Withdraw(_ func(p unsafe.Pointer, n uint64) bool, over func() error) error {
	t.leaving.one.Lock()
	defer t.leaving.one.Unlock()
	var others []int
	for _, m := range t.attached.takeAskers() {
		if m != t.cfg.Self {
			others = append(others, m)
		}
	}
	ticket, empty := t.leaving.begin(others)
	for _, m := range others {
		t.cfg.Tell(m, ticket)
	}
	tick := time.NewTicker(overLook)
	defer tick.Stop()
	for waiting := true; waiting; {
		select {
		case <-empty:
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

// Forget makes this process forget where registered memory of member lies, when no thread
// of it uses that any more. It fails with the error of Over.
func (t *Transport) Forget(member int) error {
	if err := t.calls.lockUnless(t.cfg.Over); err != nil {
		return err
	}
	defer t.calls.Unlock()
	t.known.forget(member)
	return nil
}

// Forgotten says that a member has called Forget, as Tell has asked it to. Does not block.
func (t *Transport) Forgotten(member int, ticket uint64) { t.leaving.forgotten(member, ticket) }
