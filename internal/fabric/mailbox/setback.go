package mailbox

import "sync/atomic"

// A request comes back if the owner has stopped polling meanwhile, or if its thread has lost the processor. In
// the latter case the next ones would come back, too, for as long as that lasts.
const (
	skipFirst = 8       // operations that go another way behind the first request that has come back
	skipLast  = 1 << 10 // operations between two tries at most
)

// setback keeps a Sender from posting in vain again and again. The counts need not be exact. The zero value
// keeps it from nothing.
type setback struct {
	at   atomic.Uint64 // Box.polls when a request was taken back last
	skip atomic.Int32  // operations that go another way while Box.polls is that
	next atomic.Int32  // skip behind the next request that comes back
}

// stands reports whether the Sender is to post nothing yet, and counts an operation.
func (b *setback) stands(polls uint64) bool {
	return polls == b.at.Load() && b.skip.Add(-1) >= 0
}

// note notes that a request has come back which was posted when Box.polls had this value.
func (b *setback) note(polls uint64) {
	next := int32(skipFirst)
	if polls == b.at.Swap(polls) {
		next = b.next.Load()
	}
	b.skip.Store(next)
	b.next.Store(min(2*next, skipLast))
}
