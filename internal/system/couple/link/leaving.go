package link

import "github.com/goacp/goacp/internal/fabric"

// departures are the ranks of a side that have left a meeting. They are kept until the link is opened: ranks whose contexts end at the
// same time leave one after the other, and the first ones are not missing for the last one.
type departures struct {
	members []int          // of the side; nil if none has left
	when    map[int]uint64 // by index
}

// left is what a meeting was when a rank left it.
type left struct {
	was     bool  // the rank was there; otherwise the meeting is over
	met     bool  // a rank of the other side has come
	missing []int // members that have not come, of the sides that are known
}

// mostNamed bounds the members that an answer names.
const mostNamed = 4096

func (l *left) encode() []byte {
	var w writer
	w.flag(l.was)
	w.flag(l.met)
	w.bytes(encodeMembers(l.missing[:min(len(l.missing), mostNamed)]))
	return w
}

func decodeLeft(b []byte) (l left, err error) {
	r := reader{rest: b}
	l.was, l.met = r.flag(), r.flag()
	list := r.bytes()
	if err := r.end(); err != nil {
		return l, err
	}
	l.missing, err = decodeMembers(list, maxRanks)
	return l, err
}

// serveLeave lets a rank leave a meeting, for good if it says why.
func (s *System) serveLeave(r fabric.Request) (int, error) {
	a, err := decodeAttendance(r.Body)
	if err != nil {
		return 0, err
	}
	a.from = r.From
	h := &s.meetings
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events++
	key := meetingKey{a.question, a.name, a.id}
	var l left
	if m := h.open[key]; m != nil {
		l = m.leave(&a, h.events, s.p.Ranks.Size())
		if m.empty() && (a.question != aboutIntroduction || len(a.body) > 0) {
			delete(h.open, key)
		}
	}
	if a.side == sending && len(a.body) > 0 {
		h.ends(&a)
	}
	answer := l.encode()
	if len(answer) > len(r.Reply) {
		return 0, errMalformed
	}
	return copy(r.Reply, answer), nil
}

// leave removes a rank at a time, if it is there. The run has a number of processes.
func (m *meeting) leave(a *attendance, now uint64, procs int) (l left) {
	g := &m.sides[a.side]
	if a.size != g.size || g.present[a.index].done == nil || g.present[a.index].from != a.from {
		return l
	}
	if a.question == aboutIntroduction {
		l = m.missing(a, procs)
		m.gone[a.side].note(a.index, m.members(a.side, procs), now)
	}
	l.was = true
	g.present[a.index].done.Complete(0, nil)
	g.present[a.index] = attendant{}
	if g.came--; g.came == 0 {
		*g = gathering{}
	}
	return l
}

// note notes that the process with an index has left.
func (d *departures) note(index int, members []int, now uint64) {
	d.members = members
	if d.when == nil {
		d.when = make(map[int]uint64)
	}
	d.when[index] = now
}

// members returns the members of a side, or nil if no rank of it has ever come.
func (m *meeting) members(sd side, procs int) []int {
	if known := m.gone[sd].members; known != nil && (m.sides[sd].came == 0 || len(known) == m.sides[sd].size) {
		return known
	}
	for i := range m.sides[sd].present {
		who := &m.sides[sd].present[i]
		if who.done == nil {
			continue
		}
		in, err := decodeIntroduction(who.body)
		if err != nil {
			return nil
		}
		members, err := decodeMembers(in.members, procs)
		if err != nil {
			return nil
		}
		return members
	}
	return nil
}

// missing returns the members that did not come while a rank was in the meeting. A member that came and left meanwhile is not among
// them.
func (m *meeting) missing(a *attendance, procs int) (l left) {
	since := m.sides[a.side].present[a.index].came
	for sd := range m.sides {
		var absent []int
		members := m.members(side(sd), procs)
		for i, member := range members {
			if !m.came(side(sd), i, since) {
				absent = append(absent, member)
			}
		}
		if side(sd) != a.side && len(absent) == len(members) {
			continue // the host of the models has the members of that side
		}
		l.met = l.met || side(sd) != a.side
		l.missing = append(l.missing, absent...)
	}
	return l
}

// came reports whether the process with an index is there, or has left since a time.
func (m *meeting) came(sd side, index int, since uint64) bool {
	present := m.sides[sd].present
	return index < len(present) && present[index].done != nil || m.gone[sd].when[index] > since
}
