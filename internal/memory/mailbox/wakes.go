package mailbox

import "sync/atomic"

// An owner whose agent sleeps does not begin to poll by itself. So an initiator wakes it behind some
// operations that could have gone by the mailbox. It does so more and more seldom if that
// is in vain, because the owner computes, has no processor for polling, or gets operations too seldom.
const (
	wakeFirst = 16      // operations before the first wake-up
	wakeLast  = 1 << 12 // operations between wake-ups at most
)

// wakes decides when a Sender wakes its owner. The counts need not be exact. The zero value has not woken it yet.
type wakes struct {
	missed atomic.Uint32 // operations since the last wake-up that went another way
	served atomic.Uint64 // Box.served at the last wake-up
	limit  atomic.Uint32 // operations in missed before the next wake-up; 0: wakeFirst
	under  atomic.Bool   // the owner has not answered the last wake-up
}

// due notes an operation that goes another way because the owner, which has carried out so many requests,
// does not poll. It reports whether to wake it now. The caller calls Answered when the owner has answered.
func (k *wakes) due(served uint64) bool {
	if k.under.Load() {
		return false
	}
	limit := max(k.limit.Load(), wakeFirst)
	if k.missed.Add(1) < limit {
		return false
	}
	if !k.under.CompareAndSwap(false, true) {
		return false
	}
	k.missed.Store(0)
	if served-k.served.Swap(served) >= wakeFirst {
		k.limit.Store(wakeFirst) // the last one was worth it
	} else {
		k.limit.Store(min(2*limit, wakeLast))
	}
	return true
}

// Answered notes that the owner has answered a wake-up, or never will. Does not block.
func (k *wakes) Answered() { k.under.Store(false) }
