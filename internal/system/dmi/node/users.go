package node

import (
	"sync/atomic"

	"github.com/goacp/goacp/internal/access/global"
)

// users counts the accesses of this process that are under way. They end before the memory of other processes is not mapped any more, and
// later ones fail: threads of the program may run on when the process finalizes.
type users struct {
	count  atomic.Int64
	closed atomic.Bool
}

// enter counts the caller as one that accesses memory. It fails when the process has finalized; otherwise the caller leaves.
func (u *users) enter() error {
	u.count.Add(1)
	if u.closed.Load() {
		u.leave()
		return global.ErrFinalized
	}
	return nil
}

// leave undoes enter.
func (u *users) leave() { u.count.Add(-1) }

// settle waits until no access is under way, or the run is over.
func (n *Node) settle() {
	n.users.closed.Store(true)
	var wait backOff
	for n.users.count.Load() > 0 && wait.pause(n) == nil {
	}
}
