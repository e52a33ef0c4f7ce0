package mutex

import (
	"sync/atomic"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/futex"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/process/extension"
)

// begin prepares a node for a thread.
func (n *node) begin(thread uint64) {
	atomic.StoreUint64(&n.Thread, thread)
	n.Next, n.Queued, n.Granted = 0, NotYet, NotYet
}

// follow sets the node that follows this node.
func (n *node) follow(name uint64) {
	atomic.StoreUint64(&n.Next, name)
	answer(&n.Queued)
}

// grant gives the mutex to a node.
func (n *node) grant() { answer(&n.Granted) }

// answer changes a word to Yes and wakes the thread that waits for that.
func answer(word *uint32) {
	if atomic.SwapUint32(word, Yes) == NotYetParks {
		futex.Wake(word)
	}
}

// await waits until a word of an own node is Yes. Fails if the run is over first.
func await(p *extension.Process, word *uint32) error {
	there := func() bool { return atomic.LoadUint32(word) == Yes }
	p.Cond.Spin(there)
	if there() {
		return nil
	}
	defer p.Budget.Unpark(p.Budget.Park(activity.For(activity.Mutex)))
	atomic.CompareAndSwapUint32(word, NotYet, NotYetParks)
	for !there() {
		if err := p.Lifecycle.Alive(); err != nil {
			return err
		}
		futex.Wait(word, NotYetParks, wait.LongestPark)
	}
	return nil
}
