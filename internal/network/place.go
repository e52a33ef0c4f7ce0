package network

import (
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
)

// Place is where some bytes lie.
type Place struct {
	Member int
	Pos    uint64         // in the memory of Member; 0 if the bytes are not published
	Addr   unsafe.Pointer // in this process; nil if it does not reach the bytes by loads and stores

	kernel bool // the kernel copies from there and to there
}

// Here returns the place of a slice, which is not on the stack of a goroutine.
func (n *Network) Here(b []byte) Place {
	return Place{Member: n.cfg.Self, Addr: unsafe.Pointer(unsafe.SliceData(b))}
}

// Locate returns the place of size bytes at position pos of member. If they are registered
// memory of this process, the caller has entered the space. Fails with a
// *fabric.RangeError if they are of this process, which does not publish them. Does not
// block.
func (n *Network) Locate(member int, pos, size uint64) (Place, error) {
	p := Place{Member: member, Pos: pos}
	if member == n.cfg.Self {
		var err error
		p.Addr, err = n.space.Resolve(pos, size)
		return p, err
	}
	if !n.Shares(member) {
		return p, nil
	}
	v, err := n.host.View(member)
	if err != nil {
		return p, nil // its agent may still be reached
	}
	p.Addr = v.Mapped(pos, size)
	n.cfg.Mapped(member, v)
	// Memory for which there is no address space is reached by its agent alone.
	p.kernel = v.Direct() && !v.Layout().Contains(pos, size)
	return p, nil
}

// ByKernel reports whether the kernel copies from and to the place, so that a copy is
// complete when Carry returns.
func (p Place) ByKernel() bool { return p.kernel && p.Addr == nil }

// Get copies size bytes from a place of which ByKernel is true to dst. It returns
// fabric.ErrNoPath if the kernel refuses.
func (n *Network) Get(from Place, dst unsafe.Pointer, size uint64) error {
	var o outcome
	n.host.Get(from.Member, from.Pos, dst, size, &o)
	return o.err
}

// outcome is the Completion of an operation that completes before its call returns.
type outcome struct{ err error }

// Complete implements fabric.Completion.
func (o *outcome) Complete(_ uint64, err error) { o.err = err }

var _ fabric.Completion = (*outcome)(nil)
