package collarea

import (
	"errors"
	"math"
	"sync/atomic"

	"github.com/goacp/goacp/internal/ground/futex"
	"github.com/goacp/goacp/internal/structure/reduction"
)

// ErrUnequal: processes call different collective functions, or with different amounts of data.
var ErrUnequal = errors.New("processes disagree on the amount of data")

// unequal is what a process shows in place of the bytes that are left if others disagree. So all
// learn of it.
const unequal = math.MaxUint64

// Barrier returns when all processes have called it. What one of them has stored before is visible to
// the others after it. Fails with ErrUnequal, and if the run is over.
func (a *Area) Barrier() error { return a.operate(nil, 0, nil) }

// Combine combines the arrays x of all processes, and stores the result in x on all of them. Fails
// with ErrUnequal, and if the run is over.
func (a *Area) Combine(x []byte, f reduction.Function) error {
	for len(x) > 0 {
		n := min(len(x), SlotBytes)
		if err := a.operate(x[:n], uint64(len(x)), f); err != nil {
			return err
		}
		x = x[n:]
	}
	return nil
}

// operate carries out an operation on x, which is the beginning of what this process has left.
func (a *Area) operate(x []byte, left uint64, f reduction.Function) error {
	a.Count++
	for i := range a.steps[:a.Used] {
		s := &a.steps[i]
		if s.mine != nil {
			s.mine.of(a.Count).show(uint32(a.Count), left, x)
		}
		theirs := s.theirs.of(a.Count)
		if err := a.await(theirs, uint32(a.Count)); err != nil {
			return err
		}
		if theirs.Left != left {
			left, x = unequal, nil
		}
		s.combine(x, theirs.Data[:len(x)], f)
	}
	if left == unequal {
		return ErrUnequal
	}
	return nil
}

// show fills the slot with what a process has.
func (p *slot) show(number uint32, left uint64, x []byte) {
	p.Left = left
	copy(p.Data[:], x)
	// Sequentially consistent: either this side sees that the other is about to park, or the other
	// sees the number.
	atomic.StoreUint32(&p.Number, number)
	if atomic.LoadUint32(&p.Parked) != 0 {
		futex.Wake(&p.Number)
	}
}

// combine combines what a process has with what it gets.
func (s *step) combine(x, theirs []byte, f reduction.Function) {
	switch {
	case len(x) == 0:
	case s.First != 0:
		f(x, x, theirs)
	default:
		f(x, theirs, x)
	}
}
