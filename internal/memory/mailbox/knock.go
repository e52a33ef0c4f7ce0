package mailbox

import "sync/atomic"

// An owner whose agent sleeps does not begin to poll by itself. So an initiator wakes it behind some
// operations that could have gone by the mailbox: it knocks. It knocks more and more seldom if that
// is in vain, because the owner computes, has no processor for polling, or gets operations too seldom.
const (
	knockFirst = 16      // operations before the first knock
	knockLast  = 1 << 12 // operations between knocks at most
)

// knocks decides when a Sender knocks. The counts need not be exact. The zero value has not knocked yet.
type knocks struct {
	missed atomic.Uint32 // operations since the last knock that went another way
	served atomic.Uint64 // Box.served at the last knock
	limit  atomic.Uint32 // operations in missed before the next knock; 0: knockFirst
	under  atomic.Bool   // the owner has not answered the last knock
}

// due notes an operation that goes another way because the owner, which has carried out so many requests,
// does not poll. It reports whether to knock now. The caller calls Answered when the owner has answered.
func (k *knocks) due(served uint64) bool {
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
	if served-k.served.Swap(served) >= knockFirst {
		k.limit.Store(knockFirst) // the last one was worth it
	} else {
		k.limit.Store(min(2*limit, knockLast))
	}
	return true
}

// Answered notes that the owner has answered a knock, or never will. Does not block.
func (k *knocks) Answered() { k.under.Store(false) }
