package node

import (
	"fmt"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/system/dmi/page"
)

// take makes this process the owner of a page, and then makes a change. It reports whether the change is made: if another
// goroutine takes the page at the same time, the caller tries again.
func (n *Node) take(e *entry, at, size int64, c *change) (bool, error) {
	return n.takeFor(e, at, size, c, 0)
}

// takeFor is take with further flags of the request.
func (n *Node) takeFor(e *entry, at, size int64, c *change, flags requestFlags) (bool, error) {
	e.mu.Lock()
	if e.own != nil {
		e.mu.Unlock()
		return true, n.put(e, at, size, c) // processes with copies have to be told
	}
	if ended := e.taking; ended != nil {
		e.mu.Unlock()
		n.pause(e, activity.Access, ended)
		return false, nil
	}
	e.taking = make(chan struct{})
	e.mu.Unlock()

	t := &taking{node: n, entry: e, at: at, size: size, change: c, flags: flags, whole: c.kind == store && at == 0 && size == e.size()}
	err := t.run()
	if !t.installed {
		n.giveUp(e)
	}
	if err == nil && t.pending != nil {
		err = t.complete()
	}
	return err == nil, err
}

// taking is one Take of this process.
type taking struct {
	node      *Node
	entry     *entry
	at, size  int64
	change    *change
	flags     requestFlags
	whole     bool // the change sets all bytes of the page
	memory    reserved
	installed bool

	pending *pending // the change, if this process owns the page
	outcome *outcome // of the change
}

// run asks the owner for the page, and installs it.
func (t *taking) run() error {
	n, e := t.node, t.entry
	r := t.change.request(page.Take, t.at, t.size)
	r.flags |= t.flags
	room := int64(r.room) + holdersRoom
	switch {
	case t.whole:
		r.flags |= flagWhole
	case int64(r.room)+e.size() > smallMax:
		r.flags |= flagLong
	default:
		room += e.size()
	}
	var err error
	giveWay := n.replace
	if t.flags&flagMove != 0 {
		giveWay = n.evictOne // pages that are owned do not give way for one that another process gives away
	}
	if t.memory, err = n.reserveFor(e, !t.whole, giveWay); err != nil {
		return err
	}
	a, bytes, err := n.ask(e, r, t.change.data(&r), room)
	switch {
	case err != nil:
	case a.served == page.Write:
		err = n.changed(e, &a, bytes, t.at, t.size, t.change)
	case a.status == lent:
		segment.Populate(t.memory.block.bytes)
		if err = n.borrow(int(a.owner), t.memory.block.bytes, a.bytesAt); err != nil {
			break
		}
		if a, bytes, err = n.endChange(e, &a, room); err == nil {
			err = t.install(&a, bytes)
		}
	default:
		err = t.install(&a, bytes)
	}
	if !t.installed {
		n.giveBack(&t.memory)
	}
	return err
}

// install makes this process the owner, and begins the change before requests of others.
func (t *taking) install(a *answer, bytes []byte) error {
	n, e := t.node, t.entry
	var holders []page.Holder
	switch a.status {
	case moved:
		var err error
		if holders, bytes, err = decodeHolders(bytes); err != nil {
			return err
		}
		copy(t.memory.block.bytes, bytes)
	case fresh:
	default:
		return fmt.Errorf("%w: answer %d to a request for the page", errMalformed, a.status)
	}
	state := page.State{Version: a.version}
	for _, h := range holders {
		if h.Process != n.self {
			state.Holders = append(state.Holders, h)
		}
	}

	var o outbox
	e.mu.Lock()
	defer func() {
		e.mu.Unlock()
		o.flush()
	}()
	if e.space.ended.Load() {
		return spaceError(e.space.base)
	}
	t.installed = true
	first := t.first(len(state.Holders) > 0)
	machine, actions := page.NewOwner(state, &first, t.whole)
	if e.copy.Present() {
		n.notice(&o, e, e.block.bytes)
	}
	if !t.whole {
		n.notice(&o, e, t.memory.block.bytes)
	}
	n.install(e, t.memory, machine, a.generation)
	e.own.last = first.ID
	e.own.pending[first.ID] = t.pending
	n.perform(&o, e, actions)
	if a.status == moved {
		n.sendOwner(&o, e)
	}
	t.end(&o)
	return nil
}

// first returns the request of this process for the change. copies says that other processes have copies.
func (t *taking) first(copies bool) page.Request {
	n, c := t.node, t.change
	r := c.request(page.Write, t.at, t.size)
	if c.kind == store && !copies {
		r.flags &^= flagApart // the bytes are here
	}
	t.outcome = &outcome{cond: n.p.Cond}
	r.room = 0 // the operation writes to the memory of the caller
	t.pending = newPending(n.self, r, nil, make([]byte, answerHead), t.outcome)
	t.pending.change = *c
	t.pending.request.ID = 1
	return t.pending.request
}

// end ends the Take, and gives the requests that have come meanwhile to the page. The caller holds the lock of the entry.
func (t *taking) end(o *outbox) {
	e := t.entry
	early := e.early
	e.early = nil
	close(e.taking)
	e.taking = nil
	for _, p := range early {
		t.node.admit(o, e, p)
	}
}

// giveUp ends a Take that has not made this process the owner.
func (n *Node) giveUp(e *entry) {
	var o outbox
	e.mu.Lock()
	(&taking{node: n, entry: e}).end(&o)
	e.mu.Unlock()
	o.flush()
}

// complete waits for the change.
func (t *taking) complete() error {
	if err := t.outcome.wait(t.entry.reason(activity.Copies, -1)); err != nil {
		return err
	}
	a, bytes, err := decodeAnswer(t.pending.reply[:t.outcome.size])
	if err != nil {
		return err
	}
	if a.status == noSpace {
		return spaceError(t.entry.space.base)
	}
	return t.node.changed(t.entry, &a, bytes, t.at, t.size, t.change)
}
