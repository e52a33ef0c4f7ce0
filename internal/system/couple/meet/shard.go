package meet

import (
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/system/couple/directory"
	"github.com/goacp/goacp/internal/system/couple/points"
	"github.com/goacp/goacp/internal/system/couple/side"
	"github.com/goacp/goacp/internal/system/couple/wire"
)

// Shards are the directory shards that a process keeps: one for each link that is being opened.
type Shards struct {
	procs int // of the run
	byID  map[uint64]*Shard
}

// Shard is the directory of one range of points of one link.
type Shard struct {
	id       uint64
	whole    int                 // ranks that have sent all their points
	reported [2]map[int]*holding // by index of a rank
	members  [2][]int            // nil until the points are matched
	answers  [2][][]byte         // by index of a rank: its findings; nil as members
	waiting  []waiting           // for the answers
	left     int                 // ranks that have not fetched their answers
	broken   Outcome             // why there are no answers
}

// holding is the points that a rank has sent.
type holding struct {
	from   int // the member that sends it
	list   []byte
	masked []byte // the list of points that it holds and has masked
	why    string // why it cannot send them, or ""
	whole  bool
}

// waiting is a Fetch before the points are matched.
type waiting struct {
	fetch  Fetch
	from   int
	ticket Ticket
}

// ErrMany: a process has the shards of too many links.
var ErrMany = fmt.Errorf("more than %d links are being opened", MaxShards)

// MaxShards bounds the shards that a process keeps at a time. Each is of a link that is being opened.
const MaxShards = 1 << 16

// NewShards returns no shards, for a process of a run with a number of processes.
func NewShards(procs int) *Shards {
	s := &Shards{procs: procs}
	s.Forget()
	return s
}

// Forget ends all shards. Ranks that wait for answers get none.
func (s *Shards) Forget() { s.byID = make(map[uint64]*Shard) }

// Of returns the shard of a link, which it makes if the process does not have it: messages may arrive before the
// process opens the link. It returns nil if there are too many.
func (s *Shards) Of(id uint64) *Shard {
	if s.byID[id] == nil {
		if len(s.byID) >= MaxShards {
			return nil
		}
		s.byID[id] = &Shard{id: id, reported: [2]map[int]*holding{make(map[int]*holding), make(map[int]*holding)}}
	}
	return s.byID[id]
}

// Whole returns the number of ranks that have sent all their points.
func (s *Shard) Whole() int { return s.whole }

// Hold stores points that a member holds; a broken shard does not need them. It fails with wire.ErrMalformed for points that no
// correct rank sends, and with ErrMany.
func (s *Shards) Hold(p *Piece, from int) error {
	of := s.Of(p.ID)
	switch {
	case of == nil:
		return ErrMany
	case of.broken.code != 0:
		return nil
	}
	if of.reported[p.Side] == nil || p.Index >= s.procs {
		return wire.ErrMalformed
	}
	t := of.reported[p.Side][p.Index]
	if t == nil {
		t = &holding{from: from}
		of.reported[p.Side][p.Index] = t
	}
	if t.whole || t.from != from {
		return wire.ErrMalformed
	}
	list := &t.list
	if p.Masked {
		list = &t.masked
	}
	*list, t.why, t.whole = append(*list, p.Part...), p.Why, p.Last
	if p.Last {
		of.whole++
	}
	return nil
}

// Told is the points that all ranks of a link have sent to a shard.
type Told [2]map[int]*holding

// Take takes the points of all ranks, so that Match needs no lock. The shard accepts no points after that.
func (s *Shard) Take() Told {
	reported := s.reported
	s.reported = [2]map[int]*holding{}
	return reported
}

// Match finds the points that the ranks have in common in the range of the shard. sums means that several senders may
// have the same point, and rank returns the rank of a member. Fails with wire.ErrMalformed, and with ErrPartner if a rank could not
// send its points. Needs no lock.
func (t Told) Match(rng directory.Range, members [2][]int, sums bool, rank func(member int) int) (directory.Match, error) {
	var lists [2][]points.List
	var masked []points.List
	for i, all := range members {
		lists[i] = make([]points.List, len(all))
		for index, h := range t[i] {
			if index >= len(all) || h.from != all[index] {
				return directory.Match{}, fmt.Errorf("%w: rank %d sent the points of process %d of the %v side", wire.ErrMalformed, rank(h.from), index, side.Side(i))
			}
			if h.why != "" {
				return directory.Match{}, fmt.Errorf("%w: rank %d: %s", ErrPartner, rank(h.from), h.why)
			}
			l, err := points.Decode(h.list, rng.Lo, rng.Hi, true)
			hidden, err1 := points.Decode(h.masked, rng.Lo, rng.Hi, true)
			if err := errors.Join(err, err1); err != nil {
				return directory.Match{}, fmt.Errorf("%w: points of process %d of the %v side: %w", wire.ErrMalformed, index, side.Side(i), err)
			}
			lists[i][index] = l
			if hidden.Len() > 0 {
				masked = append(masked, hidden)
			}
		}
	}
	if sums {
		return rng.MatchParts(lists[side.Sending], lists[side.Receiving]), nil
	}
	return rng.Match(lists[side.Sending], masked, lists[side.Receiving]), nil
}

// Findings returns the findings of a shard for each rank, by side and index. Needs no lock.
func Findings(m directory.Match, members [2][]int) (answers [2][][]byte) {
	var partners [2][]Partners
	for sd := range members {
		partners[sd] = make([]Partners, len(members[sd]))
	}
	const from, to = side.Sending, side.Receiving
	for pair, l := range m.Pairs {
		partners[from][pair.Sender] = append(partners[from][pair.Sender], PartnerPoints{pair.Receiver, l.Bytes()})
		partners[to][pair.Receiver] = append(partners[to][pair.Receiver], PartnerPoints{pair.Sender, l.Bytes()})
	}
	for sd := range members {
		answers[sd] = make([][]byte, len(members[sd]))
		for i, list := range partners[sd] {
			f := Finding{Missing: m.Missing, Twice: m.Twice, Senders: m.Senders, Partners: list}
			answers[sd][i] = f.Encode()
		}
	}
	return answers
}

// Publish lets the members of both sides fetch findings from a shard, and replies to waiting requests.
func (s *Shards) Publish(of *Shard, members [2][]int, findings [2][][]byte) (answers []Answer) {
	of.members, of.answers, of.left = members, findings, len(findings[0])+len(findings[1])
	for _, w := range of.waiting {
		answers = append(answers, of.fetch(&w))
	}
	of.waiting = nil
	s.endIfDone(of)
	return answers
}

// Fetch answers a member with the part of its finding that begins at an offset: a Part. It is answered when the points are
// matched.
func (s *Shards) Fetch(f *Fetch, from int, t Ticket) []Answer {
	of := s.Of(f.ID)
	w := waiting{*f, from, t}
	switch {
	case of == nil:
		return []Answer{{To: t, Err: ErrMany}}
	case of.broken.code != 0:
		return []Answer{of.refuse(t)}
	case of.answers[f.Side] == nil && len(of.waiting) >= 2*s.procs:
		return []Answer{{To: t, Err: wire.ErrMalformed}}
	case of.answers[f.Side] == nil:
		of.waiting = append(of.waiting, w)
		return nil
	}
	a := of.fetch(&w)
	s.endIfDone(of)
	return []Answer{a}
}

// endIfDone ends a shard from which all ranks have fetched their findings.
func (s *Shards) endIfDone(of *Shard) {
	if of.left == 0 {
		delete(s.byID, of.id)
	}
}

// fetch answers a request.
func (s *Shard) fetch(w *waiting) Answer {
	f := &w.fetch
	all := s.answers[f.Side]
	if f.Index >= len(all) || s.members[f.Side][f.Index] != w.from || all[f.Index] == nil || f.Offset > len(all[f.Index]) {
		return Answer{To: w.ticket, Err: wire.ErrMalformed}
	}
	rest := all[f.Index][f.Offset:]
	n := min(len(rest), PieceBytes)
	if n == len(rest) {
		all[f.Index] = nil
		s.left--
	}
	p := Part{Left: len(rest) - n, Bytes: rest[:n]}
	return Answer{To: w.ticket, Body: p.Encode()}
}
