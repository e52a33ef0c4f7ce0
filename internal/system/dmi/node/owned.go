package node

import (
	"bytes"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/dmi/page"
)

// owned is a page that this process owns.
type owned struct {
	machine *page.Owner
	near    near // the record and the bytes
	record  uint64
	block   block

	pending  map[uint64]*pending // requests that the machine has, by ID
	last     uint64              // the newest ID
	loans    int                 // long requests that use the bytes
	bringing map[int]int         // messages with new bytes that have no answer, by process
	dropped  map[int]bool        // processes of bringing that have no copy any more
}

// pending is a request that an owner has, or will have.
type pending struct {
	request page.Request
	r       request
	change  change
	image   []byte // the bytes of the range after the change, once they are known
	lent    bool   // the page is lent to the request, whose end is yet to come

	reply []byte // room for the answer
	done  fabric.Completion
}

// newPending returns a request of a message. data is copied.
func newPending(from int, r request, data, reply []byte, done fabric.Completion) *pending {
	p := &pending{
		request: page.Request{From: from, Kind: r.kind, Copy: r.copy, Grant: r.grant, Long: r.long(r.kind)},
		r:       r, reply: reply, done: done,
	}
	if r.kind == page.Write || r.kind == page.Take {
		p.change = change{kind: r.do, op: r.op, tag: r.tag}
		if !r.has(flagApart) {
			p.change.in = bytes.Clone(data)
		}
		p.change.out = reply[answerHead:][:r.room]
		clear(p.change.out)
	}
	return p
}

// valid reports whether the request fits the page and the room for the answer.
func (p *pending) valid(e *entry) bool {
	r := &p.r
	if r.size > e.size() || r.at > e.size()-r.size {
		return false
	}
	room, bytes := int64(answerHead)+int64(r.room), int64(0)
	if r.kind == page.Take {
		room += holdersRoom
	}
	switch {
	case r.kind == page.Get && !r.has(flagLong):
		bytes = r.size
	case r.kind == page.Fetch && r.has(flagLong):
		room += min(r.size, smallMax)
	case r.kind == page.Fetch, r.kind == page.Take && !r.has(flagLong|flagWhole):
		bytes = e.size()
	}
	return bytes <= smallMax && int64(len(p.reply)) >= room+bytes
}

// outbox has what a process does after it has unlocked an entry: messages to send, and requests to answer.
type outbox []func()

func (o *outbox) add(f func()) { *o = append(*o, f) }

func (o outbox) flush() {
	for _, f := range o {
		f()
	}
}

// conclude answers a request with what the owner knows. n bytes follow the head of the answer.
func (n *Node) conclude(o *outbox, e *entry, p *pending, s status, a answer, size int) {
	a.status = s
	if a.served == 0 {
		a.served = p.request.Kind
	}
	if own := e.own; own != nil {
		a.owner, a.generation = uint32(n.self), e.generation
		a.recordAt, a.recordUse, a.bytesAt = own.record, own.near.generation, own.block.at
	}
	a.put(p.reply)
	done := p.done
	o.add(func() { done.Complete(uint64(answerHead+size), nil) })
}

// arrive gives a request to the page that this process owns. The caller holds the lock of the entry.
func (n *Node) arrive(o *outbox, e *entry, p *pending) {
	own := e.own
	if !p.valid(e) {
		done := p.done
		o.add(func() { done.Complete(0, errMalformed) })
		return
	}
	n.lower(e, p)
	if p.request.Kind == page.Fetch && own.machine.Sharers() >= maxHolders {
		n.conclude(o, e, p, crowded, answer{}, 0)
		return
	}
	own.last++
	p.request.ID = own.last
	own.pending[p.request.ID] = p
	n.perform(o, e, own.machine.Arrive(p.request))
}

// lower makes less of a request of a process that reaches the bytes itself, and needs neither a copy nor the page. It is on this
// host, or this process itself, which has become the owner meanwhile. It makes less of a Fetch, too, if too many processes have copies.
func (n *Node) lower(e *entry, p *pending) {
	here := p.request.From == n.self || n.near(p.request.From)
	switch {
	case p.request.Kind == page.Fetch && (p.request.From == n.self || !p.r.has(flagWatch) && (here || e.own.machine.Sharers() >= maxHolders)):
		p.request.Kind = page.Get
		p.request.Long = p.r.size > smallMax
	case here && p.request.Kind == page.Take && !p.r.has(flagMove):
		p.request.Kind = page.Write
		p.request.Long = p.r.long(page.Write)
	}
}

// near reports whether a process shares the memory of this one.
func (n *Node) near(member int) bool { return n.mem.HeapView(member) != nil }

// perform carries out the actions of the machine of a page. The caller holds the lock of the entry.
func (n *Node) perform(o *outbox, e *entry, actions []page.Action) {
	own := e.own
	if own.near.record.lock.Lock(n.over) != nil {
		return // the run is over, and all waits end
	}
	n.flag(e)
	gone := false
	for _, a := range actions {
		switch a.Do {
		case page.Serve:
			n.serveBytes(o, e, a)
		case page.Apply:
			n.apply(e, own.pending[a.Request.ID])
		case page.Hold, page.Drop, page.Bring, page.Release:
			n.tell(o, e, a)
		case page.Lend:
			n.lend(o, e, a)
		case page.Finish:
			n.finish(o, e, a)
		case page.Move:
			n.giveAway(o, e, a)
			gone = true
		case page.Redirect:
			n.redirect(o, e, own.pending[a.Request.ID])
			delete(own.pending, a.Request.ID)
		}
	}
	own.near.record.lock.Unlock()
	if gone {
		n.returnRecord(own.record)
	}
}

// flag sets the flags of the record. The caller holds its lock.
func (n *Node) flag(e *entry) {
	own, flags := e.own, uint32(0)
	if own.machine.Guarded() || len(e.watchers) > 0 {
		flags |= flagGuarded
	}
	if own.machine.Shut() {
		flags |= flagShut
	}
	own.near.record.flags = flags
}

// serveBytes answers a Get or Fetch.
func (n *Node) serveBytes(o *outbox, e *entry, a page.Action) {
	own := e.own
	p := own.pending[a.Request.ID]
	delete(own.pending, a.Request.ID)
	b := own.block.bytes
	if a.Request.Kind == page.Get {
		b = b[p.r.at:][:p.r.size]
	}
	n.conclude(o, e, p, done, answer{version: a.Version, served: a.Request.Kind}, copy(p.reply[answerHead:], b))
}

// foresee sets the image of a change that is not applied yet, which goes to update copies first.
func (n *Node) foresee(e *entry, p *pending) {
	if p.image != nil {
		return
	}
	if p.change.kind == store {
		p.image = p.change.in
		return
	}
	p.image = bytes.Clone(e.own.block.bytes[p.r.at:][:p.r.size])
	p.change.apply(p.image)
}

// apply changes the bytes of the page. An operation of the library is made once more, on the bytes themselves, at which threads may sleep.
func (n *Node) apply(e *entry, p *pending) {
	b := e.own.block.bytes[p.r.at:][:p.r.size]
	if p.image != nil && p.change.kind != modify {
		copy(b, p.image)
	} else {
		p.change.apply(b)
	}
}

// finish answers a change.
func (n *Node) finish(o *outbox, e *entry, a page.Action) {
	own := e.own
	p := own.pending[a.Request.ID]
	delete(own.pending, a.Request.ID)
	n.notice(o, e, own.block.bytes)
	n.conclude(o, e, p, done, answer{version: a.Version, served: page.Write}, int(p.r.room))
	n.flag(e)
}

// redirect answers a request with the newest owner that this process knows of.
func (n *Node) redirect(o *outbox, e *entry, p *pending) {
	if e.owner != unknown {
		n.conclude(o, e, p, elsewhere, answer{owner: uint32(e.owner), generation: e.generation}, 0)
		return
	}
	home, move := n.shards.at(e.shard())
	s := elsewhere
	if home == n.self {
		s = again // the shard moves
	}
	n.conclude(o, e, p, s, answer{owner: uint32(home), version: uint64(move)}, 0)
}
