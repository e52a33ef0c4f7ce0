package mailbox

import (
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/futex"
	"github.com/goacp/goacp/internal/ground/wait"
)

// takeLimit is how long an initiator waits until its request is taken. An owner that polls looks once a
// microsecond or more often, unless its thread has lost the processor. To go the other way takes about as long.
//
//goacp:c GOACP_MAIL_
const takeLimit = 10 * time.Microsecond

// Sender posts the requests of this process in the Box of another one. Its methods may be called by several
// goroutines at once.
type Sender struct {
	box   *Box
	first int // slot to be tried first

	back backoff // requests that have come back
	late backoff // those that were taken late. It keeps copies away alone: the other way of atomics takes longer
	wakes
}

// NewSender returns a Sender for a Box. Processes that have different numbers begin with different slots,
// as far as there are enough.
func NewSender(b *Box, number int) *Sender { return &Sender{box: b, first: number} }

// Open reports whether to post a request of a kind: whether the owner polls, as far as it is known to this
// process, and takes requests soon. Does not block.
func (s *Sender) Open(kind Kind) bool {
	now := atomic.LoadUint64(&s.box.polls)
	return now&pollers != 0 && !s.back.stands(now) && (kind == Atomic || !s.late.stands(now))
}

// Missed notes an operation that goes another way because the owner does not poll. It reports whether the
// caller shall send the owner a request, so that the agent polls behind it if it may. The caller calls Answered
// when the request is complete. Does not block.
func (s *Sender) Missed() bool { return s.due(atomic.LoadUint64(&s.box.served)) }

// Post lets the owner carry out a request that it might take. The bytes of a put are loaded from local, and
// those of a get stored there, which is memory that the program has named. found is the value that an atomic
// has found. If ok is false nothing has been changed, and another way is to be taken: the owner polls no more,
// has not looked in time or has refused the request, or local is not there.
//
// Post waits for an owner that has taken the request, until over returns true.
func (s *Sender) Post(r *Request, local unsafe.Pointer, over func() bool) (found uint64, ok bool) {
	polls := atomic.LoadUint64(&s.box.polls)
	at := s.claim()
	if at == nil {
		return 0, false
	}
	if r.Kind == Put && fabric.TryMove(at.bytes(), local, r.Size) != nil {
		at.set(free)
		return 0, false
	}
	at.write(r)
	at.set(posted)
	switch {
	case at.takenSoon():
		s.back.soon()
		s.late.soon()
	case s.taken(at):
		s.late.note(polls)
	default:
		s.back.note(polls)
		at.set(free)
		return 0, false
	}
	if !at.answered() && !at.await(over) {
		return 0, false // the slot stays as it is: the owner may still use it
	}
	ok = at.is(done)
	switch {
	case !ok:
	case r.Kind == Atomic:
		found = at.data[0]
	case r.Kind == Get:
		ok = fabric.TryMove(local, at.bytes(), r.Size) == nil
	}
	at.set(free)
	return found, ok
}

// claim returns a slot that nothing else uses, or nil if there is none.
func (s *Sender) claim() *slot {
	for i := range Slots {
		if at := &s.box.slots[(s.first+i)%Slots]; at.is(free) && at.change(free, claimed) {
			return at
		}
	}
	return nil
}

// soonLooks is how often an initiator looks whether its request was taken before it was taken late. That takes
// about a microsecond, longer than an owner that polls needs to look at its sockets.
//
//goacp:c GOACP_MAIL_
const soonLooks = 4096

// takenSoon reports whether the owner takes the request in a slot soon.
func (s *slot) takenSoon() bool {
	for range soonLooks {
		if !s.is(posted) {
			return true
		}
	}
	return false
}

// taken reports whether the owner has taken the request in a slot. If not, the request has come back.
func (s *Sender) taken(at *slot) bool {
	wait.Spin(takeLimit, func() bool {
		return !at.is(posted) || atomic.LoadUint64(&s.box.polls)&pollers == 0
	})
	return !at.is(posted) || !at.change(posted, claimed)
}

// answered reports whether the owner has ended with the request in a slot.
func (s *slot) answered() bool { return s.is(done) || s.is(refused) }

// answerTime is how long an initiator spins for the answer. An owner that has taken a request answers in less than a
// microsecond, unless it has been stopped.
//
//goacp:c GOACP_MAIL_
const answerTime = 50 * time.Microsecond

// How an initiator goes on waiting.
const (
	yields     = 100 // before a pause
	firstPause = 10 * time.Microsecond
	lastPause  = time.Millisecond
)

// await returns when the request in a slot is answered, or false if the run is over before.
func (s *slot) await(over func() bool) bool {
	wait.Spin(answerTime, s.answered)
	pause := firstPause
	for look := 0; !s.answered(); look++ {
		if over() {
			return false
		}
		if look < yields {
			futex.Yield()
			continue
		}
		time.Sleep(pause)
		pause = min(2*pause, lastPause)
	}
	return true
}
