package wait

import (
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// leastProcs is the GOMAXPROCS with which one goroutine can wait in the kernel while others run.
const leastProcs = 2

var share sync.Once

// ShareScheduler lets goroutines run while another one parks on a word of shared memory. In a process that
// is bound to one processor, GOMAXPROCS is 1. The goroutine that parks then keeps all others from running, until
// the runtime finds out, which takes 20 µs to 10 ms. ShareScheduler raises GOMAXPROCS to 2, unless the
// environment sets it. It may be called several times. It stops the goroutines of the process for some microseconds.
func ShareScheduler() {
	share.Do(func() {
		if os.Getenv("GOMAXPROCS") == "" && runtime.GOMAXPROCS(0) < leastProcs {
			runtime.GOMAXPROCS(leastProcs)
		}
	})
}

// longestTurn is how long a goroutine that waits or copies keeps from the scheduler. It is shorter than the 10 ms
// behind which the monitor of the runtime of Go takes the processor from a goroutine in each system call, and then
// looks every 70 µs.
const longestTurn = 4 * time.Millisecond

var (
	start    = time.Now()
	lastTurn atomic.Int64 // nanoseconds from start to the last call of the scheduler by Reschedule, of any goroutine
)

// Reschedule calls the scheduler of goroutines if the library has not done so for some milliseconds. now is the
// time. Goroutines that make one system call after the other call it between them.
func Reschedule(now time.Time) {
	t := int64(now.Sub(start))
	if t-lastTurn.Load() >= int64(longestTurn) {
		lastTurn.Store(t)
		runtime.Gosched()
	}
}
