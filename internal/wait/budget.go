package wait

import (
	"sync/atomic"
	"time"

	"github.com/goacp/goacp/internal/activity"
)

// SpinTime is how long a thread spins if every rank of its host has a processor: several
// round trips between hosts.
const SpinTime = 50 * time.Microsecond

// Budget is the time that the threads of one process may use processors for while they wait.
// The zero value permits none. Its methods may be called by several goroutines at once.
type Budget struct {
	spin   atomic.Int64 // nanoseconds
	parked atomic.Int32 // threads and goroutines of the program
	page   *activity.Page
}

// Permit lets threads spin for SpinTime. It is called before the first of them waits.
func (b *Budget) Permit() { b.spin.Store(int64(SpinTime)) }

// Spin returns how long a thread of the program may spin before it parks.
func (b *Budget) Spin() time.Duration { return time.Duration(b.spin.Load()) }

// Show makes parked threads say on a page why they wait. It is called before the first of them
// waits.
func (b *Budget) Show(page *activity.Page) { b.page = page }

// Park is called before a thread of the program parks for a reason. Unpark gets the result after
// that.
func (b *Budget) Park(why activity.Reason) activity.Wait {
	b.parked.Add(1)
	return b.page.Sleep(why)
}

// Unpark undoes Park.
func (b *Budget) Unpark(w activity.Wait) {
	b.page.Wake(w)
	b.parked.Add(-1)
}

// Poll returns how long the agent may poll for the next request before it parks. To wake the
// agent takes as long as the rest of a round trip between hosts. But while no thread of the
// program is parked, the agent would take a processor from the program.
func (b *Budget) Poll() time.Duration {
	if b.parked.Load() == 0 {
		return 0
	}
	return b.Spin()
}
