// Package lanes tests the order of GMAs: a rank issues chains of copies and atomics
// over all ranks, each with a random order that is just strong enough to make the
// outcome certain, and compares all memory with a sequential model.
package lanes

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/goacp/goacp/acp"
)

// Lane is the memory that one rank uses for its random operations: a part of the
// starter memory of every rank. No other rank touches that part, so a sequential model
// of this rank alone predicts its contents.
type Lane struct {
	p    *acp.Process
	rnd  *rand.Rand
	base uint64
	ga   []acp.GA // of the lane, by rank
	want [][]byte // model, by rank
	// What was issued so far.
	ops []issued
}

// Size is the number of bytes of a lane on each rank.
const Size = 4096

// issued has the properties of an operation on which the order of later ones depends.
type issued struct {
	handle   acp.Handle
	pair     [2]int // ranks of source and destination
	covered  int    // all operations before this index are complete when it starts
	chain    int    // it does not overtake those from this index on
	src, dst span
}

type span struct {
	rank   int
	lo, hi uint64
}

func (s span) meets(t span) bool { return s.rank == t.rank && s.lo < t.hi && t.lo < s.hi }

// conflicts reports whether the outcome depends on the order of a and b.
func conflicts(a, b issued, atomicA, atomicB bool) bool {
	writes := func(o issued, atomic bool) []span {
		if atomic {
			return []span{o.src, o.dst}
		}
		return []span{o.dst}
	}
	for _, w := range writes(a, atomicA) {
		if w.meets(b.src) || w.meets(b.dst) {
			return true
		}
	}
	for _, w := range writes(b, atomicB) {
		if w.meets(a.src) || w.meets(a.dst) {
			return true
		}
	}
	return false
}

// New returns the lane of rank p. All its random choices follow from seed and the rank.
// Every rank needs Size bytes of starter memory for each rank. Local.
func New(p *acp.Process, seed uint64) (*Lane, error) {
	l := &Lane{p: p, rnd: rand.New(rand.NewPCG(seed, uint64(p.Rank()))), base: uint64(p.Rank()) * Size}
	for r := range p.Procs() {
		size, err := p.StarterSize(acp.Rank(r))
		if err != nil {
			return nil, err
		}
		if size < uint64(p.Procs())*Size {
			return nil, fmt.Errorf("rank %d has %d bytes of starter memory, expected %d for each rank", r, size, Size)
		}
		ga, err := p.StarterGA(acp.Rank(r))
		if err != nil {
			return nil, err
		}
		l.ga = append(l.ga, ga+acp.GA(l.base))
		l.want = append(l.want, make([]byte, Size))
	}
	return l, nil
}

// Round fills the lane, issues operations and compares all of it with the model.
func (l *Lane) Round(steps int) error {
	if err := l.fill(); err != nil {
		return err
	}
	for range steps {
		if err := l.step(); err != nil {
			return err
		}
	}
	if err := l.p.Complete(acp.HandleAll); err != nil {
		return err
	}
	return l.check()
}

// fill sets the lane on all ranks to random bytes, from the last quarter of the own
// part, which the operations do not use.
func (l *Lane) fill() error {
	own := int(l.p.Rank())
	l.ops = l.ops[:0]
	local := l.p.Starter()[l.base : l.base+Size]
	for r, ga := range l.ga {
		for i := range Size / 2 {
			l.want[r][i] = byte(l.rnd.Uint32())
		}
		copy(local[Size/2:], l.want[r][:Size/2])
		h, err := l.p.Copy(ga, l.ga[own]+Size/2, Size/2, acp.HandleNull)
		if err != nil {
			return err
		}
		if err := l.p.Complete(h); err != nil {
			return err
		}
	}
	copy(l.want[own][Size/2:], local[Size/2:])
	return nil
}

// step issues one random operation.
func (l *Lane) step() error {
	atomicOp := l.rnd.IntN(3) == 0
	op := l.pick(atomicOp)
	need := 0 // operations before this index must be complete
	prev := len(l.ops) - 1
	for i := prev; i >= 0; i-- {
		// The model does not remember which ones were atomics: treat all as such.
		if conflicts(l.ops[i], op, true, atomicOp) {
			need = i + 1
			break
		}
	}
	order := l.order(&op, need)
	handle, err := l.issue(op, atomicOp, order)
	if err != nil {
		return err
	}
	op.handle = handle
	l.ops = append(l.ops, op)
	return nil
}

func (l *Lane) pick(atomicOp bool) issued {
	n := l.p.Procs()
	src, dst := l.rnd.IntN(n), l.rnd.IntN(n)
	if len(l.ops) > 0 && l.rnd.IntN(2) == 0 { // so that continuing is common
		src, dst = l.ops[len(l.ops)-1].pair[0], l.ops[len(l.ops)-1].pair[1]
	}
	size := uint64(l.rnd.IntN(200))
	if atomicOp {
		dst, size = int(l.p.Rank()), 8
	}
	place := func() uint64 {
		at := uint64(l.rnd.IntN(Size/2 - 200))
		if atomicOp {
			at &^= 7
		}
		return at
	}
	from, to := place(), place()
	for atomicOp && src == dst && from == to {
		to = place()
	}
	return issued{
		pair: [2]int{src, dst},
		src:  span{src, from, from + size},
		dst:  span{dst, to, to + size},
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
	switch l.rnd.IntN(4) {
	case 0: // the weakest
		if need == 0 {
			op.covered = 0
			return acp.HandleNull
		}
		op.covered = need
		return l.ops[need-1].handle
	case 1:
		if prev.pair != op.pair {
			return acp.HandleCont // means all
		}
		if need <= prev.covered || l.only(need, prev.chain) {
			op.covered, op.chain = prev.covered, min(prev.chain, all-1)
			return acp.HandleCont
		}
	case 2:
		at := need + l.rnd.IntN(all-need+1)
		if at > 0 {
			op.covered = at
			return l.ops[at-1].handle
		}
		op.covered = 0
		return acp.HandleNull
	}
	return acp.HandleAll
}

// only reports whether the newest operation that op depends on, need-1, is in the
// chain that op does not overtake, and everything before the chain is covered.
func (l *Lane) only(need, chain int) bool {
	all := len(l.ops)
	return need == all && chain <= all-1 && l.ops[all-1].covered >= chain
}

func (l *Lane) issue(op issued, atomicOp bool, order acp.Handle) (acp.Handle, error) {
	src, dst := l.ga[op.src.rank]+acp.GA(op.src.lo), l.ga[op.dst.rank]+acp.GA(op.dst.lo)
	from := l.want[op.src.rank][op.src.lo:op.src.hi]
	to := l.want[op.dst.rank][op.dst.lo:op.dst.hi]
	if !atomicOp {
		copy(to, bytes.Clone(from))
		return l.p.Copy(dst, src, op.src.hi-op.src.lo, order)
	}
	x, v := binary.NativeEndian.Uint64(from), l.rnd.Uint64()
	defer binary.NativeEndian.PutUint64(to, x)
	switch l.rnd.IntN(3) {
	case 0:
		binary.NativeEndian.PutUint64(from, x+v)
		return l.p.Add8(dst, src, v, order)
	case 1:
		binary.NativeEndian.PutUint64(from, v)
		return l.p.Cas8(dst, src, x, v, order)
	default:
		binary.NativeEndian.PutUint64(from, x^v)
		return l.p.Xor8(dst, src, v, order)
	}
}

// check compares the lane on all ranks with the model.
func (l *Lane) check() error {
	own := int(l.p.Rank())
	local := l.p.Starter()[l.base : l.base+Size]
	if !bytes.Equal(local[:Size/2], l.want[own][:Size/2]) {
		return l.difference(own, local)
	}
	for r, ga := range l.ga {
		h, err := l.p.Copy(l.ga[own]+Size/2, ga, Size/2, acp.HandleNull)
		if err != nil {
			return err
		}
		if err := l.p.Complete(h); err != nil {
			return err
		}
		if !bytes.Equal(local[Size/2:], l.want[r][:Size/2]) {
			return l.difference(r, local[Size/2:])
		}
	}
	return nil
}

// difference describes the first byte at which the lane on a rank differs from the
// model.
func (l *Lane) difference(on int, found []byte) error {
	for i, want := range l.want[on][:Size/2] {
		if found[i] != want {
			return fmt.Errorf("byte %d of the lane on rank %d is %#x, the model has %#x", i, on, found[i], want)
		}
	}
	return nil
}
