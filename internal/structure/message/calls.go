package message

import "sync/atomic"

// calls counts the calls of the program that are under way.
type calls struct {
	active  atomic.Int64
	closing atomic.Bool
	idle    chan struct{} // gets a value when the last call ends while wait waits
}

// begin counts a call.
func (c *calls) begin() { c.active.Add(1) }

// end counts the end of a call.
func (c *calls) end() {
	if c.active.Add(-1) == 0 && c.closing.Load() {
		select {
		case c.idle <- struct{}{}:
		default:
		}
	}
}

// wait waits until no call is under way. Calls that begin later find out that the Engine is closed.
func (c *calls) wait() {
	c.closing.Store(true)
	for c.active.Load() != 0 {
		<-c.idle
	}
}
