package tcp

import (
	"bytes"
	"math/bits"
	"sync"
)

// The initiator of a call sets the greatest length of the answer, and often the answer is much shorter. So
// the owner writes long answers to reused memory, and queues a copy of the answer, or the memory itself until
// it has been sent.

// shortRoom is the longest answer for which memory is allocated.
const shortRoom = 512

// rooms is free memory for answers, by its size, which is a power of two up to fabric.CallMax.
var rooms [17]sync.Pool

// roomClass returns the index in rooms of memory for n bytes.
func roomClass(n uint64) int { return bits.Len64(n - 1) }

// room is memory for the answer to a call.
type room struct {
	b     []byte
	whole *[]byte // of rooms; nil if b was allocated for this answer
}

// newRoom returns room for n bytes, at most fabric.CallMax, with any contents.
func newRoom(n uint64) room {
	if n <= shortRoom {
		return room{b: make([]byte, n)}
	}
	class := roomClass(n)
	whole, ok := rooms[class].Get().(*[]byte)
	if !ok {
		b := make([]byte, 1<<class)
		whole = &b
	}
	return room{(*whole)[:n], whole}
}

// answer returns the first n bytes. They do not change until used is given back, or never if used has no
// bytes. answer gives back the rest of the room.
func (r room) answer(n int) (b []byte, used room) {
	if r.whole == nil {
		return r.b[:n], room{}
	}
	if n > len(r.b)/2 { // most of the room is used: the room belongs to the answer
		return r.b[:n], r
	}
	b = bytes.Clone(r.b[:n])
	r.giveBack()
	return b, room{}
}

// giveBack ends the use of a room without an answer.
func (r room) giveBack() {
	if r.whole != nil {
		rooms[roomClass(uint64(len(*r.whole)))].Put(r.whole)
	}
}
