package channel

import (
	"sync/atomic"
	"unsafe"
)

// Ring is the head of a ring; its data follow. The other side may read all fields at any time, so
// they change atomically.
//
// The word behind the last record is zero, so that the head of the next record tells by itself when
// it is there: a short message crosses from one processor to the other in the cache line at which
// the receiver looks. The receiver writes nothing there: it would have to wait for the line, which
// the sender has just written. Fields that the receiver writes for every message, and the sender
// does not read for every one, have a cache line of their own.
//
//goacp:c goacp_ring
type Ring struct {
	Goal     uint64 // the sender wants to be called when Head has reached it; NoGoal: never
	Want     uint32 // when the receiver wants to be called
	SendSlot uint32 // name of the sender's endpoint, 0 before it is connected
	Direct   uint32 // 1: the receiver can read the sender's memory
	_        [44]byte

	Head    uint64 // bytes ever taken out
	Closed  uint32 // 1: the receiver will never look at the ring again
	Looking uint32 // 1: the receiver looks for records and needs no help
	Lost    uint64 // where the record ends whose message could not be read; see Lose
	Broken  uint32 // 1: the sender has missed a loss
	_       [36]byte
}

// Lose notes that the message of the record that ends at a place could not be read from the
// sender's memory. The receiver calls it before it takes the record out. There is room for one
// loss. If the sender has not noticed the one before, it cannot tell which messages were lost, and
// treats all from that one on as lost.
func (r *Ring) Lose(end uint64) {
	if !atomic.CompareAndSwapUint64(&r.Lost, 0, end) {
		atomic.StoreUint32(&r.Broken, 1)
	}
}

// Losses are what Lose has noted.
type Losses struct {
	End    uint64 // 0: none
	Broken bool
}

// Losses returns what Lose has noted.
func (r *Ring) Losses() Losses {
	return Losses{End: atomic.LoadUint64(&r.Lost), Broken: atomic.LoadUint32(&r.Broken) != 0}
}

// Any reports whether a message has been lost and the sender has not noticed.
func (l Losses) Any() bool { return l.End != 0 }

// Has reports whether the message was lost whose record ends at a place.
func (l Losses) Has(end uint64) bool {
	return l.End == end && end != 0 || l.Broken && l.End <= end
}

// Noticed makes room for another loss, when the sender knows of the one at a place.
func (r *Ring) Noticed(end uint64) { atomic.CompareAndSwapUint64(&r.Lost, end, 0) }

// HeadSize is the bytes of a ring before its data.
const HeadSize = uint64(unsafe.Sizeof(Ring{}))

// NoGoal is the Goal of a sender that does not wait for the receiver.
//
//goacp:c GOACP_
const NoGoal = ^uint64(0)

// When the receiver wants to be called.
//
//goacp:c GOACP_
const (
	WantNothing uint32 = iota // it has posted nothing, or looks itself
	WantHelp                  // for records, and by senders that need its help
	WantAll                   // for every record: it sleeps
)

// Kind tells what a record is.
type Kind uint64

// The kinds of records.
//
//goacp:c GOACP_
const (
	None   Kind = iota // no record
	Eager              // a message
	Large              // at which position of the sender's registered memory a message is
	Last               // the sender has freed its end
	Direct             // at which address of the sender's process a message is
)

// kindBits is the width of a kind in the head of a record.
//
//goacp:c GOACP_
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

// MaxMessage is the longest message: more than the address space of a process holds.
//
//goacp:c GOACP_
const MaxMessage = 1 << 48

// MaxEager is the longest message that is carried in a ring of any size.
const MaxEager = 32 << 10

// The bytes that a ring may take, its head included.
const (
	MinRing = 256
	MaxRing = 1 << 30
)

// Data returns the bytes of data of a ring of size bytes.
func Data(size uint64) uint64 { return size - HeadSize }

// IsData reports whether a ring can have so many bytes of data.
func IsData(size uint64) bool {
	return size >= Data(MinRing) && size <= Data(MaxRing) && size%16 == 0
}

// Capacity returns the bytes that the records of a ring with so many bytes of data can take
// together. One word says that there are no more.
func Capacity(data uint64) uint64 { return data - 8 }

// EagerLimit returns the longest message that is carried in a ring with so many bytes of
// data, which holds two of them.
func EagerLimit(data uint64) uint64 { return min(Capacity(data)/2&^7-8, MaxEager) }

// Clear makes memory an empty ring with size bytes of data.
func (r *Ring) Clear(size uint64) {
	clear(unsafe.Slice((*byte)(unsafe.Pointer(r)), HeadSize+size))
	atomic.StoreUint64(&r.Goal, NoGoal)
}

// Reached reports whether the sender wants to be called now that Head is head. If so, it clears the
// goal.
func (r *Ring) Reached(head uint64) bool {
	goal := atomic.LoadUint64(&r.Goal)
	return head >= goal && goal != NoGoal && atomic.CompareAndSwapUint64(&r.Goal, goal, NoGoal)
}
