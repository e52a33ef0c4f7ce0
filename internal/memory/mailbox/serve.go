package mailbox

import (
	"sync/atomic"
	"unsafe"
)

// Server carries out requests on the memory of the owner of a Box.
type Server interface {
	// Carry carries out a request. The bytes of a put are at data, and those of a get go there. found is the
	// value that an atomic has found. If ok is false it has changed nothing. It must not block.
	Carry(r Request, data unsafe.Pointer) (found uint64, ok bool)
}

// Open tells initiators that one more goroutine of the owner polls from now on. It calls Serve until it
// calls Shut. Does not block.
func (b *Box) Open() { atomic.AddUint64(&b.polls, beginning+1) }

// Shut tells initiators that one goroutine of the owner polls no more, and carries out what was posted
// before. Does not block.
func (b *Box) Shut(s Server) {
	atomic.AddUint64(&b.polls, ^uint64(0))
	b.Serve(s)
}

// Serve carries out the requests that have been posted, and reports whether there were any. It looks at each
// slot once, so that initiators cannot keep it. Does not block.
func (b *Box) Serve(s Server) bool {
	served := false
	for i := range b.slots {
		if at := &b.slots[i]; at.is(posted) && at.change(posted, taken) {
			if at.serve(s) {
				atomic.AddUint64(&b.served, 1)
			}
			served = true
		}
	}
	return served
}

// serve carries out the request in a slot that has been taken, and reports whether that was possible.
func (s *slot) serve(by Server) bool {
	r, ok := s.read()
	var found uint64
	if ok {
		found, ok = by.Carry(r, s.bytes())
	}
	switch {
	case !ok:
		s.set(refused)
	case r.Kind == Atomic:
		s.data[0] = found
		s.set(done)
	default:
		s.set(done)
	}
	return ok
}
