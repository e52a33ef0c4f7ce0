package router

import (
	"unsafe"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/fabric"
)

// Location is where some bytes lie.
type Location struct {
	Member int
	Pos    uint64         // in the memory of Member; 0 if the bytes are not published
	Addr   unsafe.Pointer // in this process; nil if it does not reach the bytes by loads and stores

	via       bridge.Route // fabric that reaches the bytes if Addr is nil
	immediate bool         // operations of that fabric are immediate
}

// Here returns the location of a slice, which is not on the stack of a goroutine.
func (r *Router) Here(b []byte) Location {
	return Location{Member: r.env.Self, Addr: unsafe.Pointer(unsafe.SliceData(b))}
}

// Locate returns the location of size bytes at position pos of member. If they are registered
// memory of this process, the caller has entered the space. Fails with a *fabric.RangeError if
// member is this process and does not publish them. Does not block.
func (r *Router) Locate(member int, pos, size uint64) (Location, error) {
	p := Location{Member: member, Pos: pos, via: r.env.Routes.Of(member)}
	if p.via == bridge.Self {
		var err error
		p.Addr, err = r.env.Space.Resolve(pos, size)
		return p, err
	}
	if p.via != r.mapperRoute {
		p.immediate = r.can[p.via].Immediate
		return p, nil
	}
	p.via = r.messengerRoute // unless the transport that maps memory reaches the bytes
	v, err := r.mapper.View(member)
	if err != nil {
		return p, nil
	}
	p.Addr = v.Mapped(pos, size)
	r.mapped(member, v)
	// Only the agent reaches memory for which there was no address space.
	if v.Direct() && !v.Layout().Contains(pos, size) {
		p.via = r.mapperRoute
	}
	p.immediate = r.can[p.via].Immediate
	return p, nil
}

// Immediate reports whether this process reaches the bytes by a call that is complete when it
// returns, such as a copy by the kernel, and not by loads and stores.
func (p Location) Immediate() bool { return p.immediate && p.Addr == nil }

// Get copies size bytes from a location of which Immediate is true to dst. It returns
// fabric.ErrNoPath if the kernel refuses. Does not wait for a peer.
func (r *Router) Get(from Location, dst unsafe.Pointer, size uint64) error {
	var o outcome
	r.transports[from.via].Get(from.Member, from.Pos, dst, size, &o)
	return o.err
}

// outcome is the Completion of an operation that completes before its call returns.
type outcome struct{ err error }

// Complete implements fabric.Completion.
func (o *outcome) Complete(_ uint64, err error) { o.err = err }

var _ fabric.Completion = (*outcome)(nil)
