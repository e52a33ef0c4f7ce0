package mailbox

import (
	"sync/atomic"
	"unsafe"
)

// The room of a Box.
//
//goacp:c GOACP_MAIL_
const (
	MaxBytes = 64 // that a request puts or gets at most
	Slots    = 8  // requests at a time
)

// slot holds one request. A request for up to 16 bytes takes one cache line.
//
//goacp:c goacp_mail_slot
type slot struct {
	state uint32
	kind  Kind  `c:"uint8_t"`
	op    uint8 // of an atomic
	width uint8 // of an atomic
	size  uint8 // of a put or get
	pos   uint64
	data  [MaxBytes / 8]uint64 // bytes of a put or get; operands of an atomic, and the value it has found
	_     [48]byte
}

// Box is where other processes of the host post requests for its owner. It lies in shared memory, at a
// multiple of 64 bytes. The zero Box is empty. Its methods may be called by several goroutines at once.
//
//goacp:c goacp_mailbox
type Box struct {
	polls  uint64 // goroutines of the owner that poll, and how often one has begun to
	_      [56]byte
	served uint64 // requests that the owner has carried out
	_      [56]byte
	slots  [Slots]slot `c:"struct goacp_mail_slot %[8]"`
}

// The low bits of Box.polls are the number of goroutines that poll. The rest counts beginnings, so that
// the word differs from one time of polling to the next.
//
//goacp:c GOACP_MAIL_
const (
	pollers   = 1<<16 - 1
	beginning = 1 << 16
)

// The states of a slot.
//
//goacp:c GOACP_MAIL_
const (
	free    uint32 = iota
	claimed        // an initiator writes a request, or reads the answer
	posted         // the owner may take the request
	taken          // the owner carries it out
	done           // the request has been carried out; the answer is there
	refused        // the request has changed nothing
)

// bytes returns the address of the data of a slot.
func (s *slot) bytes() unsafe.Pointer { return unsafe.Pointer(&s.data) }

func (s *slot) is(state uint32) bool { return atomic.LoadUint32(&s.state) == state }

func (s *slot) set(state uint32) { atomic.StoreUint32(&s.state, state) }

func (s *slot) change(from, to uint32) bool {
	return atomic.CompareAndSwapUint32(&s.state, from, to)
}
