package acp

import (
	"sync/atomic"
	"time"
)

// leisure says when the agent of this process may look for the next request of another
// rank in place of sleeping: while the program itself sleeps in the library, if every
// rank of the host has a processor. To wake the agent takes as long as the rest of a
// round trip between hosts.
type leisure struct {
	asleep atomic.Int32 // threads and goroutines of the program
	time   atomic.Int64 // nanoseconds to look for
}

// begin is called before a sleep and end after it.
func (l *leisure) begin() { l.asleep.Add(1) }
func (l *leisure) end()   { l.asleep.Add(-1) }

// patience returns how long the agent may look.
func (l *leisure) patience() time.Duration {
	if l.asleep.Load() == 0 {
		return 0
	}
	return time.Duration(l.time.Load())
}
