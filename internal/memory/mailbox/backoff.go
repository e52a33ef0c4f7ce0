package mailbox

import "sync/atomic"

// A request comes back if the owner has stopped polling meanwhile, or if its thread has lost the processor. In
// the latter case the next ones would come back, too, for as long as that lasts. If the owner shares the processor
// of the initiator, it takes requests late: when the initiator yields. Then copies are faster the other way.
//
//goacp:c GOACP_MAIL_
const (
	skipFirst = 8       // operations that go another way behind the first such request
	skipLast  = 1 << 10 // operations between two tries at most
)

// backoff keeps a Sender from posting in vain again and again. The counts need not be exact. The zero value
// keeps it from nothing.
type backoff struct {
	at   atomic.Uint64 // Box.polls at the last such request
	skip atomic.Int32  // operations that go another way while Box.polls is that
	next atomic.Int32  // skip behind the next such request
}

// stands reports whether the Sender is to post nothing yet, and counts an operation.
func (b *backoff) stands(polls uint64) bool {
	return polls == b.at.Load() && b.skip.Load() > 0 && b.skip.Add(-1) >= 0
}

// note notes that a request has come back or was taken late which was posted when Box.polls had this value.
func (b *backoff) note(polls uint64) {
	next := int32(skipFirst)
	if polls == b.at.Swap(polls) {
		next = b.next.Load()
	}
	b.skip.Store(next)
	b.next.Store(min(2*next, skipLast))
}

// soon notes that a request was taken soon.
func (b *backoff) soon() {
	if b.next.Load() > skipFirst {
		b.next.Store(skipFirst)
	}
}
