package tcp

import (
	"encoding/binary"
	"unsafe"
)

// Answers to requests that have succeeded share frames: the answers to all requests of one receive are one
// reply, whose payload is all outcomes but the first.

// packet is the payload of a reply.
type packet [outcomesMax * outcomeSize]byte

// answers are the outcomes of requests of the peer that have succeeded and are not queued yet.
type answers struct {
	n         int
	id, found uint64  // the first outcome
	more      *packet // the further outcomes
}

// add appends the outcome of a request. There is room for it.
func (a *answers) add(id, found uint64) {
	if a.n == 0 {
		a.id, a.found, a.n = id, found, 1
		return
	}
	if a.more == nil {
		a.more = new(packet)
	}
	b := a.more[(a.n-1)*outcomeSize:]
	binary.LittleEndian.PutUint64(b, id)
	binary.LittleEndian.PutUint64(b[8:], found)
	a.n++
}

// full reports whether there is no room for another outcome.
func (a *answers) full() bool { return a.n == 1+outcomesMax }

// queueAnswers queues the outcomes in in.answers. The caller kicks, and holds in.lock.
func (l *link) queueAnswers() {
	a := &l.in.answers
	if a.n == 0 {
		return
	}
	h := header{kind: kindReply, id: a.id, pos: a.found, size: uint64(a.n-1) * outcomeSize}
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.queueReply(&h, a.n)
	a.n = 0
	if f == nil || h.size == 0 {
		return
	}
	f.payload, f.packet = unsafe.Pointer(a.more), a.more
	a.more = l.spare
	l.spare = nil
}

// settleAll completes the operations that have succeeded, according to the reply in.head with the
// further outcomes.
func (l *link) settleAll(further []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.succeed(l.in.head.id, l.in.head.pos)
	for ; err == nil && len(further) > 0; further = further[outcomeSize:] {
		err = l.succeed(binary.LittleEndian.Uint64(further), binary.LittleEndian.Uint64(further[8:]))
	}
	l.release()
	return err
}

// succeed completes an operation that has succeeded. The caller holds in.lock and mu.
func (l *link) succeed(id, found uint64) error {
	op := l.settle(id)
	if op == nil {
		return protocolError("reply %#x to no request", id)
	}
	defer l.ops.remove(id, op)
	switch {
	case op.kind != kindReply:
		err := protocolError("get or call answered without bytes")
		l.concluded(op, 0, err)
		return err
	case op.fault != nil:
		l.concluded(op, 0, op.fault)
		return nil
	case op.dst != nil && op.size <= inlineMax:
		if err := tryStore(op.dst, found, op.size); err != nil {
			l.concluded(op, 0, err)
			return nil
		}
	}
	if op.size > 0 { // a get
		found = 0
	}
	l.concluded(op, found, nil)
	return nil
}
