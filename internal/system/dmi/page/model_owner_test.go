package page

import "slices"

// deliver delivers the message with a number.
func (m *model) deliver(number int) {
	x := m.net[number]
	m.net = slices.Delete(m.net, number, number+1)
	e := &m.entries[x.to][x.page]
	if m.places[x.to].gone {
		m.undeliverable(&x)
		return
	}
	switch x.kind {
	case request:
		m.admit(x.to, e, x.page, x.request)
	case answer:
		m.answered(&x)
	case ending:
		m.loanEnds(x.to, e, &x)
	case tell:
		m.follow(e, &x)
	case toldAnswer:
		if e.own != nil && e.generation == x.generation {
			m.perform(x.to, e, x.page, e.own.machine.Answered(x.from, x.kept))
		}
	case newOwner:
		m.learn(e, x.owner, x.generation)
		if at := &m.places[x.to]; (at.moving[x.page] || int(at.homes[x.page]) != x.to) && m.faults != ownerTaken {
			m.tellHome(x.from, &x)
		}
	case record, ownTable, handAnswer, table:
		m.handed(&x)
	}
}

// admit takes a request.
func (m *model) admit(p int, e *entry, page int, r Request) {
	switch {
	case e.own != nil:
		m.arrive(p, e, page, r)
	case e.taking && !(r.From == p && r.Kind == Take):
		e.early = append(e.early, r)
	case e.owner == unknown && e.generation == 0 && m.isHome(p, page):
		m.firstTouch(p, e, page, r)
	case m.faults == oldOwnerAnswers && r.Kind == Get && e.left > 0:
		m.answer(p, e, message{page: page, request: r, status: done, served: Get, bytes: e.left})
	default:
		m.redirect(p, e, page, r)
	}
}

// firstTouch takes the first request for a page, at its home.
func (m *model) firstTouch(p int, e *entry, page int, r Request) {
	switch r.Kind {
	case Get:
		m.answer(p, e, message{page: page, request: r, status: untouched, served: Get})
	case Take:
		e.owner, e.generation = r.From, 1
		m.answer(p, e, message{page: page, request: r, status: fresh, served: Take, generation: 1})
	default:
		machine, actions := NewOwner(State{}, nil, false)
		e.own = &owned{machine: machine}
		e.owner, e.generation = p, 1
		m.perform(p, e, page, actions)
		m.arrive(p, e, page, r)
	}
}

// answer answers a request.
func (m *model) answer(p int, e *entry, x message) {
	x.kind, x.from, x.to, x.thread = answer, p, x.request.From, int(x.request.ID-1)
	if e.own != nil {
		x.owner, x.generation = p, e.generation
	}
	m.send(x)
}

// redirect answers a request with the newest owner that the process knows of.
func (m *model) redirect(p int, e *entry, page int, r Request) {
	x := message{page: page, request: r, status: elsewhere, owner: e.owner, generation: e.generation}
	if e.owner == unknown {
		x.generation, x.owner, x.version = 0, int(m.places[p].homes[page]), uint64(m.places[p].moves[page])
	}
	m.answer(p, e, x)
}

// arrive gives a request to the page.
func (m *model) arrive(p int, e *entry, page int, r Request) {
	op := m.op(int(r.ID - 1))
	switch {
	case r.From != p:
	case r.Kind == Fetch:
		r.Kind = Get
	case r.Kind == Take && op.kind != doMove:
		r.Kind, r.Long = Write, op.long
	}
	o := e.own.machine
	switch {
	case m.faults == copyDuringChange && r.Kind == Fetch && !r.Long && o.change != nil && o.change.phase == telling:
		o.read(r)
		m.perform(p, e, page, o.take())
	case m.faults == readDuringChange && r.Kind == Get && !r.Long && !o.gone:
		m.answer(p, e, message{page: page, request: r, status: done, served: Get, bytes: e.own.bytes})
	default:
		actions := o.Arrive(r)
		if m.faults == olderFetch && r.Kind == Fetch {
			o.state.Holders = slices.DeleteFunc(o.state.Holders, func(h Holder) bool { return h.Process == r.From })
			o.state.Holders = append(o.state.Holders, Holder{r.From, r.Copy, r.Grant})
		}
		m.perform(p, e, page, actions)
	}
}

// perform carries out the actions of an owner.
func (m *model) perform(p int, e *entry, page int, actions []Action) {
	own := e.own
	m.flag(e)
	for _, a := range actions {
		i := int(a.Request.ID - 1)
		switch a.Do {
		case Serve:
			m.answer(p, e, message{page: page, request: a.Request, status: done, served: a.Request.Kind, bytes: own.bytes, version: a.Version})
		case Apply:
			m.apply(i, &own.bytes)
		case Hold, Drop, Bring, Release:
			m.tell(p, e, page, a)
		case Lend:
			m.answer(p, e, message{page: page, request: a.Request, status: lent, served: a.Request.Kind, version: a.Version})
		case Finish:
			m.notice(e, own.bytes)
			m.answer(p, e, message{page: page, request: a.Request, status: done, served: Write, version: a.Version})
			m.flag(e)
		case Move:
			m.giveAway(p, e, page, a)
		case Redirect:
			m.redirect(p, e, page, a.Request)
		}
	}
	if m.faults == unawaited || m.faults == dropUnawaited {
		m.answerForOthers(p, e, page, actions)
	}
}

// answerForOthers is a fault: an owner does not wait for the answers of processes with copies.
func (m *model) answerForOthers(p int, e *entry, page int, actions []Action) {
	for _, a := range actions {
		if e.own != nil && (a.Do == Drop || a.Do == Hold && m.faults == unawaited) {
			m.perform(p, e, page, e.own.machine.Answered(a.Holder.Process, a.Do == Hold))
		}
	}
}

// flag sets the flags of the record.
func (m *model) flag(e *entry) {
	own := e.own
	own.guarded = own.machine.Guarded() || len(e.watchers) > 0
	own.shut = own.machine.Shut() && m.faults != readDuringChange
}

// tell tells a process about its copy.
func (m *model) tell(p int, e *entry, page int, a Action) {
	x := message{
		kind: tell, from: p, to: a.Holder.Process, page: page, do: a.Do, grant: a.Holder.Grant, version: a.Version, generation: e.generation,
		bytes: e.own.bytes,
	}
	if a.Do == Hold && !a.Request.Long {
		x.bytes = m.shown(page) + 1
	}
	if a.Do == Release || a.Do == Drop {
		x.bytes = 0
	}
	m.send(x)
	if a.Do == Hold && m.faults == earlyRelease {
		x.do = Release
		m.send(x)
	}
}

// loanEnds takes the end of a loan.
func (m *model) loanEnds(p int, e *entry, x *message) {
	i := int(x.request.ID - 1)
	if e.own == nil {
		m.fail("a page that is lent has moved")
		return
	}
	if x.request.Kind == Write {
		e.own.bytes = m.threads[i].half
		m.apply(i, &e.own.bytes)
	}
	m.perform(p, e, x.page, e.own.machine.Ended(x.request))
}

// giveAway gives the page to the process that has taken it.
func (m *model) giveAway(p int, e *entry, page int, a Action) {
	own, r := e.own, a.Request
	var holders []Holder
	for _, h := range own.machine.State().Holders {
		if h.Process != r.From {
			holders = append(holders, h)
		}
	}
	if len(e.watchers) > 0 && m.faults != nothingKept {
		holders = append(holders, Holder{p, Update, e.copy.Keep(a.Version)})
		e.bytes = own.bytes
	}
	e.own, e.left = nil, 0
	e.owner, e.generation = r.From, e.generation+1
	if m.faults == oldOwnerAnswers {
		e.left = own.bytes
	}
	x := message{page: page, request: r, status: moved, served: Take, bytes: own.bytes, owner: e.owner, generation: e.generation, version: a.Version, holders: holders}
	if m.op(int(r.ID - 1)).whole {
		x.bytes = torn
	}
	m.answer(p, e, x)
}

// install makes the process of a thread the owner, and begins the change of the thread before requests of others.
func (m *model) install(i, p int, e *entry, x *message) {
	t, op := &m.threads[i], m.op(i)
	s := State{Version: x.version}
	for _, h := range x.holders {
		if h.Process != p && m.faults != forgottenCopies {
			s.Holders = append(s.Holders, h)
		}
	}
	bytes := x.bytes
	if x.status == moved && op.long && !op.whole {
		bytes = t.half
	}
	if op.whole {
		bytes = torn
	}
	first := Request{ID: uint64(i + 1), From: p, Kind: Write, Long: op.long && (len(s.Holders) > 0 || op.kind != doWrite)}
	if m.faults == earlyFirst {
		m.installEarly(p, e, op.page, s, first, bytes, x.generation)
		return
	}
	machine, actions := NewOwner(s, &first, op.whole)
	if e.copy.Present() {
		m.notice(e, e.bytes)
	}
	if !op.whole {
		m.notice(e, bytes)
	}
	m.own(p, e, machine, bytes, x.generation)
	t.taking, t.asked, t.step = false, Write, asking
	m.perform(p, e, op.page, actions)
	if x.status == moved {
		m.tellHome(p, &message{page: op.page, owner: p, generation: e.generation})
	}
	m.endTake(p, op.page)
}

// own makes a process the owner of a page.
func (m *model) own(p int, e *entry, machine *Owner, bytes, generation int8) {
	e.own = &owned{machine: machine, bytes: bytes, guarded: true, shut: true}
	e.owner, e.generation = p, generation
	if m.faults != keptAfterTake {
		e.copy.Failed()
	}
	if e.copy.Present() {
		e.copy.Drop()
	}
}

// installEarly is a fault of install: requests of others come before the first change.
func (m *model) installEarly(p int, e *entry, page int, s State, first Request, bytes, generation int8) {
	machine, actions := NewOwner(s, nil, false)
	m.own(p, e, machine, bytes, generation)
	m.threads[first.ID-1].taking = false
	m.perform(p, e, page, actions)
	m.endTake(p, page)
	m.threads[first.ID-1].step = asking
	m.admit(p, e, page, first)
}

// endTake ends the Take of a process, and takes the requests that have come meanwhile.
func (m *model) endTake(p, page int) {
	e := &m.entries[p][page]
	early := e.early
	e.early, e.taking = nil, false
	m.wake(p, e, awaitTake)
	for _, r := range early {
		m.admit(p, e, page, r)
	}
}

// follow follows a message of an owner about a copy, and answers it.
func (m *model) follow(e *entry, x *message) {
	kept := false
	switch e.copy.Told(x.grant) {
	case Early:
		e.told = append(e.told, *x)
		kept = x.do != Drop
	case Known:
		kept = m.obey(e, x)
	}
	if x.do != Release {
		m.send(message{kind: toldAnswer, from: x.to, to: x.from, page: x.page, kept: kept, generation: x.generation})
	}
}

// obey follows a message about a copy that is there, and reports whether it stays.
func (m *model) obey(e *entry, x *message) bool {
	switch x.do {
	case Drop:
		e.copy.Drop()
		return false
	case Hold:
		if e.copy.Held() {
			m.notice(e, e.bytes)
		}
		e.copy.Hold(x.version)
		if e.bytes = x.bytes; m.faults == holdReads {
			e.copy.condition = valid
		}
	case Bring:
		e.bytes = x.bytes
	case Release:
		if m.faults == anyRelease && e.copy.Held() {
			e.copy.version = x.version
		}
		if e.copy.Release(x.version) {
			m.notice(e, e.bytes)
		}
	}
	return true
}
