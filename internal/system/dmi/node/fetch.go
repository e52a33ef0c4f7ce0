package node

import (
	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/system/dmi/page"
)

// fetch reads a part of a page and keeps a copy of the page. It reports whether it has read the part: if not, the caller tries again, since
// another goroutine fetches the page, or this process has become its owner.
func (n *Node) fetch(p part, kind page.CopyKind, flags requestFlags) (bool, error) {
	e := p.entry
	e.mu.Lock()
	if e.own != nil || e.copy.Present() && (kind == page.Invalidate || e.copy.Kind() == page.Update) {
		e.mu.Unlock()
		return false, nil
	}
	if ended := e.fetching; ended != nil {
		e.mu.Unlock()
		n.pause(e, activity.Access, ended)
		return false, nil
	}
	e.fetching = make(chan struct{})
	if e.copy.Present() {
		n.dropCopy(e)
	}
	grant := e.copy.Fetch()
	e.mu.Unlock()
	read, err := n.fetchGranted(p, request{kind: page.Fetch, copy: kind, grant: grant, at: p.at, size: int64(len(p.b)), flags: flags})
	n.endFetch(e)
	return read, err
}

// fetchGranted is fetch after it has begun.
func (n *Node) fetchGranted(p part, r request) (bool, error) {
	e := p.entry
	if e.size() > smallMax {
		r.flags |= flagLong
	}
	a, b, err := n.ask(e, r, nil, min(e.size(), smallMax))
	if err != nil {
		return false, err
	}
	if a.served == page.Get {
		return true, n.got(p, &a, b)
	}
	if a.status != lent && (a.status != done || int64(len(b)) != e.size()) {
		return false, errMalformed
	}
	block, err := n.allocate(e.size(), false)
	switch {
	case a.status == lent:
		segment.Populate(block.bytes)
		lost := n.borrowed(e, &a, 0, block.bytes) // without a block it ends the loan alone
		if err == nil {
			err = lost
		}
	case err == nil:
		copy(block.bytes, b)
	}
	if err != nil {
		n.free(&block)
		return false, err
	}
	copy(p.b, block.bytes[p.at:])
	n.keep(e, block, r.copy, a.version)
	return true, nil
}

// keep makes bytes that have come the copy of this process, and follows the messages that have overtaken them.
func (n *Node) keep(e *entry, b block, kind page.CopyKind, version uint64) {
	var o outbox
	defer func() { o.flush() }()
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.copy.Fetching() || e.space.ended.Load() {
		n.free(&b) // this process has become the owner meanwhile, or the space has ended
		return
	}
	e.block = b
	e.copy.Fetched(kind, version)
	n.pool.addCopy(e)
	n.notice(&o, e, e.block.bytes)
	for _, m := range e.told {
		if e.copy.Told(m.grant) == page.Known {
			n.obey(&o, e, &m)
		}
	}
}

// endFetch ends the Fetch under way.
func (n *Node) endFetch(e *entry) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.copy.Failed() // nothing if it has not
	e.told = nil
	close(e.fetching)
	e.fetching = nil
}
