package ordertest

import "github.com/goacp/goacp/acp"

// issued has the properties of an operation on which the order of later ones depends.
type issued struct {
	handle   acp.Handle
	pair     [2]int // ranks of source and destination
	covered  int    // all operations before this index are complete when it starts
	chain    int    // it does not overtake those from this index on
	src, dst span
	atomic   bool
}

// span is some bytes of the lane on a rank.
type span struct {
	rank   int
	lo, hi uint64
}

// marks are, for each byte of the lane on one rank, 1 + the index of the newest operation that has
// written it, and of the newest that has used it. 0: none has.
type marks struct{ written, used []int32 }

func newMarks(n uint64) marks { return marks{make([]int32, n), make([]int32, n)} }

func (m marks) forget() {
	clear(m.written)
	clear(m.used)
}

// need returns how many operations, from the first one on, have to be complete before op starts, so
// that the outcome is that of the model: up to the newest one that writes what op uses, or uses
// what op writes.
func (l *Lane) need(op issued) int {
	before := l.newest(op.dst, true)
	return max(before, l.newest(op.src, op.atomic))
}

func (l *Lane) newest(s span, writes bool) int {
	of := l.marks[s.rank].written
	if writes {
		of = l.marks[s.rank].used
	}
	n := int32(0)
	for _, m := range of[s.lo:s.hi] {
		n = max(n, m)
	}
	return int(n)
}

// mark notes what op, which is the newest operation, uses and writes.
func (l *Lane) mark(op issued) {
	l.markSpan(op.src, op.atomic)
	l.markSpan(op.dst, true)
}

func (l *Lane) markSpan(s span, writes bool) {
	m, n := l.marks[s.rank], int32(len(l.ops))
	for i := s.lo; i < s.hi; i++ {
		m.used[i] = n
		if writes {
			m.written[i] = n
		}
	}
}

// order picks one of the orders that make op start after the first need operations.
func (l *Lane) order(op *issued, need int) acp.Handle {
	all := len(l.ops)
	op.covered, op.chain = all, all
	if all == 0 {
		return acp.HandleNull
	}
	prev := l.ops[all-1]
	continues := prev.pair == op.pair && (need <= prev.covered || prev.chain <= prev.covered)
	if l.rnd.IntN(l.strong) != 0 {
		if need == 0 || !continues || l.rnd.IntN(2) == 0 {
			return l.after(op, need)
		}
		return l.cont(op, prev)
	}
	switch at := need + l.rnd.IntN(all-need+1); {
	case l.rnd.IntN(2) == 0:
		return l.after(op, at)
	case continues:
		return l.cont(op, prev)
	case prev.pair != op.pair:
		return acp.HandleCont // means all
	}
	return acp.HandleAll
}

// after returns the order of op that makes it start after the first need operations.
func (l *Lane) after(op *issued, need int) acp.Handle {
	op.covered = need
	if need == 0 {
		return acp.HandleNull
	}
	return l.ops[need-1].handle
}

// cont returns the order of op that makes it start as early as prev, the one before it, and not
// overtake that.
func (l *Lane) cont(op *issued, prev issued) acp.Handle {
	op.covered, op.chain = prev.covered, min(prev.chain, len(l.ops)-1)
	return acp.HandleCont
}
