package channel

import (
	"sync/atomic"
	"unsafe"
)

// Ring is the head of a ring; its data follow. All fields are changed while the other
// side looks, and therefore atomically.
//
// The word behind the last record is zero, so that the head of the next record tells by
// itself when it is there: a short message crosses from one processor to the other in the
// cache line that it is looked for in. The receiver writes nothing there: it would have
// to wait for the line, which the sender has just had. What the sender does not look at
// for every message, and the receiver writes for every one, has a cache line of its own.
type Ring struct {
	Goal     uint64 // the sender wants to be called when Head has reached it; NoGoal: never
	Want     uint32 // when the receiver wants to be called
	SendSlot uint32 // name of the sender's endpoint, 0 before it is connected
	Source   uint32 // process id of the sender, whose memory the receiver can read; or 0
	_        [44]byte

	Head    uint64 // bytes ever taken out
	Closed  uint32 // 1: the receiver will never look at the ring again
	Looking uint32 // 1: who would want help looks himself
	_       [48]byte
}

// HeadSize is the bytes of a ring before its data.
const HeadSize = uint64(unsafe.Sizeof(Ring{}))

// NoGoal is the Goal of a sender that does not wait for the receiver.
const NoGoal = ^uint64(0)

// When the receiver wants to be called.
const (
	WantNothing uint32 = iota // it has posted nothing, or is looking itself
	WantHelp                  // for records and senders that cannot go on without it
	WantAll                   // for every record: it sleeps
)

// Kind tells what a record is.
type Kind uint64

// The kinds of records.
const (
	None   Kind = iota // no record
	Eager              // a message
	Large              // at which position of the sender's registered memory a message is
	Last               // the sender has freed its end
	Direct             // at which address of the sender's process a message is
)

const kindBits = 3

// Record is the head of a record.
type Record uint64

// NewRecord returns the head of a record of a message of size bytes.
func NewRecord(k Kind, size uint64) Record { return Record(size<<kindBits | uint64(k)) }

// Kind returns what the record is.
func (r Record) Kind() Kind { return Kind(r & (1<<kindBits - 1)) }

// Size returns the bytes of the message.
func (r Record) Size() uint64 { return uint64(r >> kindBits) }

// Span returns the bytes that the record takes in a ring.
func (r Record) Span() uint64 {
	switch r.Kind() {
	case Eager:
		return EagerSpan(r.Size())
	case Large, Direct:
		return 16
	}
	return 8
}

// EagerSpan returns the bytes that an eager record of size bytes takes in a ring.
func EagerSpan(size uint64) uint64 { return 8 + (size+7)&^7 }

// MaxEager is the longest message that is carried in a ring of any size.
const MaxEager = 32 << 10

// The bytes that a ring may take, its head included.
const (
	MinRing = 256
	MaxRing = 1 << 30
)

// Capacity returns the bytes that the records of a ring with so many bytes of data can
// take together: a word tells that there are no more.
func Capacity(data uint64) uint64 { return data - 8 }

// EagerLimit returns the longest message that is carried in a ring with so many bytes of
// data, which holds two of them.
func EagerLimit(data uint64) uint64 { return min(Capacity(data)/2&^7-8, MaxEager) }

// Clear makes memory an empty ring with size bytes of data.
func (r *Ring) Clear(size uint64) {
	clear(unsafe.Slice((*byte)(unsafe.Pointer(r)), HeadSize+size))
	atomic.StoreUint64(&r.Goal, NoGoal)
}

// Reached reports whether the sender wants to be called because head has been reached.
// If so, it takes the wish back.
func (r *Ring) Reached(head uint64) bool {
	goal := atomic.LoadUint64(&r.Goal)
	return head >= goal && goal != NoGoal && atomic.CompareAndSwapUint64(&r.Goal, goal, NoGoal)
}
