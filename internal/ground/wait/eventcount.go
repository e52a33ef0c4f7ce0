package wait

import (
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/futex"
)

// EventCount is a word in the heap of a process at which threads of this process park. Other processes of
// its host notify it. The zero EventCount is ready for use.
//
//goacp:c goacp_event_count
type EventCount struct {
	events uint32 // changes with every notification
	parked uint32 // threads that are parked, or about to be
	_      [56]byte
}

// EventCountBytes is the size of an EventCount.
const EventCountBytes = uint64(unsafe.Sizeof(EventCount{}))

// Notify wakes the threads that are parked, which then look for what has changed before the call.
// A thread counts itself before it looks for the last time. So either that thread sees the
// change, or this one sees the count. Does not block.
func (e *EventCount) Notify() {
	if atomic.LoadUint32(&e.parked) != 0 {
		atomic.AddUint32(&e.events, 1)
		futex.Wake(&e.events)
	}
}

// Park parks until done returns true or an error, which it returns. A Notify has to follow each change of
// what done looks at.
func (e *EventCount) Park(done func() (bool, error)) error {
	atomic.AddUint32(&e.parked, 1)
	defer atomic.AddUint32(&e.parked, ^uint32(0))
	for {
		events := atomic.LoadUint32(&e.events)
		if is, err := done(); is || err != nil {
			return err
		}
		futex.Wait(&e.events, events, LongestPark)
	}
}
