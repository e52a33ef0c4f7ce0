//go:build mpi

package rma

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
)

// late is a Deferred whose end a test awaits together with that of others.
type late struct {
	all  *lot
	old  uint64
	ends atomic.Int32
}

// lot is the Batch of operations of a test.
type lot struct {
	open atomic.Int32
	err  error
}

func (l *late) Deferred()           {}
func (l *late) Batch() fabric.Batch { return l.all }

func (l *late) Complete(old uint64, err error) {
	l.all.CompleteAll([]fabric.Outcome{{Done: l, Old: old, Err: err}})
}

func (b *lot) CompleteAll(outcomes []fabric.Outcome) {
	for _, o := range outcomes {
		l := o.Done.(*late)
		l.old = o.Old
		if l.ends.Add(1) != 1 {
			b.err = errors.New("an operation ends twice")
		}
		b.err = errors.Join(b.err, o.Err)
	}
	b.open.Add(int32(-len(outcomes)))
}

// add makes an operation of the lot.
func (b *lot) add() *late {
	b.open.Add(1)
	return &late{all: b}
}

// lateWords is how many words each member has in the memory of each member.
const lateWords = 4096

// farRound is what one round of the test of operations that a flush completes knows.
type farRound struct {
	m     *member
	rnd   *rand.Rand
	base  uint64     // of the memory of the round in each member
	model [][]uint64 // by member: the words of this member there
	lot   lot
	put   map[[2]int]bool // words that are put in this round, or counted
	check []func() error
}

// operate writes or reads one word of a member, or adds to it. No word is in two operations of a round,
// since these are carried out in any order.
func (r *farRound) operate(scratch *uint64) {
	member, word := r.rnd.IntN(r.m.size), r.rnd.IntN(lateWords)
	if r.put[[2]int{member, word}] {
		return
	}
	r.put[[2]int{member, word}] = true
	pos, before, value := r.base+uint64(8*(r.m.self*lateWords+word)), r.model[member][word], r.rnd.Uint64()
	l := r.lot.add()
	wrong := func(got uint64) error {
		if got != before {
			return fmt.Errorf("word %d of member %d: found %#x, expected %#x", word, member, got, before)
		}
		return nil
	}
	switch op := r.rnd.IntN(48); { // an atomic of Open MPI takes several round trips
	case op%2 == 0:
		*scratch, r.model[member][word] = value, value
		r.m.Put(member, pos, unsafe.Pointer(scratch), 8, l)
	case op > 5:
		r.check = append(r.check, func() error { return wrong(*scratch) })
		r.m.Get(member, pos, unsafe.Pointer(scratch), 8, l)
	default:
		a := fabric.Atomic{Op: [...]fabric.Op{fabric.OpAdd, fabric.OpSwap, fabric.OpCas}[op/2], Width: 8, Operand: value, Compare: before + uint64(r.rnd.IntN(2))}
		if r.rnd.IntN(2) == 0 { // the low half
			a.Width, a.Operand, a.Compare, before = 4, a.Operand&(1<<32-1), a.Compare&(1<<32-1), before&(1<<32-1)
		}
		a.Apply(unsafe.Pointer(&r.model[member][word]))
		r.check = append(r.check, func() error { return wrong(l.old) })
		r.m.Atomic(member, pos, a, l)
	}
}

// await ends the operations of the round, in one of the ways in which that happens.
func (r *farRound) await() error {
	switch r.rnd.IntN(3) {
	case 0:
		r.m.Flush()
	case 1:
		r.m.FlushSoon()
	default: // the monitor flushes
	}
	for r.lot.open.Load() != 0 {
		time.Sleep(100 * time.Microsecond)
	}
	err := r.lot.err
	for _, check := range r.check {
		err = errors.Join(err, check())
	}
	return err
}

// deferring issues many operations on all members, as if these were on other hosts, in memory of the
// library and in registered memory. All of them end, by one flush or several, and agree with a model.
func deferring(m *member) error {
	m.cfg.Shared = func(int) bool { return false }
	const bytes = 8 * lateWords * 4
	if _, err := m.register(1<<40, bytes); err != nil {
		return err
	}
	if err := m.announce(); err != nil {
		return err
	}
	own, err := pages(2 * maxDeferred * 8)
	if err != nil {
		return err
	}
	scratch := unsafe.Slice((*uint64)(unsafe.Pointer(&own[0])), 2*maxDeferred)
	for _, base := range []uint64{0, 1 << 40} {
		model := make([][]uint64, m.size)
		for i := range model {
			model[i] = make([]uint64, lateWords)
		}
		rnd := rand.New(rand.NewPCG(11, uint64(m.self)))
		for _, n := range []int{1, 2, 100, 3 * maxDeferred / 2, 1, 50, 300} {
			r := farRound{m: m, rnd: rnd, base: base, model: model, put: map[[2]int]bool{}}
			for i := range n {
				r.operate(&scratch[i])
			}
			if err := r.await(); err != nil {
				return err
			}
		}
	}
	return nil
}
