package meet

import (
	"github.com/goacp/goacp/internal/system/couple/side"
	"github.com/goacp/goacp/internal/system/couple/wire"
)

// departures are the ranks of a side that have left a meeting. They are kept until the link is opened: ranks whose
// contexts end at the same time leave one after the other, and the last rank does not report the first ranks as
// missing.
type departures struct {
	members []int          // of the side; nil if none has left
	when    map[int]uint64 // by index
}

// Departure is the reply to a rank that leaves a meeting.
type Departure struct {
	Left    bool  // the rank has left; otherwise the meeting was over
	Met     bool  // a rank of the other side had come
	Missing []int // members that had not come, of the sides that are known
}

// mostNamed bounds the members that an answer names.
const mostNamed = 4096

// Encode returns the departure as a message.
func (d *Departure) Encode() []byte {
	var w wire.Writer
	w.Flag(d.Left)
	w.Flag(d.Met)
	w.Bytes(EncodeMembers(d.Missing[:min(len(d.Missing), mostNamed)]))
	return w
}

// DecodeDeparture is the inverse of Departure.Encode, except for members beyond the first 4096. Fails with
// wire.ErrMalformed.
func DecodeDeparture(b []byte) (d Departure, err error) {
	r := wire.NewReader(b)
	d.Left, d.Met = r.Flag(), r.Flag()
	list := r.Bytes()
	if err := r.End(); err != nil {
		return d, err
	}
	d.Missing, err = DecodeMembers(list, MaxRanks)
	return d, err
}

// Leave lets a member leave a meeting. If it gives a reason, it is a sender that has ended its publication: present
// and later receivers get the reason. Its request of Arrive gets an empty reply.
func (h *Host) Leave(a *Arrival, from int) (Departure, []Answer) {
	h.events++
	key := a.key()
	var d Departure
	var answers []Answer
	if m := h.open[key]; m != nil {
		d, answers = m.leave(a, from, h.events, h.procs)
		if m.empty() && (a.Question != AboutIntroduction || len(a.Body) > 0) {
			delete(h.open, key)
		}
	}
	if a.Side == side.Sending && len(a.Body) > 0 {
		answers = append(answers, h.ends(a)...)
	}
	return d, answers
}

// leave removes a member at a time, if it is there. The run has a number of processes.
func (m *meeting) leave(a *Arrival, from int, now uint64, procs int) (d Departure, answers []Answer) {
	g := &m.sides[a.Side]
	if a.Size != g.size || g.present[a.Index].ticket == nil || g.present[a.Index].from != from {
		return d, nil
	}
	if a.Question == AboutIntroduction {
		d = m.missing(a, procs)
		m.gone[a.Side].note(a.Index, m.members(a.Side, procs), now)
	}
	d.Left = true
	answers = []Answer{{To: g.present[a.Index].ticket}}
	g.present[a.Index] = attendant{}
	if g.came--; g.came == 0 {
		*g = gathering{}
	}
	return d, answers
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
func (m *meeting) members(sd side.Side, procs int) []int {
	if known := m.gone[sd].members; known != nil && (m.sides[sd].came == 0 || len(known) == m.sides[sd].size) {
		return known
	}
	for i := range m.sides[sd].present {
		who := &m.sides[sd].present[i]
		if who.ticket == nil {
			continue
		}
		in, err := DecodeIntroduction(who.body)
		if err != nil {
			return nil
		}
		members, err := DecodeMembers(in.Members, procs)
		if err != nil {
			return nil
		}
		return members
	}
	return nil
}

// missing returns the members that did not come while a rank was in the meeting. A member that came and left in that
// time is not among them.
func (m *meeting) missing(a *Arrival, procs int) (d Departure) {
	since := m.sides[a.Side].present[a.Index].came
	for i := range m.sides {
		sd := side.Side(i)
		var absent []int
		members := m.members(sd, procs)
		for i, member := range members {
			if !m.came(sd, i, since) {
				absent = append(absent, member)
			}
		}
		if sd != a.Side && len(absent) == len(members) {
			continue // the registry has the members of that side
		}
		d.Met = d.Met || sd != a.Side
		d.Missing = append(d.Missing, absent...)
	}
	return d
}

// came reports whether the process with an index is there, or has left since a time.
func (m *meeting) came(sd side.Side, index int, since uint64) bool {
	return m.sides[sd].has(index) || m.gone[sd].when[index] > since
}
