package node

import (
	"errors"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/system/dmi/page"
)

// servePage serves a request for a page.
func (n *Node) servePage(r fabric.Request) (int, error) {
	q, data, err := decodeRequest(r.Body)
	if err != nil || len(r.Reply) < answerHead+int(q.room) {
		return 0, errMalformed
	}
	s := n.loaded(q.base)
	if s != nil {
		if q.page >= s.count() {
			return 0, errMalformed
		}
		if size, ok := n.serveNow(s, &q, data, r); ok {
			return size, nil
		}
	}
	if q.has(flagAtOnce) {
		a := answer{status: notNow, served: q.kind}
		a.put(r.Reply)
		return answerHead, nil
	}
	p := newPending(r.From, q, data, r.Reply, r.Later.Defer())
	if s == nil {
		go n.receiveUnknown(p)
		return 0, nil
	}
	n.receive(s, p)
	return 0, nil
}

// serveNow serves a small request for a page that this process owns and may use, as a process of the same host would. It reports whether
// it has, and returns the size of the answer.
func (n *Node) serveNow(s *space, q *request, data []byte, r fabric.Request) (int, bool) {
	e := s.known(q.page)
	if e == nil || q.kind != page.Get && q.kind != page.Write || q.long(q.kind) {
		return 0, false
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	own := e.own
	if own == nil || q.size > e.size() || q.at > e.size()-q.size {
		return 0, false
	}
	a := answer{
		status: done, served: q.kind, owner: uint32(n.self), generation: e.generation,
		recordAt: own.record, recordUse: own.near.generation, bytesAt: own.block.at,
	}
	out := r.Reply[answerHead:]
	var v verdict
	var err error
	if q.kind == page.Get {
		if int64(len(out)) < q.size {
			return 0, false
		}
		out = out[:q.size]
		v, err = own.near.read(n.over, out, q.at)
	} else {
		out = out[:q.room]
		clear(out)
		v, err = own.near.change(n.over, &change{kind: q.do, op: q.op, in: data, out: out}, q.at, q.size)
	}
	a.put(r.Reply)
	return answerHead + len(out), err == nil && v == used
}

// receiveUnknown receives a request for a page of a space that this process does not know. It blocks for a round trip.
func (n *Node) receiveUnknown(p *pending) {
	s, err := n.space(p.r.base)
	if err != nil {
		a := answer{status: noSpace}
		a.put(p.reply)
		p.done.Complete(answerHead, nil)
		return
	}
	if p.r.page >= s.count() {
		p.done.Complete(0, errMalformed)
		return
	}
	n.receive(s, p)
}

// receive takes a request for a page of a space. It does not wait for other processes.
func (n *Node) receive(s *space, p *pending) {
	var o outbox
	e := s.entry(p.r.page)
	e.mu.Lock()
	n.admit(&o, e, p)
	e.mu.Unlock()
	o.flush()
}

// admit is receive for a caller that holds the lock of the entry.
func (n *Node) admit(o *outbox, e *entry, p *pending) {
	first := e.untouched() && n.home(e) == n.self && !n.shards.isMoving(e.shard())
	switch {
	case e.space.ended.Load():
		n.conclude(o, e, p, noSpace, answer{}, 0)
	case e.own != nil:
		n.arrive(o, e, p)
	case e.taking != nil && !(p.request.From == n.self && p.request.Kind == page.Take):
		e.early = append(e.early, p)
	case first:
		n.firstTouch(o, e, p)
	default:
		n.redirect(o, e, p)
	}
}

// firstTouch takes the first request for a page that no process has changed, at its home. The caller holds the lock of the entry.
func (n *Node) firstTouch(o *outbox, e *entry, p *pending) {
	switch p.request.Kind {
	case page.Get:
		n.conclude(o, e, p, untouched, answer{}, 0)
		return
	case page.Take:
		e.owner, e.generation = p.request.From, 1
		n.conclude(o, e, p, fresh, answer{owner: uint32(e.owner), generation: 1}, 0)
		return
	}
	held, err := n.reserve(e, true)
	if err != nil {
		o.add(func() { go n.becomeOwner(e, p) })
		return
	}
	n.own(o, e, held, page.State{}, 1)
	n.arrive(o, e, p)
}

// reserved is memory for a page that this process is to own.
type reserved struct {
	block    block
	record   *record
	recordAt uint64
}

// reserve takes memory for a page.
func (n *Node) reserve(e *entry, zero bool) (h reserved, err error) {
	if h.block, err = n.alloc(e.size(), zero); err != nil {
		return h, err
	}
	if h.record, h.recordAt, err = n.takeRecord(); err != nil {
		n.free(&h.block)
	}
	return h, err
}

// reserveFor is reserve that calls giveWay while the heap is full and the page could fit. The caller holds no lock.
func (n *Node) reserveFor(e *entry, zero bool, giveWay func() bool) (reserved, error) {
	for {
		h, err := n.reserve(e, zero)
		if !errors.Is(err, heapview.ErrFull) || e.size() > int64(n.mem.HeapSize(n.self)) || !giveWay() {
			return h, err
		}
	}
}

// giveBack gives back memory that was not needed.
func (n *Node) giveBack(h *reserved) {
	n.free(&h.block)
	n.returnRecord(h.recordAt)
}

// own makes this process the owner of a page. The caller holds the lock of the entry, and has the bytes in h.
func (n *Node) own(o *outbox, e *entry, h reserved, s page.State, generation uint64) {
	machine, _ := page.NewOwner(s, nil, false)
	n.install(e, h, machine, generation)
	n.perform(o, e, nil)
}

// install sets the owner of an entry to this process. The page is shut until perform sets the flags.
func (n *Node) install(e *entry, h reserved, machine *page.Owner, generation uint64) {
	if h.record.lock.Lock(n.over) == nil {
		h.record.flags = flagGuarded | flagShut
		h.record.lock.Unlock()
	}
	e.own = &owned{
		machine: machine, near: near{h.record, h.record.generation, h.block.bytes}, record: h.recordAt, block: h.block,
		pending: make(map[uint64]*pending), bringing: make(map[int]int), dropped: make(map[int]bool),
	}
	e.owner, e.generation = n.self, generation
	e.near.Store(&e.own.near)
	n.pool.addOwned(e)
	e.copy.Failed() // bytes of a Fetch that is under way are not kept: the process is not among those with copies any more
	if e.copy.Present() {
		e.copy.Drop()
		n.free(&e.block)
	}
}
