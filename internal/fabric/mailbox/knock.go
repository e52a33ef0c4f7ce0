package mailbox

import "sync/atomic"

// An owner whose agent sleeps does not begin to poll by itself. So an initiator wakes it behind some
// operations that could have gone by the mailbox: it knocks. It knocks more and more seldom if that
// is in vain, because the owner computes, has no processor for polling, or gets operations too seldom.
const (
	knockFirst = 16      // operations before the first knock
	knockLast  = 1 << 16 // operations between knocks at most
)

// knocks decides when a Sender knocks. The counts need not be exact. The zero value has not knocked yet.
type knocks struct {
	missed  atomic.Uint32 // operations since the last knock that went another way
	carried atomic.Uint32 // operations since then that went by the mailbox
	limit   atomic.Uint32 // operations in missed before the next knock; 0: knockFirst
	under   atomic.Bool   // the owner has not answered the last knock
}

// Missed notes an operation that goes another way because the owner does not poll. It reports whether the
// caller shall send the owner a request, so that the agent polls behind it if it may. The caller calls Answered
// when the request is complete. Does not block.
func (k *knocks) Missed() bool {
	if k.under.Load() {
		return false
	}
	limit := max(k.limit.Load(), knockFirst)
	if k.missed.Add(1) < limit {
		return false
	}
	if !k.under.CompareAndSwap(false, true) {
		return false
	}
	k.missed.Store(0)
	if k.carried.Swap(0) >= knockFirst {
		k.limit.Store(knockFirst) // the last one was worth it
	} else {
		k.limit.Store(min(2*limit, knockLast))
	}
	return true
}

// Answered notes that the owner has answered a knock, or never will. Does not block.
func (k *knocks) Answered() { k.under.Store(false) }
