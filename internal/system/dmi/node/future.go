package node

import (
	"sync/atomic"

	"github.com/goacp/goacp/internal/ground/activity"
)

// Future is the outcome of a function that has been started. Its methods may be called by several goroutines at once.
type Future struct {
	node  *Node
	ended atomic.Bool
	done  chan struct{}
	err   error // set before ended
}

// NewFuture returns the future of a function that the caller is about to start. Does not block.
func (n *Node) NewFuture() *Future { return &Future{node: n, done: make(chan struct{})} }

// End says that the function has ended with an error, or nil. It is called once. Does not block.
func (f *Future) End(err error) {
	cond := f.node.p.Cond
	cond.Lock()
	defer cond.Unlock()
	f.end(err)
	cond.Broadcast()
}

// end is End for a caller that holds the lock of the Cond, and broadcasts.
func (f *Future) end(err error) {
	f.err = err
	f.ended.Store(true)
	close(f.done)
}

// HasEnded reports whether the function has ended. Does not block.
func (f *Future) HasEnded() bool { return f.ended.Load() }

// Poll is HasEnded that makes the fabrics progress, so that messages which are held back are sent. The caller holds no lock. Does not block.
func (f *Future) Poll() bool {
	if !f.HasEnded() {
		f.node.p.Cond.Poll()
	}
	return f.HasEnded()
}

// Done is closed when the function has ended. Does not block.
func (f *Future) Done() <-chan struct{} { return f.done }

// Wait returns the error of the function. Blocks until it has ended. If the run is over before, the error is the reason, and the function may
// still use memory of the program.
func (f *Future) Wait() error {
	if err := f.node.p.Cond.Wait(activity.On(activity.Answer, -1), f.ended.Load); err != nil {
		return err
	}
	return f.err
}
