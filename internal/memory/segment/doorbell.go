package segment

import (
	"sync/atomic"

	"github.com/goacp/goacp/internal/ground/futex"
)

// Doorbell is the words by which members of one host wake a process. They lie in the header
// page of the process that is woken.
type Doorbell struct {
	Rings   *uint32 // counts rings; the process sleeps on it with a futex
	Pending *uint64 // recipients of rings: bit i stands for those whose number is i modulo 64
	Queue   *uint64 // position of the announcement that was added last, 0 if there is none
}

// Ring wakes the process for the recipient with the given number.
func (d Doorbell) Ring(recipient int) {
	atomic.OrUint64(d.Pending, 1<<(recipient%64))
	d.Wake()
}

// Wake wakes the process for no recipient.
func (d Doorbell) Wake() {
	atomic.AddUint32(d.Rings, 1)
	futex.Wake(d.Rings)
}

// TakePending returns the recipients of the rings so far, and forgets them.
func (d Doorbell) TakePending() uint64 { return atomic.SwapUint64(d.Pending, 0) }

// Enqueue adds the announcement at position pos to the queue of the process. link makes the new
// announcement point to the one that was added before. Enqueue may call it several times.
func (d Doorbell) Enqueue(pos uint64, link func(next uint64)) {
	for {
		next := atomic.LoadUint64(d.Queue)
		link(next)
		if atomic.CompareAndSwapUint64(d.Queue, next, pos) {
			return
		}
	}
}

// TakeQueue takes all announcements and returns the position of the last one, or 0.
func (d Doorbell) TakeQueue() uint64 {
	if atomic.LoadUint64(d.Queue) == 0 {
		return 0
	}
	return atomic.SwapUint64(d.Queue, 0)
}

func doorbellOf(h *header) Doorbell {
	return Doorbell{Rings: &h.rings, Pending: &h.pending, Queue: &h.queue}
}

// Doorbell returns the doorbell of this process.
func (s *Space) Doorbell() Doorbell { return doorbellOf(s.header()) }

// Doorbell returns the doorbell of the peer.
func (v *View) Doorbell() Doorbell { return doorbellOf(v.header()) }
