package node

import "time"

// AwaitWatcher returns when this process watches the page of an address and notices its changes. There is such a page.
func (n *Node) AwaitWatcher(addr int64) {
	s, offset, err := n.find(addr)
	if err != nil {
		return
	}
	e := s.entry(offset / s.pageSize)
	for !n.watches(e) {
		time.Sleep(50 * time.Microsecond)
	}
}

// watches reports whether the process notices changes of a page that it watches.
func (n *Node) watches(e *entry) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.watchers) > 0 && (e.own != nil || e.copy.Present())
}

// Pages returns how many pages of this process have bytes here: copies, and pages that it owns.
func (n *Node) Pages() (copies, owned int) {
	return len(n.pool.all(n.pool.copies)), len(n.pool.all(n.pool.owned))
}

// Kept returns how many entries of any kind this process has for spaces, loans and requests.
func (n *Node) Kept() (spaces, loans int) {
	n.spaces.Range(func(any, any) bool { spaces++; return true })
	n.mu.Lock()
	defer n.mu.Unlock()
	return spaces + len(n.registry) + len(n.learning), len(n.loans)
}

// MayLeave is what a process asks before it leaves.
func (n *Node) MayLeave() error { return n.mayLeave() }

// AwaitLoans returns when no page of this process is lent. A reader ends its loan by a notice, which may arrive after its access has ended.
func (n *Node) AwaitLoans() {
	for _, loans := n.Kept(); loans > 0; _, loans = n.Kept() {
		time.Sleep(50 * time.Microsecond)
	}
}

// Moved returns how many pages this process has given to others because its heap was full.
func (n *Node) Moved() int {
	moved := 0
	n.spaces.Range(func(_, s any) bool {
		s.(*space).pages.Range(func(_, x any) bool {
			if e := x.(*entry); e.generation > 1 && e.owner != n.self {
				moved++
			}
			return true
		})
		return true
	})
	return moved
}

// PlannedMove is the move of a shard.
type PlannedMove struct{ Shard, From, To int }

// Plan returns the moves of shards that Distribute makes.
func Plan(now, wanted []int) (moves []PlannedMove) {
	for _, m := range plan(now, wanted) {
		moves = append(moves, PlannedMove{m.shard, m.from, m.to})
	}
	return moves
}

// Used returns how many bytes of the heap of this process are in use.
func (n *Node) Used() uint64 {
	_, used, _ := n.mem.Own().Usage() // the heap is there
	return used
}
