package tcp

import (
	"bytes"
	"math/bits"
	"sync"
)

// The initiator of a call sets the greatest length of the answer, and often the answer is much shorter. So
// the owner writes long answers to reused memory, and queues a copy of the answer, or the memory itself until
// it has been sent.

// shortBuffer is the longest answer for which memory is allocated.
const shortBuffer = 512

// buffers is free memory for answers, by its size, which is a power of two up to fabric.CallMax.
var buffers [17]sync.Pool

// bufferClass returns the index in buffers of memory for n bytes.
func bufferClass(n uint64) int { return bits.Len64(n - 1) }

// buffer is memory for the answer to a call.
type buffer struct {
	b     []byte
	whole *[]byte // of buffers; nil if b was allocated for this answer
}

// newBuffer returns a buffer of n bytes, at most fabric.CallMax, with any contents.
func newBuffer(n uint64) buffer {
	if n <= shortBuffer {
		return buffer{b: make([]byte, n)}
	}
	class := bufferClass(n)
	whole, ok := buffers[class].Get().(*[]byte)
	if !ok {
		b := make([]byte, 1<<class)
		whole = &b
	}
	return buffer{(*whole)[:n], whole}
}

// answer returns the first n bytes. They do not change until used is given back, or never if used has no
// bytes. answer gives back the rest of the buffer.
func (r buffer) answer(n int) (b []byte, used buffer) {
	if r.whole == nil {
		return r.b[:n], buffer{}
	}
	if n > len(r.b)/2 { // most of the buffer is used: the buffer belongs to the answer
		return r.b[:n], r
	}
	b = bytes.Clone(r.b[:n])
	r.giveBack()
	return b, buffer{}
}

// giveBack ends the use of a buffer without an answer.
func (r buffer) giveBack() {
	if r.whole != nil {
		buffers[bufferClass(uint64(len(*r.whole)))].Put(r.whole)
	}
}
