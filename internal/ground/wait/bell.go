package wait

import (
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/futex"
)

// Bell is a word in the heap of a process at which threads of this process park. Other processes of
// its host ring it. The zero Bell is ready for use.
//
//goacp:c goacp_bell
type Bell struct {
	rings  uint32 // changes with every ring
	parked uint32 // threads that are parked, or about to be
	_      [56]byte
}

// BellBytes is the size of a Bell.
const BellBytes = uint64(unsafe.Sizeof(Bell{}))

// Ring wakes the threads that are parked, which then look for what has changed before the call.
// A thread counts itself before it looks for the last time. So either that thread sees the
// change, or this one sees the count. Does not block.
func (b *Bell) Ring() {
	if atomic.LoadUint32(&b.parked) != 0 {
		atomic.AddUint32(&b.rings, 1)
		futex.Wake(&b.rings)
	}
}

// Park parks until done returns true or an error, which it returns. Each change of what done looks
// at has to ring the bell.
func (b *Bell) Park(done func() (bool, error)) error {
	atomic.AddUint32(&b.parked, 1)
	defer atomic.AddUint32(&b.parked, ^uint32(0))
	for {
		rings := atomic.LoadUint32(&b.rings)
		if is, err := done(); is || err != nil {
			return err
		}
		futex.Wait(&b.rings, rings, LongestPark)
	}
}
