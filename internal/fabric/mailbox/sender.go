package mailbox

import (
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/futex"
	"github.com/goacp/goacp/internal/wait"
)

// patience is how long an initiator waits until its request is taken. An owner that polls looks every
// microsecond, unless its thread has lost the processor. To go the other way takes about as long.
const patience = 10 * time.Microsecond

// Sender posts the requests of this process in the Box of another one. Its methods may be called by several
// goroutines at once.
type Sender struct {
	box   *Box
	first int // slot to be tried first
	setback
	knocks
}

// NewSender returns a Sender for a Box. Processes that have different numbers begin with different slots,
// as far as there are enough.
func NewSender(b *Box, number int) *Sender { return &Sender{box: b, first: number} }

// Open reports whether the owner polls, as far as it is known to this process. Does not block.
func (s *Sender) Open() bool {
	now := atomic.LoadUint64(&s.box.polls)
	return now&pollers != 0 && !s.stands(now)
}

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
	if !s.taken(at) {
		s.note(polls)
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
	if ok {
		s.carried.Add(1)
	}
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

// taken reports whether the owner has taken the request in a slot. If not, the request has come back.
func (s *Sender) taken(at *slot) bool {
	wait.Spin(patience, func() bool {
		return !at.is(posted) || atomic.LoadUint64(&s.box.polls)&pollers == 0
	})
	return !at.is(posted) || !at.change(posted, claimed)
}

// answered reports whether the owner has ended with the request in a slot.
func (s *slot) answered() bool { return s.is(done) || s.is(refused) }

// An owner that has taken a request answers in less than a microsecond, unless it has been stopped.
const (
	answerTime = 50 * time.Microsecond
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
