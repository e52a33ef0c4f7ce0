package transfer

import (
	"sync"

	"github.com/goacp/goacp/internal/fabric"
)

// buffers are the buffers of completed requests and replies. The Go runtime would clear the memory of
// each new buffer, and would soon have to collect them.
var buffers = sync.Pool{New: func() any { return new([fabric.CallMax]byte) }}

// shortBuffer is the greatest length of a buffer that is not kept.
const shortBuffer = 2 << 10

// newBuffer returns n bytes of any contents, fabric.CallMax at most.
func newBuffer(n int) []byte {
	if n <= shortBuffer {
		return make([]byte, n)
	}
	return buffers.Get().(*[fabric.CallMax]byte)[:n]
}

// keep keeps a buffer of newBuffer for later. Neither the caller nor the transport may use it any
// more. A transport may still use the buffer of a request that has failed.
func keep(b []byte) {
	if cap(b) == fabric.CallMax {
		buffers.Put((*[fabric.CallMax]byte)(b[:fabric.CallMax]))
	}
}
