// Orders lets every rank issue chains of copies and atomics over all ranks, each
// with a random order that is just strong enough to make the outcome certain, and
// compares all memory with a sequential model.
//
//	acprun -np 4 -smemsize 64k orders -seed 1
//
// Each rank needs 4096 bytes of starter memory for every rank.
package main

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/tests/programs/rank"
)

func main() {
	seed := flag.Uint64("seed", 1, "seed of all random choices")
	rounds := flag.Int("rounds", 6, "how often memory is filled and compared")
	steps := flag.Int("steps", 150, "operations per round")
	flag.Parse()
	rank.Main(func(p *acp.Process) error {
		l, err := newLane(p, *seed)
		if err != nil {
			return err
		}
		for round := range *rounds {
			if err := l.round(*steps); err != nil {
				return fmt.Errorf("seed %d, round %d: %w", *seed, round, err)
			}
		}
		// Others still use the memory of this rank.
		return p.Sync()
	})
}

// lane is the memory that one rank uses for its random operations: a part of the
// starter memory of every rank that nobody else touches, so that a sequential model
// of this rank alone predicts its contents.
type lane struct {
	p    *acp.Process
	rnd  *rand.Rand
	base uint64
	ga   []acp.GA // of the lane, by rank
	want [][]byte // model, by rank
	// What was issued so far.
	ops []issued
}

const laneSize = 4096

// issued is what matters of an operation for those after it.
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

func newLane(p *acp.Process, seed uint64) (*lane, error) {
	l := &lane{p: p, rnd: rand.New(rand.NewPCG(seed, uint64(p.Rank()))), base: uint64(p.Rank()) * laneSize}
	for r := range p.Procs() {
		size, err := p.StarterSize(acp.Rank(r))
		if err != nil {
			return nil, err
		}
		if size < uint64(p.Procs())*laneSize {
			return nil, fmt.Errorf("rank %d has %d bytes of starter memory, expected %d for each rank", r, size, laneSize)
		}
		ga, err := p.StarterGA(acp.Rank(r))
		if err != nil {
			return nil, err
		}
		l.ga = append(l.ga, ga+acp.GA(l.base))
		l.want = append(l.want, make([]byte, laneSize))
	}
	return l, nil
}

// round fills the lane, issues operations and compares.
func (l *lane) round(steps int) error {
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
func (l *lane) fill() error {
	own := int(l.p.Rank())
	l.ops = l.ops[:0]
	local := l.p.Starter()[l.base : l.base+laneSize]
	for r, ga := range l.ga {
		for i := range laneSize / 2 {
			l.want[r][i] = byte(l.rnd.Uint32())
		}
		copy(local[laneSize/2:], l.want[r][:laneSize/2])
		h, err := l.p.Copy(ga, l.ga[own]+laneSize/2, laneSize/2, acp.HandleNull)
		if err != nil {
			return err
		}
		if err := l.p.Complete(h); err != nil {
			return err
		}
	}
	copy(l.want[own][laneSize/2:], local[laneSize/2:])
	return nil
}

// step issues one random operation.
func (l *lane) step() error {
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

func (l *lane) pick(atomicOp bool) issued {
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
		at := uint64(l.rnd.IntN(laneSize/2 - 200))
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
func (l *lane) order(op *issued, need int) acp.Handle {
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
func (l *lane) only(need, chain int) bool {
	all := len(l.ops)
	return need == all && chain <= all-1 && l.ops[all-1].covered >= chain
}

func (l *lane) issue(op issued, atomicOp bool, order acp.Handle) (acp.Handle, error) {
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
func (l *lane) check() error {
	own := int(l.p.Rank())
	local := l.p.Starter()[l.base : l.base+laneSize]
	if !bytes.Equal(local[:laneSize/2], l.want[own][:laneSize/2]) {
		return l.difference(own, local)
	}
	for r, ga := range l.ga {
		h, err := l.p.Copy(l.ga[own]+laneSize/2, ga, laneSize/2, acp.HandleNull)
		if err != nil {
			return err
		}
		if err := l.p.Complete(h); err != nil {
			return err
		}
		if !bytes.Equal(local[laneSize/2:], l.want[r][:laneSize/2]) {
			return l.difference(r, local[laneSize/2:])
		}
	}
	return nil
}

// difference describes the first byte at which the lane on a rank is not as the
// model has it.
func (l *lane) difference(on int, found []byte) error {
	for i, want := range l.want[on][:laneSize/2] {
		if found[i] != want {
			return fmt.Errorf("byte %d of the lane on rank %d is %#x, the model has %#x", i, on, found[i], want)
		}
	}
	return nil
}
