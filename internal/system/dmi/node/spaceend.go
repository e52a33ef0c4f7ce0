package node

import "github.com/goacp/goacp/internal/system/dmi/address"

// OnEnd lets f be called when this process has learned that a space has ended, with its first address and that behind it. Then CheckSpace fails
// for its addresses. f does not block.
func (n *Node) OnEnd(f func(begin, end int64)) { n.ended.Store(&f) }

// CheckSpace fails with ErrNoSpace if this process has used the space of an address, and the space has ended. Does not block.
func (n *Node) CheckSpace(addr int64) error {
	if base, _, ok := address.Split(addr); ok && n.loaded(base) != nil {
		return nil
	}
	return spaceError(addr)
}

// forget ends a space in this process, and gives back the memory of its pages.
func (n *Node) forget(base int64) {
	n.mu.Lock()
	if l := n.learning[base]; l != nil {
		l.ended = true
	}
	n.mu.Unlock()
	x, ok := n.spaces.LoadAndDelete(base)
	if !ok {
		return
	}
	s := x.(*space)
	s.ended.Store(true)
	s.pages.Range(func(_, e any) bool {
		n.drop(e.(*entry))
		return true
	})
	if f := n.ended.Load(); f != nil {
		(*f)(base, base+s.size)
	}
}

// drop ends a page with its space.
func (n *Node) drop(e *entry) {
	var o outbox
	e.mu.Lock()
	if own := e.own; own != nil {
		n.disown(e)
		for _, p := range own.pending {
			if !p.lent {
				n.conclude(&o, e, p, noSpace, answer{}, 0)
			}
		}
		if own.loans == 0 {
			n.free(&own.block) // otherwise the last loan frees it
		}
		n.returnRecord(own.record)
	}
	if e.copy.Present() {
		e.copy.Drop()
		n.free(&e.block)
	}
	n.pool.remove(e)
	for _, p := range e.early {
		n.conclude(&o, e, p, noSpace, answer{}, 0)
	}
	for _, w := range e.watchers {
		o.add(func() { w.Complete(0, spaceError(e.space.base)) })
	}
	e.early, e.watchers = nil, nil
	e.mu.Unlock()
	o.flush()
}

// disown takes a page from this process. The caller holds the lock of the entry.
func (n *Node) disown(e *entry) {
	lock := &e.own.near.record.lock
	if lock.Lock(n.over) == nil {
		defer lock.Unlock()
	}
	e.own.near.record.retire()
	e.own = nil
	e.near.Store(nil)
}
