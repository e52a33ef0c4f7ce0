package acp

import (
	"errors"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
)

// What the agent of this process does for others on its memory: fabric.Owner.

// Resolve implements fabric.Owner.
func (p *Process) Resolve(pos, n uint64) (addr unsafe.Pointer, err error) {
	return p.space.Resolve(pos, n)
}

// Foreign implements fabric.Owner.
func (p *Process) Foreign(pos uint64) bool { return p.space.Foreign(pos) }

// Forward implements fabric.Owner: it carries out the part of a third-party copy
// that begins here.
func (p *Process) Forward(pos uint64, dst int, dstPos, n uint64, done fabric.Completion) {
	epoch := p.space.Enter()
	to, from, err := p.ends(pos, dst, dstPos, n)
	if err != nil {
		p.space.Leave(epoch)
		done.Complete(0, err)
		return
	}
	done = &relayed{done, pos, n}
	a, far := pathOf(to, from), p.far(dst)
	carry := func() {
		defer p.space.Leave(epoch)
		if err := p.mapped(a, far, to, from, n); err != nil {
			done.Complete(0, err)
			return
		}
		p.carry(a, far, to, from, n, done)
	}
	if far == p.tcp {
		carry()
		return
	}
	// It may wait for that member, as the agent must not.
	p.engine.starters.Go(carry)
}

// ends locates both ends of a copy from this process to member dst.
func (p *Process) ends(pos uint64, dst int, dstPos, n uint64) (to, from place, err error) {
	if dst < 0 || dst >= p.Procs() {
		return to, from, ErrBadRank
	}
	from = place{member: p.self, pos: pos}
	if from.addr, err = p.space.Resolve(pos, n); err == nil {
		to, err = p.locateAt(dst, dstPos, n)
	}
	return to, from, err
}

// mapped returns an error if a copy touches memory of the program, other than by way of the
// kernel, which the program has unmapped without unregistering it.
func (p *Process) mapped(a path, far fabric.Fabric, to, from place, n uint64) error {
	byKernel := a.kind != pathNone && far == p.tcp && n > 8
	if byKernel {
		return nil
	}
	if p.Foreign(from.pos) && !fabric.Readable(from.addr, n) {
		return &fabric.RangeError{Pos: from.pos, Size: n}
	}
	if to.member == p.self && p.Foreign(to.pos) && !fabric.Writable(to.addr, n) {
		return &fabric.RangeError{Pos: to.pos, Size: n}
	}
	return nil
}

// relayed completes a forwarded copy. If its source was unregistered meanwhile, that is an
// error of the rank that has asked for the copy.
type relayed struct {
	fabric.Completion
	pos, n uint64
}

// Complete implements fabric.Completion.
func (r *relayed) Complete(old uint64, err error) {
	if errors.Is(err, fabric.ErrGone) {
		err = &fabric.RangeError{Pos: r.pos, Size: r.n}
	}
	r.Completion.Complete(old, err)
}
