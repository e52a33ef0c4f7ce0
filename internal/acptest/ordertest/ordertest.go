// Package ordertest tests the order of GMAs: a rank issues chains of copies and atomics
// over all ranks, each with a random order that is just strong enough to make the
// outcome certain, and compares all memory with a sequential model.
package ordertest

import (
	"bytes"
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
	base uint64   // of the lane in starter memory
	half uint64   // bytes that operations use; the others are for comparing
	ga   []acp.GA // of the lane, by rank
	want [][]byte // model, by rank
	temper
	// What was issued in this round.
	ops   []issued
	marks []marks // by rank
}

// Size is the least number of bytes of a lane on each rank.
const Size = 4096

// New returns the lane of rank p. All its random choices follow from seed and the rank.
// Every rank needs Size bytes of starter memory for each rank. If all have more, lanes are
// longer. Local.
func New(p *acp.Process, seed uint64) (*Lane, error) {
	size := uint64(1 << 20)
	for r := range p.Procs() {
		starter, err := p.StarterSize(acp.Rank(r))
		if err != nil {
			return nil, err
		}
		if starter < uint64(p.Procs())*Size {
			return nil, fmt.Errorf("rank %d has %d bytes of starter memory, expected %d for each rank", r, starter, Size)
		}
		size = min(size, starter/uint64(p.Procs())/Size*Size)
	}
	l := &Lane{p: p, rnd: rand.New(rand.NewPCG(seed, uint64(p.Rank()))), base: uint64(p.Rank()) * size, half: size / 2}
	for r := range p.Procs() {
		ga, err := p.StarterGA(acp.Rank(r))
		if err != nil {
			return nil, err
		}
		l.ga = append(l.ga, ga+acp.GA(l.base))
		l.want = append(l.want, make([]byte, l.half))
		l.marks = append(l.marks, newMarks(l.half))
	}
	return l, nil
}

// local returns the lane on this rank.
func (l *Lane) local() []byte { return l.p.Starter()[l.base : l.base+2*l.half] }

// Round fills the lane, issues operations and compares all of it with the model.
func (l *Lane) Round(steps int) error {
	if err := l.fill(); err != nil {
		return err
	}
	l.temper = drawTemper(l.rnd)
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

// fill sets the lane on all ranks to random bytes, from the second half of the own
// part, which the operations do not use.
func (l *Lane) fill() error {
	own := int(l.p.Rank())
	l.ops = l.ops[:0]
	spare := l.local()[l.half:]
	for r, ga := range l.ga {
		for i := range l.want[r] {
			l.want[r][i] = byte(l.rnd.Uint32())
		}
		copy(spare, l.want[r])
		h, err := l.p.Copy(ga, l.ga[own]+acp.GA(l.half), l.half, acp.HandleNull)
		if err != nil {
			return err
		}
		if err := l.p.Complete(h); err != nil {
			return err
		}
		l.marks[r].forget()
	}
	return nil
}

// step issues one random operation, and sometimes waits for an earlier one.
func (l *Lane) step() error {
	op := l.pick()
	order := l.order(&op, l.need(op))
	handle, err := l.issue(op, order)
	if err != nil {
		return err
	}
	op.handle = handle
	l.ops = append(l.ops, op)
	l.mark(op)
	if l.rnd.IntN(l.rest) != 0 {
		return nil
	}
	return l.await(l.ops[l.rnd.IntN(len(l.ops))].handle)
}

// await completes an operation, which is complete then.
func (l *Lane) await(h acp.Handle) error {
	if err := l.p.Complete(h); err != nil {
		return err
	}
	done, err := l.p.Inquire(h)
	if err == nil && !done {
		err = fmt.Errorf("operation %d of the round is complete and is not", len(l.ops))
	}
	return err
}

// check compares the lane on all ranks with the model.
func (l *Lane) check() error {
	own := int(l.p.Rank())
	used, spare := l.local()[:l.half], l.local()[l.half:]
	if !bytes.Equal(used, l.want[own]) {
		return l.difference(own, used)
	}
	for r, ga := range l.ga {
		h, err := l.p.Copy(l.ga[own]+acp.GA(l.half), ga, l.half, acp.HandleNull)
		if err != nil {
			return err
		}
		if err := l.p.Complete(h); err != nil {
			return err
		}
		if !bytes.Equal(spare, l.want[r]) {
			return l.difference(r, spare)
		}
	}
	return nil
}

// difference describes the first byte at which the lane on a rank differs from the
// model.
func (l *Lane) difference(on int, found []byte) error {
	for i, want := range l.want[on] {
		if found[i] != want {
			return fmt.Errorf("byte %d of the lane on rank %d is %#x, the model has %#x (%+v)", i, on, found[i], want, l.temper)
		}
	}
	return nil
}
