package node

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/goacp/goacp/internal/memory/heapview"
)

// evacuationWidth is how many pages of a process that leaves move at the same time.
const evacuationWidth = 8

// Evacuate lets other processes take all pages of this one, gives up its copies, and returns when no message of it is under way. No thread of
// this process accesses global memory meanwhile. If the others have no room, it fails with heapview.ErrFull, and the pages that have not
// moved stay. Blocks for a round trip for each page, of which several are under way.
func (n *Node) Evacuate() error {
	n.coming.Lock() // pages that are about to come have come then, and move as well
	n.leaving.Store(true)
	n.coming.Unlock()
	if err := n.moveAll(); err != nil {
		n.leaving.Store(false)
		return err
	}
	for _, e := range n.pool.all(n.pool.copies) {
		n.evict(e)
	}
	var wait backOff
	for n.sending.Load() > 0 {
		if err := wait.pause(n); err != nil {
			return err
		}
	}
	return nil
}

// Stay lets the process take pages of others again, after an Evacuate or before one. Does not block.
func (n *Node) Stay() { n.leaving.Store(false) }

// moveAll moves all pages that this process owns.
func (n *Node) moveAll() error {
	for {
		pages := n.pool.all(n.pool.owned)
		if len(pages) == 0 {
			return nil
		}
		next := make(chan *entry)
		var failed atomic.Pointer[error] // of the first page that does not move
		var all sync.WaitGroup
		for range evacuationWidth {
			all.Go(func() {
				for e := range next {
					if err := n.moveOut(e); err != nil {
						failed.CompareAndSwap(nil, &err)
					}
				}
			})
		}
		for _, e := range pages {
			if failed.Load() != nil {
				break
			}
			next <- e
		}
		close(next)
		all.Wait()
		if err := failed.Load(); err != nil {
			return *err
		}
	}
}

// moveOut moves a page to the process of its home, or to one that has room.
func (n *Node) moveOut(e *entry) error {
	if home := n.home(e); home != n.self && n.give(e, home) || n.moveAway(e) {
		return nil
	}
	if err := n.over(); err != nil {
		return err
	}
	if _, there, err := n.askDescription(e.space.base); err != nil || !there {
		return err // the space has ended, and this process is about to learn that
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.own == nil {
		return nil // the page has moved
	}
	return fmt.Errorf("process %d stays: no other process has room for a page of %d bytes: %w", n.self, e.size(), heapview.ErrFull)
}

// mayLeave returns what of the global memory is in this process, or nil.
func (n *Node) mayLeave() error {
	if pages := len(n.pool.all(n.pool.owned)); pages > 0 {
		return fmt.Errorf("global memory: %d pages", pages)
	}
	for shard := range n.shards.table {
		if n.begun.Load() && n.shards.holder(shard) == n.self {
			return errors.New("the directory of global memory")
		}
	}
	return nil
}
