package directory

import (
	"slices"

	"github.com/goacp/goacp/internal/system/couple/points"
)

// None means no point.
const None = -1

// Match is the result of a directory.
type Match struct {
	// Pairs has the points that go from a sender to a receiver, for all pairs with any.
	Pairs map[Pair]points.List

	// Missing is the first point that a receiver needs and no sender has, or None.
	Missing int64
	// Twice is the first point that two senders have, or None. Senders are the two.
	Twice   int64
	Senders [2]int
}

// Pair is a sender and a receiver, each by its number on its side.
type Pair struct{ Sender, Receiver int }

// pagePoints is the number of points that are compared at a time: the marks for so many points fit in a cache.
const pagePoints = 1 << 16

// matcher compares the points of a range, page by page.
type matcher struct {
	Match
	senders, masked, receivers []points.Iterator

	marks    []int32 // by point of the page: 1 + the sender that has it, hidden, or 0
	rows     []row   // by receiver
	builders map[Pair]*points.Builder
}

// hidden is the mark of a point that senders have only masked.
const hidden = -1

// row has the builders of one receiver by sender, or nil.
type row []*points.Builder

// Match compares the points of all senders and receivers in the range, whose lists ascend. masked are lists of
// further points that senders have and do not send. Such a point is not missing, and any number of senders may have
// it.
func (r Range) Match(senders, masked, receivers []points.List) Match {
	m := matcher{
		Match:    Match{Missing: None, Twice: None},
		marks:    make([]int32, min(pagePoints, max(r.Hi-r.Lo, 0))),
		rows:     make([]row, len(receivers)),
		builders: make(map[Pair]*points.Builder),
	}
	for _, x := range []struct {
		from []points.List
		to   *[]points.Iterator
	}{{senders, &m.senders}, {masked, &m.masked}, {receivers, &m.receivers}} {
		for i := range x.from {
			*x.to = append(*x.to, x.from[i].All())
		}
	}
	for {
		first, ok := m.first()
		if !ok {
			break
		}
		lo := first - (first-r.Lo)%pagePoints
		m.page(lo, min(lo+pagePoints, r.Hi))
	}
	m.Pairs = make(map[Pair]points.List, len(m.builders))
	for pair, b := range m.builders {
		m.Pairs[pair] = b.List()
	}
	return m.Match
}

// MatchParts is Match for senders that each have a part of the value of a point. So a point goes from all senders
// that have it to all receivers that need it, and it is not an error if no sender has it.
func (r Range) MatchParts(senders, receivers []points.List) Match {
	all := Match{Pairs: make(map[Pair]points.List), Missing: None, Twice: None}
	for i := range senders {
		if senders[i].Len() == 0 {
			continue
		}
		for pair, l := range r.Match(senders[i:i+1], nil, receivers).Pairs {
			all.Pairs[Pair{i, pair.Receiver}] = l
		}
	}
	return all
}

// first returns the least point that has not been looked at.
func (m *matcher) first() (least int64, ok bool) {
	for _, its := range [][]points.Iterator{m.senders, m.masked, m.receivers} {
		for i := range its {
			if run, more := its[i].Peek(); more && (!ok || run.Start < least) {
				least, ok = run.Start, true
			}
		}
	}
	return least, ok
}

// page compares the points from lo to less than hi.
func (m *matcher) page(lo, hi int64) {
	marked := slices.Concat(m.masked, m.senders)
	below(m.masked, hi, func(_ int, run points.Run) { m.hide(lo, run) })
	below(m.senders, hi, func(s int, run points.Run) { m.mark(s, lo, run) })
	below(m.receivers, hi, func(r int, run points.Run) { m.find(r, lo, run) })
	below(marked, hi, func(_ int, run points.Run) { m.clear(lo, run) })
}

// below calls f with the runs of all lists up to less than a point.
func below(lists []points.Iterator, hi int64, f func(list int, run points.Run)) {
	for i := range lists {
		for {
			run, ok := lists[i].Below(hi)
			if !ok {
				break
			}
			f(i, run)
		}
	}
}

// hide notes that a sender has masked the points of a run.
func (m *matcher) hide(lo int64, run points.Run) {
	at := run.Start - lo
	for range run.Count {
		m.marks[at] = hidden
		at += run.Stride
	}
}

// mark notes that a sender has the points of a run.
func (m *matcher) mark(sender int, lo int64, run points.Run) {
	at, mark := run.Start-lo, int32(sender+1)
	for range run.Count {
		if other := m.marks[at]; other > 0 {
			if x := at + lo; m.Twice == None || x < m.Twice {
				m.Twice, m.Senders = x, [2]int{int(other - 1), sender}
			}
		}
		m.marks[at] = mark
		at += run.Stride
	}
}

// clear forgets which ranks have the points of a run.
func (m *matcher) clear(lo int64, run points.Run) {
	if run.Stride == 1 {
		clear(m.marks[run.Start-lo:][:run.Count])
		return
	}
	at := run.Start - lo
	for range run.Count {
		m.marks[at] = 0
		at += run.Stride
	}
}

// find adds the points of a run, which a receiver needs, to their pairs.
func (m *matcher) find(receiver int, lo int64, run points.Run) {
	at := run.Start - lo
	for i := int64(0); i < run.Count; {
		mark, begin := m.marks[at], i
		for i < run.Count && m.marks[at] == mark {
			i, at = i+1, at+run.Stride
		}
		start := run.Start + begin*run.Stride
		if mark > 0 {
			m.builder(int(mark-1), receiver).AddRun(points.Run{Start: start, Stride: run.Stride, Count: i - begin})
		} else if mark != hidden && (m.Missing == None || start < m.Missing) {
			m.Missing = start
		}
	}
}

// builder returns the builder that collects the points of a pair.
func (m *matcher) builder(sender, receiver int) *points.Builder {
	if m.rows[receiver] == nil {
		m.rows[receiver] = make(row, len(m.senders))
	}
	b := &m.rows[receiver][sender]
	if *b == nil {
		*b = new(points.Builder)
		m.builders[Pair{sender, receiver}] = *b
	}
	return *b
}
