package link

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/couple/directory"
	"github.com/goacp/goacp/internal/system/couple/points"
)

// offices are the directories that this process is.
type offices struct {
	mu   sync.Mutex
	byID map[uint64]*office
}

// office is the directory of one range of points of one link.
type office struct {
	whole atomic.Int32 // ranks that have told all their points

	// The lock of offices guards what follows.
	told    [2]map[int]*telling // by index of a rank
	members [2][]int            // nil until the points are compared
	answers [2][][]byte         // by index of a rank: what it fetches; nil as members
	waiting []fetching
	left    int // ranks that have not fetched their answers
}

// telling is what a rank has told of its points.
type telling struct {
	from   int // the member that tells it
	list   []byte
	masked []byte // the list of points that it holds and has masked
	whole  bool
}

// add adds a part. It returns false for what no correct rank tells.
func (t *telling) add(from int, h *holding) bool {
	if t.whole || t.from != from {
		return false
	}
	list := &t.list
	if h.masked {
		list = &t.masked
	}
	*list, t.whole = append(*list, h.part...), h.last
	return true
}

// maxOffices bounds the directories that a process is at a time. Each is of a link that is being opened.
const maxOffices = 1 << 16

// office returns the directory of a link, which it makes if this process does not have it: messages may come
// before this process knows of the link. It returns nil if there are too many. The caller holds the lock.
func (o *offices) office(id uint64) *office {
	if o.byID[id] == nil {
		if len(o.byID) >= maxOffices {
			return nil
		}
		o.byID[id] = &office{told: [2]map[int]*telling{make(map[int]*telling), make(map[int]*telling)}}
	}
	return o.byID[id]
}

// forget ends all directories.
func (o *offices) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.byID = make(map[uint64]*office)
}

// holding is a part of the points that a rank holds.
type holding struct {
	id     uint64
	side   side
	index  int
	masked bool // the part is of the points that the rank has masked
	last   bool // no more parts follow
	part   []byte
}

// pieceBytes is how many bytes of a list, or of an answer, one message has.
const pieceBytes = fabric.CallMax - 64

func (h *holding) encode() []byte {
	var w writer
	w.number(h.id)
	w.number(uint64(h.side))
	w.number(uint64(h.index))
	w.flag(h.masked)
	w.flag(h.last)
	w.bytes(h.part)
	return w
}

func decodeHolding(b []byte) (h holding, err error) {
	r := reader{rest: b}
	h.id, h.side, h.index = r.number(), side(r.count(int(receiving))), r.count(maxRanks)
	h.masked, h.last, h.part = r.flag(), r.flag(), r.bytes()
	return h, r.end()
}

// serveHold takes points that a rank holds.
func (s *System) serveHold(r fabric.Request) (int, error) {
	h, err := decodeHolding(r.Body)
	if err == nil && h.index >= s.p.Ranks.Size() {
		err = errMalformed
	}
	if err != nil {
		return 0, err
	}
	o := s.offices.hold(r.From, &h)
	if o == nil {
		return 0, errMalformed
	}
	if h.last {
		o.whole.Add(1)
		s.p.Cond.Lock()
		s.p.Cond.Broadcast()
		s.p.Cond.Unlock()
	}
	return 0, nil
}

// hold notes points that a member holds. It returns the directory, or nil if no correct rank tells that.
func (o *offices) hold(from int, h *holding) *office {
	o.mu.Lock()
	defer o.mu.Unlock()
	of := o.office(h.id)
	if of == nil || of.told[h.side] == nil {
		return nil
	}
	t := of.told[h.side][h.index]
	if t == nil {
		t = &telling{from: from}
		of.told[h.side][h.index] = t
	}
	if !t.add(from, h) {
		return nil
	}
	return of
}

// compare compares what all ranks of a link have told about the range of this directory, and answers those
// that have asked.
func (s *System) compare(known *acquaintance, o *office, rng directory.Range, members [2][]int) error {
	var lists [2][]points.List
	var masked []points.List
	s.offices.mu.Lock()
	told := o.told
	o.told = [2]map[int]*telling{}
	s.offices.mu.Unlock()
	sizes := [2]int{len(members[sending]), len(members[receiving])}
	for sd, size := range sizes {
		lists[sd] = make([]points.List, size)
		for i, t := range told[sd] {
			if i >= size || t.from != members[sd][i] {
				return fmt.Errorf("%w: rank %d tells the points of process %d of the %v side", errMalformed, s.p.Ranks.Rank(t.from), i, side(sd))
			}
			l, err := points.Decode(t.list, rng.Lo, rng.Hi, true)
			hidden, err1 := points.Decode(t.masked, rng.Lo, rng.Hi, true)
			if err := errors.Join(err, err1); err != nil {
				return fmt.Errorf("%w: points of process %d of the %v side: %w", errMalformed, i, side(sd), err)
			}
			lists[sd][i] = l
			if hidden.Len() > 0 {
				masked = append(masked, hidden)
			}
		}
	}
	var match directory.Match
	if known.sums {
		match = rng.MatchParts(lists[sending], lists[receiving])
	} else {
		match = rng.Match(lists[sending], masked, lists[receiving])
	}
	answers := results(match, sizes)
	s.offices.mu.Lock()
	defer s.offices.mu.Unlock()
	o.members, o.answers, o.left = members, answers, sizes[sending]+sizes[receiving]
	for _, f := range o.waiting {
		n, err := o.fetch(&f)
		f.done.Complete(uint64(n), err)
	}
	o.waiting = nil
	s.offices.closeIfDone(known.id, o)
	return nil
}

// results returns what a directory tells each rank.
func results(m directory.Match, sizes [2]int) (answers [2][][]byte) {
	var partners [2][]partnerList
	for sd := range sizes {
		partners[sd] = make([]partnerList, sizes[sd])
	}
	for pair, l := range m.Pairs {
		partners[sending][pair.Sender] = append(partners[sending][pair.Sender], partnerPoints{pair.Receiver, l.Bytes()})
		partners[receiving][pair.Receiver] = append(partners[receiving][pair.Receiver], partnerPoints{pair.Sender, l.Bytes()})
	}
	for sd := range sizes {
		answers[sd] = make([][]byte, sizes[sd])
		for i, list := range partners[sd] {
			f := finding{missing: m.Missing, twice: m.Twice, senders: m.Senders, partners: list}
			answers[sd][i] = f.encode()
		}
	}
	return answers
}

// finding is what a directory tells one rank.
type finding struct {
	missing, twice int64
	senders        [2]int // that have the point twice
	partners       partnerList
}

// partnerPoints is the points in common with a rank of the other side.
type partnerPoints struct {
	index  int
	points []byte // as a list
}

type partnerList []partnerPoints

func (f *finding) encode() []byte {
	size := 64
	for _, p := range f.partners {
		size += len(p.points) + 16
	}
	w := make(writer, 0, size)
	w.signed(f.missing)
	w.signed(f.twice)
	w.number(uint64(f.senders[0]))
	w.number(uint64(f.senders[1]))
	w.number(uint64(len(f.partners)))
	for _, p := range f.partners {
		w.number(uint64(p.index))
		w.bytes(p.points)
	}
	return w
}

func decodeFinding(b []byte) (f finding, err error) {
	r := reader{rest: b}
	f.missing, f.twice = r.signed(), r.signed()
	f.senders = [2]int{r.count(maxRanks), r.count(maxRanks)}
	for range r.count(len(r.rest)) {
		f.partners = append(f.partners, partnerPoints{r.count(maxRanks), r.bytes()})
	}
	return f, r.end()
}

// fetching is a request for a part of an answer of a directory.
type fetching struct {
	id     uint64
	side   side
	index  int
	offset int
	from   int // the member that fetches
	answer []byte
	done   fabric.Completion
}

func (f *fetching) encode() []byte {
	var w writer
	w.number(f.id)
	w.number(uint64(f.side))
	w.number(uint64(f.index))
	w.number(uint64(f.offset))
	return w
}

// serveFetch answers with the part of a finding that begins at an offset, behind the number of bytes
// that follow it in later answers.
func (s *System) serveFetch(r fabric.Request) (int, error) {
	in := reader{rest: r.Body}
	f := fetching{
		id: in.number(), side: side(in.count(int(receiving))), index: in.count(maxRanks), offset: in.count(maxOffset), from: r.From, answer: r.Reply,
	}
	if err := in.end(); err != nil {
		return 0, err
	}
	s.offices.mu.Lock()
	defer s.offices.mu.Unlock()
	o := s.offices.office(f.id)
	if o == nil {
		return 0, errMalformed
	}
	if o.answers[f.side] == nil {
		if len(o.waiting) >= 2*s.p.Ranks.Size() {
			return 0, errMalformed
		}
		f.done = r.Later.Defer()
		o.waiting = append(o.waiting, f)
		return 0, nil
	}
	n, err := o.fetch(&f)
	s.offices.closeIfDone(f.id, o)
	return n, err
}

// closeIfDone ends a directory from which all ranks have fetched their answers. The caller holds the lock.
func (o *offices) closeIfDone(id uint64, of *office) {
	if of.left == 0 {
		delete(o.byID, id)
	}
}

// maxOffset bounds the bytes of an answer of a directory.
const maxOffset = 1 << 40

// fetch answers a request. The caller holds the lock.
func (o *office) fetch(f *fetching) (int, error) {
	all := o.answers[f.side]
	if f.index >= len(all) || o.members[f.side][f.index] != f.from || all[f.index] == nil || f.offset > len(all[f.index]) {
		return 0, errMalformed
	}
	part := all[f.index][f.offset:]
	n := min(len(part), pieceBytes)
	var w writer
	w.number(uint64(len(part) - n))
	w.bytes(part[:n])
	if len(w) > len(f.answer) {
		return 0, errMalformed
	}
	if n == len(part) {
		all[f.index] = nil
		o.left--
	}
	return copy(f.answer, w), nil
}
