package router

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
)

// owner is the fabric.Owner of this process: it carries out what the agent gets from other
// members.
type owner Router

// Resolve implements fabric.Owner.
func (o *owner) Resolve(pos, size uint64) (addr unsafe.Pointer, err error) {
	return o.env.Space.Resolve(pos, size)
}

// Foreign implements fabric.Owner.
func (o *owner) Foreign(pos uint64) bool { return o.env.Space.Foreign(pos) }

// Serve implements fabric.Owner.
func (o *owner) Serve(r fabric.Request) (int, error) { return o.table.Serve(r) }

// Notify implements fabric.Owner.
func (o *owner) Notify(from int, notice uint16, arg uint32, value uint64) {
	o.table.Notify(from, notice, arg, value)
}

// PeerLost implements fabric.Owner.
func (o *owner) PeerLost(member int, err error) { o.peerLost(member, err) }

// Forward implements fabric.Owner.
func (o *owner) Forward(pos uint64, dst int, dstPos, size uint64, done fabric.Completion) {
	(*Router)(o).Forward(pos, dst, dstPos, size, done)
}

// Forward copies size bytes from position pos of this process to position dstPos of member
// dst: the part of a third-party copy that begins here. Does not block.
func (r *Router) Forward(pos uint64, dst int, dstPos, size uint64, done fabric.Completion) {
	epoch := r.env.Space.Enter()
	to, from, err := r.ends(pos, dst, dstPos, size)
	if err != nil {
		r.env.Space.Leave(epoch)
		done.Complete(0, err)
		return
	}
	done = &relayed{done, pos, size}
	a := r.Between(to, from)
	carry := func() {
		defer r.env.Space.Leave(epoch)
		if err := r.checkMapped(a, to, from, size); err != nil {
			done.Complete(0, err)
			return
		}
		r.Carry(a, to, from, size, done)
	}
	if r.Waits(a) {
		r.env.Go(carry)
		return
	}
	carry()
}

// ends locates both ends of a copy from this process to member dst.
func (r *Router) ends(pos uint64, dst int, dstPos, size uint64) (to, from Location, err error) {
	if err := r.Check(dst); err != nil {
		return to, from, fmt.Errorf("%w: %w", fabric.ErrNoPath, err)
	}
	from = Location{Member: r.env.Self, Pos: pos}
	if from.Addr, err = r.env.Space.Resolve(pos, size); err == nil {
		to, err = r.Locate(dst, dstPos, size)
	}
	return to, from, err
}

// checkMapped returns an error if a copy touches memory that the program has unmapped without
// unregistering it. It does not check copies by transports that notice that themselves.
func (r *Router) checkMapped(a Path, to, from Location, size uint64) error {
	if r.notices(a, size) {
		return nil
	}
	if r.env.Space.Foreign(from.Pos) && !fabric.Readable(from.Addr, size) {
		return &fabric.RangeError{Pos: from.Pos, Size: size}
	}
	if to.Member == r.env.Self && r.env.Space.Foreign(to.Pos) && !fabric.Writable(to.Addr, size) {
		return &fabric.RangeError{Pos: to.Pos, Size: size}
	}
	return nil
}

// notices reports whether a copy on path a fails with an error, and not by a fault, if its
// memory is not mapped.
func (r *Router) notices(a Path, size uint64) bool {
	return !a.Immediate() && r.can[a.via].Notices && size > fabric.WordMax
}

// relayed completes a forwarded copy. If its source was unregistered meanwhile, that is an
// error of the rank that has asked for the copy.
type relayed struct {
	fabric.Completion
	pos, size uint64
}

// Complete implements fabric.Completion.
func (r *relayed) Complete(old uint64, err error) {
	if errors.Is(err, fabric.ErrGone) {
		err = &fabric.RangeError{Pos: r.pos, Size: r.size}
	}
	r.Completion.Complete(old, err)
}

var _ fabric.Owner = (*owner)(nil)
