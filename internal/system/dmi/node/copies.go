package node

import (
	"bytes"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/dmi/page"
)

// tell sends a process the message about its copy that an action demands. The caller holds the lock of the entry.
func (n *Node) tell(o *outbox, e *entry, a page.Action) {
	own := e.own
	m := copyMessage{base: e.space.base, page: e.page, grant: a.Holder.Grant, version: a.Version, do: a.Do}
	to := a.Holder.Process
	switch a.Do {
	case page.Release:
		o.add(func() { n.start(to, opCopy, m.append(nil), nil) })
		return
	case page.Bring:
		p := own.pending[a.Request.ID]
		n.bring(o, e, own, to, m, own.block.bytes[p.r.at:][:p.r.size], p.r.at)
		return
	case page.Hold:
		if p := own.pending[a.Request.ID]; !a.Request.Long {
			n.foresee(e, p)
			m.at, m.bytes = p.r.at, p.image
		}
	}
	message := m.append(nil)
	o.add(func() {
		n.start(to, opCopy, message, func(kept bool, err error) { n.answered(e, own, to, kept && err == nil) })
	})
}

// bring sends the bytes of a long change in messages that are under way at the same time.
func (n *Node) bring(o *outbox, e *entry, own *owned, to int, m copyMessage, b []byte, at int64) {
	for first := true; first || len(b) > 0; first = false {
		size := min(len(b), smallMax)
		m.at, m.bytes = at, b[:size]
		message := m.append(nil)
		b, at = b[size:], at+int64(size)
		own.bringing[to]++
		o.add(func() {
			n.start(to, opCopy, message, func(kept bool, err error) { n.brought(e, own, to, kept && err == nil) })
		})
	}
}

// brought takes the answer to one message of bring.
func (n *Node) brought(e *entry, own *owned, process int, kept bool) {
	e.mu.Lock()
	own.bringing[process]--
	own.dropped[process] = own.dropped[process] || !kept
	last := own.bringing[process] == 0
	if last {
		kept = !own.dropped[process]
		delete(own.bringing, process)
		delete(own.dropped, process)
	}
	e.mu.Unlock()
	if last {
		n.answered(e, own, process, kept)
	}
}

// answered takes the answer of a process about its copy.
func (n *Node) answered(e *entry, own *owned, process int, kept bool) {
	var o outbox
	e.mu.Lock()
	if e.own == own {
		n.perform(&o, e, own.machine.Answered(process, kept))
	}
	e.mu.Unlock()
	o.flush()
}

// start sends a message of the library, and calls answered, which does not block, with the first byte of the answer. answered may be nil.
// The caller holds no lock of an entry. Does not block.
func (n *Node) start(member, operation int, message []byte, answered func(yes bool, err error)) {
	s := &started{node: n, to: member, then: answered}
	n.sending.Add(1)
	n.count(member, len(message))
	n.p.Start(member, operation, message, s.answer[:], s)
}

// started is a message under way. It implements fabric.Completion.
type started struct {
	node   *Node
	to     int
	answer [1]byte
	then   func(yes bool, err error)
}

// Complete implements fabric.Completion. It is called where requests are served, so the next step follows at once, on the thread that has
// received the answer. After an error it may take long to learn whether the process has left.
func (s *started) Complete(size uint64, err error) {
	switch {
	case s.then == nil:
	case err != nil:
		go func() {
			s.then(false, s.node.p.Absence(s.to, err))
			s.node.sending.Add(-1)
		}()
		return
	default:
		s.then(size == 1 && s.answer[0] == 1, nil)
	}
	s.node.sending.Add(-1)
}

// serveCopy follows a message of an owner about a copy of this process. The answer says whether there is a copy.
func (n *Node) serveCopy(r fabric.Request) (int, error) {
	m, err := decodeCopy(r.Body)
	if err != nil {
		return 0, err
	}
	kept := false
	if s := n.loaded(m.base); s != nil && m.page >= 0 && m.page < s.count() {
		if e := s.known(m.page); e != nil {
			kept = n.tellCopy(e, &m)
		}
	}
	if len(r.Reply) == 0 {
		return 0, nil
	}
	r.Reply[0] = 0
	if kept {
		r.Reply[0] = 1
	}
	return 1, nil
}

// tellCopy follows a message, and reports whether there is a copy.
func (n *Node) tellCopy(e *entry, m *copyMessage) bool {
	var o outbox
	defer func() { o.flush() }()
	e.mu.Lock()
	defer e.mu.Unlock()
	switch e.copy.Told(m.grant) {
	case page.Early:
		early := *m
		early.bytes = bytes.Clone(m.bytes)
		e.told = append(e.told, early)
		return m.do != page.Drop
	case page.Known:
		return n.obey(&o, e, m)
	}
	return false
}

// dropCopy ends the copy of a page. The caller holds the lock of the entry.
func (n *Node) dropCopy(e *entry) {
	e.copy.Drop()
	n.free(&e.block)
	n.pool.remove(e)
}

// obey follows a message about a copy that is there. The caller holds the lock of the entry.
func (n *Node) obey(o *outbox, e *entry, m *copyMessage) bool {
	if int64(len(m.bytes)) > e.size() || m.at < 0 || m.at > e.size()-int64(len(m.bytes)) {
		return true // no correct process sends it
	}
	switch m.do {
	case page.Drop:
		n.dropCopy(e)
		return false
	case page.Hold:
		if e.copy.Held() {
			n.notice(o, e, e.block.bytes) // the change before this one is complete; its release comes late
		}
		e.copy.Hold(m.version)
		copy(e.block.bytes[m.at:], m.bytes)
	case page.Bring:
		copy(e.block.bytes[m.at:], m.bytes)
	case page.Release:
		if e.copy.Release(m.version) {
			n.notice(o, e, e.block.bytes)
		}
	}
	return true
}
