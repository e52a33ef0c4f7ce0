package segment

import (
	"sync/atomic"

	"github.com/goacp/goacp/internal/ground/futex"
)

// Notifier is the words by which members of one host wake a process. They lie in the header
// page of the process that is woken.
type Notifier struct {
	Events  *uint32 // counts notifications; the process sleeps on it with a futex
	Pending *uint64 // recipients of notifications: bit i stands for those whose number is i modulo 64
	Queue   *uint64 // position of the announcement that was added last, 0 if there is none
}

// Notify wakes the process for the recipient with the given number.
func (n Notifier) Notify(recipient int) {
	atomic.OrUint64(n.Pending, 1<<(recipient%64))
	n.Wake()
}

// Wake wakes the process for no recipient.
func (n Notifier) Wake() {
	atomic.AddUint32(n.Events, 1)
	futex.Wake(n.Events)
}

// TakePending returns the recipients of the notifications so far, and forgets them.
func (n Notifier) TakePending() uint64 { return atomic.SwapUint64(n.Pending, 0) }

// Enqueue adds the announcement at position pos to the queue of the process. link makes the new
// announcement point to the one that was added before. Enqueue may call it several times.
func (n Notifier) Enqueue(pos uint64, link func(next uint64)) {
	for {
		next := atomic.LoadUint64(n.Queue)
		link(next)
		if atomic.CompareAndSwapUint64(n.Queue, next, pos) {
			return
		}
	}
}

// TakeQueue takes all announcements and returns the position of the last one, or 0.
func (n Notifier) TakeQueue() uint64 {
	if atomic.LoadUint64(n.Queue) == 0 {
		return 0
	}
	return atomic.SwapUint64(n.Queue, 0)
}

func notifierOf(h *header) Notifier {
	return Notifier{Events: &h.events, Pending: &h.pending, Queue: &h.queue}
}

// Notifier returns the notifier of this process.
func (s *Space) Notifier() Notifier { return notifierOf(s.header()) }

// Notifier returns the notifier of the peer.
func (v *View) Notifier() Notifier { return notifierOf(v.header()) }
