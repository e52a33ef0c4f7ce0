package message

import (
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/futex"
)

// bell is a word in the heap of a process at which its threads park. Everything for which they
// may wait rings it.
type bell struct {
	Rings  uint32 // changes with every ring
	Parked uint32 // threads that are parked, or about to be
	_      [56]byte
}

const bellBytes = uint64(unsafe.Sizeof(bell{}))

// ring wakes the threads that are parked, which then look for what has changed before the call.
// A thread counts itself before it looks for the last time. So either that thread sees the
// change, or this one sees the count.
func (b *bell) ring() {
	if atomic.LoadUint32(&b.Parked) != 0 {
		atomic.AddUint32(&b.Rings, 1)
		futex.Wake(&b.Rings)
	}
}
