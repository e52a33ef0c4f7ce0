package link

import (
	"hash/fnv"
	"sync"

	"github.com/goacp/goacp/internal/fabric"
)

// side is one of the two sides of a link.
type side int

const (
	sending side = iota
	receiving
)

// String returns "sending" or "receiving".
func (s side) String() string {
	if s == sending {
		return "sending"
	}
	return "receiving"
}

// The questions about which ranks meet.
const (
	aboutIntroduction = iota // the ranks of a side
	aboutReadiness           // whether all are ready
	questions
)

// attendance is what a rank says when it comes to a meeting.
type attendance struct {
	question uint64
	name     string // of the link
	id       uint64 // of the link, unless the meeting finds it out
	side     side
	index    int // of the rank on its side
	size     int // of the side, in ranks
	body     []byte
	from     int // the member that says it; not part of the message
}

// maxRanks bounds the ranks of a side.
const maxRanks = 1 << 20

func (a *attendance) encode() []byte {
	var w writer
	w.number(a.question)
	w.text(a.name)
	w.number(a.id)
	w.number(uint64(a.side))
	w.number(uint64(a.index))
	w.number(uint64(a.size))
	w.bytes(a.body)
	return w
}

func decodeAttendance(b []byte) (a attendance, err error) {
	r := reader{rest: b}
	a.question = uint64(r.count(questions - 1))
	a.name = string(r.bytes())
	a.id = r.number()
	a.side = side(r.count(int(receiving)))
	a.index, a.size = r.count(maxRanks), r.count(maxRanks)
	a.body = r.bytes()
	if a.index >= a.size {
		r.fail()
	}
	return a, r.end()
}

// meetings are those of links whose host this process is.
type meetings struct {
	mu      sync.Mutex
	open    map[meetingKey]*meeting
	over    map[string]map[int]bool // by link: the senders, by index, that publish no more
	refused map[string]*refusal     // by link
	number  uint64                  // links so far
	events  uint64                  // how often a rank has come or left, which is the clock of meetings
}

// meetingKey names a meeting.
type meetingKey struct {
	question uint64
	name     string
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

// attendant is one rank, to which an answer is due.
type attendant struct {
	from   int // its member
	body   []byte
	came   uint64 // when
	answer []byte
	done   fabric.Completion // nil if the rank has not come
}

// enter adds a rank. One that comes again, because it had given up, takes its former place. If the
// ranks of a side do not agree how many they are, enter returns that.
func (m *meeting) enter(a *attendance, who attendant) outcome {
	g := &m.sides[a.side]
	if g.size == 0 {
		g.size, g.present = a.size, make([]attendant, a.size)
	}
	if a.size != g.size {
		return problem(ErrDisagree, "the model of the %v side has %d ranks for one of them, and %d for another one", a.side, g.size, a.size)
	}
	place := &g.present[a.index]
	if place.done != nil && place.from != who.from {
		return problem(ErrDisagree, "two ranks say that they are process %d of the model of the %v side", a.index, a.side)
	}
	if place.done != nil {
		place.done.Complete(0, errMalformed)
	} else {
		g.came++
	}
	*place = who
	delete(m.gone[a.side].when, a.index)
	return outcome{}
}

// empty reports whether no rank has come.
func (m *meeting) empty() bool { return m.sides[sending].size == 0 && m.sides[receiving].size == 0 }

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
func (m *meeting) answer(b []byte) {
	for i := range m.sides {
		m.sides[i].answer(b)
	}
}

// answer gives all ranks of a side that have come the same answer.
func (g *gathering) answer(b []byte) {
	for _, who := range g.present {
		switch {
		case who.done == nil:
		case len(b) > len(who.answer):
			who.done.Complete(0, errMalformed)
		default:
			who.done.Complete(uint64(copy(who.answer, b)), nil)
		}
	}
}

// forget ends all meetings. Their ranks find out by themselves.
func (h *meetings) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open = make(map[meetingKey]*meeting)
	h.over = make(map[string]map[int]bool)
	h.refused = make(map[string]*refusal)
}

// serveMeet lets a rank of a link come to a meeting.
func (s *System) serveMeet(r fabric.Request) (int, error) {
	a, err := decodeAttendance(r.Body)
	if err == nil && a.size > s.p.Ranks.Size() {
		err = errMalformed
	}
	if err != nil {
		return 0, err
	}
	h := &s.meetings
	h.mu.Lock()
	defer h.mu.Unlock()
	if a.question == aboutIntroduction {
		if o := h.begins(&a); o.code != 0 {
			why := acquaintance{outcome: o}
			return copy(r.Reply, why.encode()), nil
		}
	}
	key := meetingKey{a.question, a.name, a.id}
	m := h.open[key]
	if m == nil {
		m = new(meeting)
		h.open[key] = m
	}
	who := attendant{from: r.From, body: append([]byte(nil), a.body...), answer: r.Reply, done: r.Later.Defer()}
	h.events++
	who.came = h.events
	if problem := m.enter(&a, who); problem.code != 0 {
		delete(h.open, key)
		refused := acquaintance{outcome: problem}
		m.sides[a.side].present = append(m.sides[a.side].present, who)
		m.answer(refused.encode())
		return 0, nil
	}
	if !m.complete() {
		return 0, nil
	}
	delete(h.open, key)
	if a.question == aboutReadiness {
		m.answer(m.readiness())
		return 0, nil
	}
	h.number++
	m.answer(m.introduce(a.name, uint64(s.p.Ranks.Self())<<32|h.number))
	return 0, nil
}

// hash returns a number that stands for a name.
func hash(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}
