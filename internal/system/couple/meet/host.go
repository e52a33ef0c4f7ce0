package meet

import (
	"github.com/goacp/goacp/internal/system/couple/side"
	"github.com/goacp/goacp/internal/system/couple/wire"
)

// Host is the meetings of links whose host a process is.
type Host struct {
	self    int // the member that the host is
	procs   int // of the run
	open    map[meetingKey]*meeting
	over    map[string]map[int]bool // by link: the senders, by index, that have ended their publication
	refused map[refusedKey]*refused
	owners  map[sideKey]Caller // the last rank that has come of the cohort whose model the side is
	agreed  map[uint64]*agreed // by id of the link: those whose ranks have not all got the answer of the last meeting
	links   uint64             // that have been opened so far
	events  uint64             // how often a rank has come or left, which is the clock of meetings
}

// NewHost returns the host that a member is, of a run with a number of processes.
func NewHost(self, procs int) *Host {
	h := &Host{self: self, procs: procs}
	h.Forget()
	return h
}

// Forget ends all meetings. Their ranks get no answers.
func (h *Host) Forget() {
	h.open = make(map[meetingKey]*meeting)
	h.over = make(map[string]map[int]bool)
	h.refused = make(map[refusedKey]*refused)
	h.owners = make(map[sideKey]Caller)
	h.agreed = make(map[uint64]*agreed)
}

// meetingKey names a meeting.
type meetingKey struct {
	question Question
	link     string
	id       uint64
}

// meeting is the ranks of a link that have come.
type meeting struct {
	sides [2]gathering
	gone  [2]departures
}

// gathering is the ranks of one side.
type gathering struct {
	size    int // 0 if none has come
	came    int
	present []attendant // by index
}

// has reports whether the rank with an index has come.
func (g *gathering) has(index int) bool {
	return index < len(g.present) && g.present[index].ticket != nil
}

// attendant is one rank that waits for a reply.
type attendant struct {
	from   int // its member
	body   []byte
	came   uint64 // when
	ticket Ticket // nil if the rank has not come
}

// Arrive lets a member join a meeting. The last rank that joins ends it.
func (h *Host) Arrive(a *Arrival, from Caller, t Ticket) []Answer {
	var evicted []Answer
	if a.Question == AboutIntroduction {
		var o Outcome
		if evicted, o = h.admit(a, from); o.code != 0 {
			return []Answer{{To: t, Body: refusal(o)}}
		}
	}
	return append(evicted, h.join(a, from.Member, t)...)
}

// admit decides whether a rank may introduce itself. It returns the reason if it may not, and otherwise the answers to the ranks whose
// place it takes.
func (h *Host) admit(a *Arrival, from Caller) (evicted []Answer, why Outcome) {
	if why = h.refusedBefore(a, from.Cohort); why.code == 0 {
		evicted, why = h.own(a, from)
	}
	if why.code == 0 {
		why = h.begins(a)
	}
	return evicted, why
}

// join is the rest of Arrive.
func (h *Host) join(a *Arrival, from int, t Ticket) []Answer {
	key := a.key()
	m := h.open[key]
	if m == nil {
		m = new(meeting)
		h.open[key] = m
	}
	h.events++
	who := attendant{from: from, body: append([]byte(nil), a.Body...), came: h.events, ticket: t}
	answers, problem := m.enter(a, who)
	switch {
	case problem.code != 0:
		delete(h.open, key)
		no := refusal(problem)
		return append(m.answer(no), Answer{To: t, Body: no})
	case h.isBroken(key):
		return append(answers, h.breakOff(key)...)
	case !m.complete():
		return answers
	}
	delete(h.open, key)
	if a.Question != AboutIntroduction {
		o := m.outcome()
		if a.Question == AboutConnection || o.code != 0 {
			delete(h.agreed, a.ID)
		}
		return append(answers, m.answer(o.Encode())...)
	}
	h.links++
	id := uint64(h.self)<<32 | h.links
	answer, agreed := m.introduce(a.Link, id)
	if agreed {
		h.agree(a.Link, id, m)
	}
	return append(answers, m.answer(answer)...)
}

// enter adds a rank. A rank that had given up and comes again takes its former place, and its former request fails.
// If the ranks of a side disagree about their number, enter returns the error.
func (m *meeting) enter(a *Arrival, who attendant) ([]Answer, Outcome) {
	g := &m.sides[a.Side]
	if g.size == 0 {
		g.size, g.present = a.Size, make([]attendant, a.Size)
	}
	if a.Size != g.size {
		return nil, problem(ErrDisagree, "the model of the %v side has %d ranks for one of them, and %d for another one", a.Side, g.size, a.Size)
	}
	place := &g.present[a.Index]
	if place.ticket != nil && place.from != who.from {
		return nil, problem(ErrDisagree, "two ranks say that they are process %d of the model of the %v side", a.Index, a.Side)
	}
	var answers []Answer
	if place.ticket != nil {
		answers = append(answers, Answer{To: place.ticket, Err: wire.ErrMalformed})
	} else {
		g.came++
	}
	*place = who
	delete(m.gone[a.Side].when, a.Index)
	return answers, Outcome{}
}

// empty reports whether no rank has come.
func (m *meeting) empty() bool {
	return m.sides[side.Sending].size == 0 && m.sides[side.Receiving].size == 0
}

// complete reports whether all ranks have come.
func (m *meeting) complete() bool {
	for i := range m.sides {
		if g := &m.sides[i]; g.size == 0 || g.came < g.size {
			return false
		}
	}
	return true
}

// answer gives all ranks that have come the same answer.
func (m *meeting) answer(b []byte) (all []Answer) {
	for i := range m.sides {
		all = append(all, m.sides[i].answer(b)...)
	}
	return all
}

// answer gives all ranks of a side that have come the same answer.
func (g *gathering) answer(b []byte) (all []Answer) {
	for _, who := range g.present {
		if who.ticket != nil {
			all = append(all, Answer{To: who.ticket, Body: b})
		}
	}
	return all
}
