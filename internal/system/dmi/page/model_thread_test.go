package page

import "slices"

// runnable reports whether a thread can make a step.
func (m *model) runnable(i int) bool {
	if m.ended(i) {
		return false
	}
	switch op := m.op(i); op.kind {
	case doLeave:
		return m.empty(m.process(i)) || m.faults == leavesFull
	case doMove:
		if op.to > 0 && !m.places[op.to-1].evacuates {
			return false
		}
	case doHandOver:
		// One home moves at a time. The answers go on with the move.
		if slices.ContainsFunc(m.places[:], func(x place) bool { return x.moving[op.page] }) {
			return false
		}
	}
	switch m.threads[i].step {
	case begin, decide, borrow, borrowed, attend, attendFetch:
		return true
	}
	return false
}

// run makes a step of a thread.
func (m *model) run(i int) {
	t, op, p := &m.threads[i], m.op(i), m.process(i)
	e := &m.entries[p][op.page]
	if !t.begun {
		t.begun, t.since = true, m.shown(op.page)
	}
	switch t.step {
	case begin:
		m.begin(i, p, e)
	case decide:
		if op.kind == doRead {
			m.decideRead(i, p, e)
		} else {
			m.decideChange(i, p, e)
		}
	case borrow:
		m.borrow(i)
	case borrowed:
		m.borrowed(i, p)
	case attend:
		m.attend(i, e)
	case attendFetch:
		if !m.fetch(i, p, e) {
			t.step = attend
		}
	}
}

// begin tries to carry out an operation on bytes that are here.
func (m *model) begin(i, p int, e *entry) {
	t, op := &m.threads[i], m.op(i)
	t.step = decide
	switch op.kind {
	case doRead:
		switch {
		case e.own != nil && !e.own.shut:
			m.finishRead(i, e.own.bytes)
		case e.copy.Valid():
			m.finishRead(i, e.bytes)
		}
	case doWrite, doAdd:
		if e.own != nil && !e.own.guarded && !e.own.shut {
			m.apply(i, &e.own.bytes)
			m.finish(i)
		}
	case doWatch:
		e.watchers = append(e.watchers, i)
		t.step = attend
	case doHandOver:
		m.handOver(i, p, e)
	case doEvacuate:
		m.places[p].evacuates = true
		m.finish(i)
	case doLeave:
		m.leave(p)
		m.finish(i)
	case doEvict:
		if e.copy.Valid() && len(e.watchers) == 0 {
			e.copy.Drop()
		}
		m.finish(i)
	}
}

// decideRead reads at the owner, or fetches a copy.
func (m *model) decideRead(i, p int, e *entry) {
	if m.op(i).mode == get || e.own != nil || e.copy.Held() {
		m.ask(i, Request{Kind: Get, Long: m.op(i).long})
		return
	}
	if !m.fetch(i, p, e) {
		m.threads[i].step = begin
	}
}

// fetch fetches a copy. It reports whether the thread waits for one now.
func (m *model) fetch(i, p int, e *entry) bool {
	kind := m.op(i).copyKind()
	switch {
	case e.own != nil || e.copy.Present() && (kind == Invalidate || e.copy.Kind() == Update):
		return false
	case e.fetching:
		m.threads[i].step = awaitFetch
	default:
		e.fetching = true
		before := e.copy.condition
		grant := e.copy.Fetch()
		if m.faults == earlierCopy {
			e.copy.condition = before
		}
		m.ask(i, Request{Kind: Fetch, Copy: kind, Grant: grant, Long: m.op(i).long})
	}
	return true
}

// decideChange lets the owner make the change, or takes the page.
func (m *model) decideChange(i, p int, e *entry) {
	t, op := &m.threads[i], m.op(i)
	switch {
	case op.kind != doMove && op.mode == put, e.own != nil:
		m.ask(i, Request{Kind: Write, Long: op.long})
	case e.taking:
		t.step = awaitTake
	default:
		e.taking, t.taking = true, true
		m.ask(i, Request{Kind: Take, Long: op.long && !op.whole})
	}
}

// ask sends the request of a thread to the owner of which its process knows.
func (m *model) ask(i int, r Request) {
	t, p, page := &m.threads[i], m.process(i), m.op(i).page
	r.ID, r.From = uint64(i+1), p
	t.step, t.asked = asking, r.Kind
	to := m.entries[p][page].owner
	if to == unknown {
		to = int(m.places[p].homes[page])
	}
	m.send(message{kind: request, from: p, to: to, page: page, request: r})
}

// send sends a message.
func (m *model) send(x message) { m.net = append(m.net, x) }

// answered takes the answer to the request of a thread.
func (m *model) answered(x *message) {
	i := x.thread
	t, op, p := &m.threads[i], m.op(i), m.process(i)
	e := &m.entries[p][op.page]
	switch x.status {
	case elsewhere:
		if x.generation > 0 {
			m.learn(e, x.owner, x.generation)
		} else {
			m.setHome(p, op.page, x.owner, x.version)
		}
		m.ask(i, x.request)
		return
	case done, lent:
		m.learn(e, x.owner, x.generation)
	}
	if x.status == lent {
		t.step, t.server, t.served, t.version = borrow, x.from, x.served, x.version
		return
	}
	switch {
	case x.status == moved || x.status == fresh:
		m.install(i, p, e, x)
	case x.served == Write:
		m.finish(i)
	case x.served == Fetch:
		m.fetched(i, p, e, x.bytes, x.version)
	default:
		m.got(i, p, e, x.bytes)
	}
}

// learn notes the owner with a generation, unless a newer one is known.
func (m *model) learn(e *entry, owner int, generation int8) {
	if e.owner == unknown || generation > e.generation || m.faults == olderOwner {
		e.owner, e.generation = owner, generation
	}
}

// got ends a read, of which the owner has not given a copy.
func (m *model) got(i, p int, e *entry, bytes int8) {
	if m.threads[i].asked == Fetch {
		m.endFetch(p, e)
	}
	m.finishRead(i, bytes)
}

// lender returns the page that is lent to a thread.
func (m *model) lender(i int) *owned {
	own := m.entries[m.threads[i].server][m.op(i).page].own
	if own == nil {
		m.fail("a page that is lent is gone")
		own = &owned{machine: &Owner{}}
	}
	return own
}

// borrow begins to use a page that is lent.
func (m *model) borrow(i int) {
	t, own := &m.threads[i], m.lender(i)
	t.step, t.half = borrowed, own.bytes
	if t.served == Write {
		own.bytes = torn
	}
}

// borrowed ends the use of a page that is lent.
func (m *model) borrowed(i, p int) {
	t, page := &m.threads[i], m.op(i).page
	end := message{kind: ending, from: p, to: t.server, page: page, request: Request{ID: uint64(i + 1), From: p, Kind: t.served, Long: true}}
	m.send(end)
	if t.served == Write || t.served == Take {
		t.step = asking
		return
	}
	if m.lender(i).bytes != t.half {
		m.fail("a long read is torn")
	}
	e := &m.entries[p][page]
	if t.served == Fetch {
		m.fetched(i, p, e, t.half, t.version)
	} else {
		m.got(i, p, e, t.half)
	}
}

// fetched makes bytes that have come a copy, and ends the read.
func (m *model) fetched(i, p int, e *entry, bytes int8, version uint64) {
	if e.copy.Fetching() || m.faults == keptAfterTake && e.own == nil {
		e.copy.Fetched(m.op(i).copyKind(), version)
		e.bytes = bytes
		m.notice(e, e.bytes)
		for _, x := range e.told {
			if m.faults != overtakenKept && e.copy.Told(x.grant) == Known {
				m.obey(e, &x)
			}
		}
	}
	m.endFetch(p, e)
	m.finishRead(i, bytes)
}

// endFetch ends the Fetch under way, and lets threads go on that wait for it.
func (m *model) endFetch(p int, e *entry) {
	e.copy.Failed()
	e.told, e.fetching = nil, false
	m.wake(p, e, awaitFetch)
}

// wake lets threads of a process go on that wait for something about a page.
func (m *model) wake(p int, e *entry, waiting step) {
	for i := range m.threads {
		t := &m.threads[i]
		if m.ended(i) || t.step != waiting || m.process(i) != p || &m.entries[p][m.op(i).page] != e {
			continue
		}
		if t.step = begin; m.op(i).kind == doWatch {
			t.step = attend
		}
	}
}

// attend looks whether the process notices changes of the page.
func (m *model) attend(i int, e *entry) {
	t := &m.threads[i]
	current := e.copy.Present() && e.copy.Kind() == Update
	switch {
	case e.own != nil:
		m.flag(e)
	case !current:
		t.step = attendFetch
		return
	}
	t.step, t.noticed = watching, m.shown(m.op(i).page)
	switch {
	case t.fired:
		m.finish(i)
	case e.own != nil && !e.own.shut:
		m.notice(e, e.own.bytes)
	case e.own == nil && e.copy.Valid():
		m.notice(e, e.bytes)
	case e.own == nil:
		t.noticed++ // the copy is held: the first bytes with which the watcher compares are those of the change under way
	}
}

// notice ends the watchers of a page that does not have the value 0.
func (m *model) notice(e *entry, bytes int8) {
	e.watchers = slices.DeleteFunc(e.watchers, func(i int) bool {
		page := m.op(i).page
		switch {
		case bytes == torn:
			m.fail("a watcher sees torn bytes")
		case bytes > m.shown(page):
			m.fail("a watcher sees a change that has not happened")
		case m.values[page][bytes] != 0:
			m.fire(i)
			return true
		}
		return false
	})
}

// fire ends the wait of a watcher. A thread that fetches a copy for it ends that first.
func (m *model) fire(i int) {
	if m.threads[i].fired = true; m.threads[i].step == watching {
		m.finish(i)
	}
}
