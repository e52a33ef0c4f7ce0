package wait

import (
	"sync/atomic"
	"time"
	"unsafe"
)

// SpinTime is how long a thread spins if it may: several round trips between hosts.
const SpinTime = 50 * time.Microsecond

// Load says whether the ranks that share processors with this process have enough of them now. C
// reads it, too. The zero Load permits no spinning.
//
//goacp:c goacp_load
type Load struct {
	Spin       uint32  // nanoseconds for which a thread spins if each rank that is awake has a processor
	Processors uint32  // those that the ranks share
	Awake      *uint32 // how many of the ranks are awake; nil: there is a processor for each rank
	Spinning   uint32  // threads of this process between StartSpin and EndSpin
	Most       uint32  // of them, as many as the rank has processors
	Working    int32   // threads of AddThreads that are not parked
	_          [4]byte
}

// awake returns the word Awake, which an epoch with other ranks replaces.
func (l *Load) awake() *uint32 {
	return (*uint32)(atomic.LoadPointer((*unsafe.Pointer)(unsafe.Pointer(&l.Awake))))
}

// setAwake changes the word Awake.
func (l *Load) setAwake(word *uint32) {
	atomic.StorePointer((*unsafe.Pointer)(unsafe.Pointer(&l.Awake)), unsafe.Pointer(word))
}

// spin returns how long a thread may spin if so many threads more than ranks are awake use a
// processor.
func (l *Load) spin(more uint32) time.Duration {
	spin := atomic.LoadUint32(&l.Spin)
	if word := l.awake(); spin != 0 && word != nil && atomic.LoadUint32(word)+more > atomic.LoadUint32(&l.Processors) {
		return 0
	}
	return time.Duration(spin)
}
