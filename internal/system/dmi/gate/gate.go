// Package gate ends the use of memory of other processes before that memory is not mapped any more.
package gate

import (
	"sync/atomic"
	"time"

	"github.com/goacp/goacp/internal/access/global"
)

// Gate counts the accesses of this process that are under way. Threads of the program may run on when the process finalizes. The
// zero value is open. Its methods may be called by several goroutines at once.
type Gate struct {
	count  atomic.Int64
	closed atomic.Bool
}

// Enter counts the caller as one that accesses memory. Fails with global.ErrFinalized if the gate is closed; otherwise the caller calls
// Leave. Does not block.
func (g *Gate) Enter() error {
	g.count.Add(1)
	if g.closed.Load() {
		g.Leave()
		return global.ErrFinalized
	}
	return nil
}

// Leave undoes Enter. Does not block.
func (g *Gate) Leave() { g.count.Add(-1) }

// Closed reports whether Enter fails. An access that waits ends then. Does not block.
func (g *Gate) Closed() bool { return g.closed.Load() }

// Open lets accesses in again. Does not block.
func (g *Gate) Open() { g.closed.Store(false) }

// Pauses of Close, which grow.
const (
	firstPause   = 20 * time.Microsecond
	longestPause = 5 * time.Millisecond
)

// Close lets no further access in. Blocks until no access is under way, or over returns an error. wake is called after the gate is closed,
// and wakes accesses that wait; it may be nil.
func (g *Gate) Close(over func() error, wake func()) {
	g.closed.Store(true)
	if wake != nil {
		wake()
	}
	for pause := firstPause; g.count.Load() > 0 && over() == nil; pause = min(2*pause, longestPause) {
		time.Sleep(pause)
	}
}
