package page

import "slices"

// This part of the model has homes that move, and processes that leave, as the shards of package node do.

// isHome reports whether a process takes the first request for a page.
func (m *model) isHome(p, page int) bool {
	at := &m.places[p]
	return int(at.homes[page]) == p && (!at.moving[page] || m.faults == movingHome)
}

// setHome notes the home of a page after some moves, unless later ones are known.
func (m *model) setHome(p, page, home int, moves uint64) {
	if at := &m.places[p]; int8(moves) > at.moves[page] {
		at.homes[page], at.moves[page] = int8(home), int8(moves)
	}
}

// tellHome sends the owner of a page to the home of which a process knows, unless that is the process itself.
func (m *model) tellHome(p int, x *message) {
	if home := int(m.places[p].homes[x.page]); home != p {
		m.send(message{kind: newOwner, from: p, to: home, page: x.page, owner: x.owner, generation: x.generation})
	}
}

// handOver begins to hand the home of a page over, if this process is the home.
func (m *model) handOver(i, p int, e *entry) {
	op, at := m.op(i), &m.places[p]
	if int(at.homes[op.page]) != p {
		m.finish(i)
		return
	}
	at.moving[op.page] = true
	m.threads[i].step, m.threads[i].version = begin, uint64(e.generation)
	m.sendRecord(i, p, e, record)
}

// sendRecord sends the owner of a page to its new home.
func (m *model) sendRecord(i, p int, e *entry, kind messageKind) {
	op := m.op(i)
	m.send(message{kind: kind, from: p, to: op.to, page: op.page, thread: i, owner: e.owner, generation: e.generation, version: uint64(m.places[p].moves[op.page] + 1)})
}

// handed takes a message about a home that moves.
func (m *model) handed(x *message) {
	e := &m.entries[x.to][x.page]
	switch x.kind {
	case record:
		if x.generation > 0 { // perhaps of an owner that has left
			m.learn(e, x.owner, x.generation)
		}
		m.send(message{kind: handAnswer, from: x.to, to: x.from, page: x.page, thread: x.thread, do: Do(record)})
	case ownTable:
		m.setHome(x.to, x.page, x.to, x.version)
		m.send(message{kind: handAnswer, from: x.to, to: x.from, page: x.page, thread: x.thread, do: Do(ownTable)})
	case table:
		m.setHome(x.to, x.page, x.owner, x.version)
	case handAnswer:
		m.handedOver(x, e)
	}
}

// handedOver goes on when the new home has answered: it gets the record, is told that it is the home, and at last gets the record once more if
// that has changed.
func (m *model) handedOver(x *message, e *entry) {
	i, at := x.thread, &m.places[x.to]
	op, t := m.op(i), &m.threads[i]
	switch {
	case messageKind(x.do) == record && int(at.homes[x.page]) == x.to:
		m.sendRecord(i, x.to, e, ownTable)
		return
	case messageKind(x.do) == ownTable:
		m.setHome(x.to, x.page, op.to, uint64(at.moves[x.page]+1))
		if uint64(e.generation) != t.version && m.faults != recordsOnce {
			t.version = uint64(e.generation)
			m.sendRecord(i, x.to, e, record)
			return
		}
	}
	at.moving[x.page] = false
	for q := range m.places {
		if q != x.to && q != op.to {
			m.send(message{kind: table, from: x.to, to: q, page: x.page, owner: op.to, version: uint64(at.moves[x.page])})
		}
	}
	m.finish(i)
}

// empty reports whether a process has nothing that others use, and no message of it is under way.
func (m *model) empty(p int) bool {
	for page := range pages {
		e := &m.entries[p][page]
		if e.own != nil || e.taking || e.fetching || len(e.early) > 0 || int(m.places[p].homes[page]) == p {
			return false
		}
	}
	return !slices.ContainsFunc(m.net, func(x message) bool {
		return x.from == p && x.kind != answer && x.kind != table || x.to == p && x.kind == answer
	})
}

// leave lets a process leave. It gives up its copies.
func (m *model) leave(p int) {
	m.places[p].gone = true
	for page := range pages {
		if c := &m.entries[p][page].copy; c.Present() {
			c.Drop()
		}
	}
}

// undeliverable is what the sender of a message does when the receiver has left.
func (m *model) undeliverable(x *message) {
	from := &m.entries[x.from][x.page]
	switch x.kind {
	case request:
		if from.owner == x.to {
			from.owner = unknown
		}
		m.ask(int(x.request.ID-1), x.request)
	case tell:
		if x.do != Release && from.own != nil && from.generation == x.generation {
			m.perform(x.from, from, x.page, from.own.machine.Answered(x.to, false))
		}
	case newOwner:
		m.tellHome(x.from, x)
	case ending:
		m.fail("a page was lent by a process that has left")
	}
}
