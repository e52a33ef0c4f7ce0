package tcp

import "github.com/goacp/goacp/internal/fabric"

// Calls whose answers come later. A call that waits at the owner, for example for a lock, takes a place in
// the window of its initiator like any request in flight. If such calls took all places, the initiator could
// not send the request for which they wait. So if many requests are in flight, the owner announces that a
// call is deferred. From then on the call takes no place.

// announceFrom is the number of requests in flight from which on the owner announces calls that it defers.
// With fewer, an announcement would be wasted.
const announceFrom = window / 2

// deferrer is the link of a call that the owner serves. It implements fabric.Deferrer.
type deferrer link

// Defer implements fabric.Deferrer. The caller holds in.lock.
func (d *deferrer) Defer() fabric.Completion {
	l := (*link)(d)
	l.in.deferred = true
	later := &laterAnswer{link: l, id: l.in.head.id, reply: l.in.reply}
	if later.announced = l.owed.Load() > announceFrom; later.announced {
		l.sendReply(&header{kind: kindDeferred, id: later.id}, nil, buffer{}, true)
	}
	return later
}

// laterAnswer answers a call after its owner's Serve has returned.
type laterAnswer struct {
	link      *link
	id        uint64
	reply     []byte
	announced bool // the initiator has been informed that the call is deferred
}

// Complete implements fabric.Completion.
func (a *laterAnswer) Complete(n uint64, err error) {
	if err != nil {
		a.link.conclude(a.id, -1, 0, err, !a.announced)
	} else {
		a.link.queueAnswer(a.id, a.reply[:n], buffer{}, !a.announced)
	}
	a.link.kick()
}

// deferred handles the announcement that the call in.head takes no place in the window any more.
func (l *link) deferred() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	op := l.ops.find(l.in.head.id)
	if op == nil || op.kind != kindAnswer || op.later {
		return protocolError("request %#x cannot be deferred", l.in.head.id)
	}
	op.later = true
	l.under--
	l.release()
	return nil
}

// callSelf lets the owner of this process serve a call of this process.
func (t *Transport) callSelf(r fabric.Request, done fabric.Completion) {
	s := &selfCall{done: done}
	r.Later = s
	n, err := t.cfg.Owner.Serve(r)
	if !s.deferred {
		done.Complete(uint64(n), err)
	}
}

// selfCall is a call that a process serves to itself. It implements fabric.Deferrer.
type selfCall struct {
	done     fabric.Completion
	deferred bool
}

// Defer implements fabric.Deferrer.
func (s *selfCall) Defer() fabric.Completion {
	s.deferred = true
	return s.done
}
