package ring

import (
	"sync/atomic"
	"unsafe"
)

// Ring is the head of a ring; its data follow. The other side may read all fields at any time, so
// they change atomically.
//
// The word behind the last record is zero. The receiver polls that word, and a record is there as
// soon as the word is not zero: a short message crosses from one processor to the other in the
// cache line that the receiver polls. The receiver writes nothing there: it would have to wait for
// the line, which the sender has just written. Fields that the receiver writes for every message,
// and the sender does not read for every one, have a cache line of their own.
//
//goacp:c goacp_ring
type Ring struct {
	Goal         uint64 // the receiver wakes the sender when Head has reached it; NoGoal: never
	Want         uint32 // when the sender wakes the receiver: WantNothing, WantHelp or WantAll
	SenderHandle uint32 // of the sender's endpoint, 0 before it is connected
	Direct       uint32 // 1: the receiver can read the sender's memory
	_            [44]byte

	Head    uint64 // bytes ever taken out
	Closed  uint32 // 1: the receiver will never read the ring again
	Polling uint32 // 1: the receiver polls for records and needs no help
	Lost    uint64 // where the record ends whose message could not be read; see Lose
	Broken  uint32 // 1: a second message was lost before the sender acknowledged the first
	_       [36]byte
}

// Lose notes that the message of the record that ends at a position could not be read from the
// sender's memory. The receiver calls it before it takes the record out. There is room for one
// loss. If the sender has not acknowledged the one before, it cannot tell which messages were lost,
// and treats all from that one on as lost.
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

// Any reports whether a message has been lost and the sender has not acknowledged that.
func (l Losses) Any() bool { return l.End != 0 }

// Has reports whether the message was lost whose record ends at a position.
func (l Losses) Has(end uint64) bool {
	return l.End == end && end != 0 || l.Broken && l.End <= end
}

// Acknowledge makes room for another loss. The sender knows of the one at a position.
func (r *Ring) Acknowledge(end uint64) { atomic.CompareAndSwapUint64(&r.Lost, end, 0) }

// HeadSize is the bytes of a ring before its data.
const HeadSize = uint64(unsafe.Sizeof(Ring{}))

// NoGoal is the Goal of a sender that the receiver need not wake.
//
//goacp:c GOACP_
const NoGoal = ^uint64(0)

// When the sender wakes the receiver.
//
//goacp:c GOACP_
const (
	WantNothing uint32 = iota // never: the receiver has posted nothing, or polls
	WantHelp                  // if the sender cannot go on without the receiver
	WantAll                   // for every record: the receiver is parked
)

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

// Reached reports whether the receiver has to wake the sender now that Head is head. If so, it
// clears the goal.
func (r *Ring) Reached(head uint64) bool {
	goal := atomic.LoadUint64(&r.Goal)
	return head >= goal && goal != NoGoal && atomic.CompareAndSwapUint64(&r.Goal, goal, NoGoal)
}
