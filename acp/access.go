package acp

import (
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/internal/access/gma"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/traffic"
)

// Copy copies size bytes from src to dst; each may be on any rank. No rank sees an aligned copy of 4 or 8
// bytes half done, except between registered memory of two ranks of one host, where the kernel copies.
// Overlapping memory of one rank is copied as if through a buffer. Size 0 moves nothing but is a GMA like any
// other.
//
// Fails at once with ErrBadAddress for a null GA or one of no rank; Complete returns the error if memory is
// not registered. Any rank. Does not wait for other ranks. Spec 4.11.2.
func (p *Process) Copy(dst, src GA, size uint64, order Handle) (Handle, error) {
	if t := p.direct; t.Idle() {
		// At is inlined; most copies are between starter memories.
		to, from := t.At(uint64(dst), size), t.At(uint64(src), size)
		if to != nil && from != nil {
			fabric.Move(to, from, size)
			if p.traffic != nil {
				p.traffic.AddCopy(p.ranks.Own(), int(dst.rank()), int(src.rank()), traffic.SHM, size)
			}
			return Handle(t.Next()), nil
		}
		if p.copyElsewhere(to, from, dst, src, size) {
			return Handle(t.Next()), nil
		}
	}
	return p.copySlow(dst, src, size, order)
}

// copyElsewhere is Copy if both ends are mapped in this process and at least one is not starter memory.
// Otherwise it does nothing and returns false. to and from are the addresses of starter memory, or nil.
func (p *Process) copyElsewhere(to, from unsafe.Pointer, dst, src GA, size uint64) bool {
	if p.registered(dst) || p.registered(src) {
		defer p.space.Leave(p.space.Enter())
	}
	if to == nil {
		to = p.elsewhere(dst, size)
	}
	if from == nil {
		from = p.elsewhere(src, size)
	}
	if to == nil || from == nil {
		return false
	}
	fabric.Move(to, from, size)
	if p.traffic != nil {
		p.traffic.AddCopy(p.ranks.Own(), int(dst.rank()), int(src.rank()), traffic.SHM, size)
	}
	return true
}

// registered reports whether ga can be registered memory of this process.
func (p *Process) registered(ga GA) bool {
	return p.mem.Registered(uint64(ga))
}

// elsewhere returns the address of the n bytes at ga if they are heap memory in the table, registered memory
// of a pool in the table, or registered memory of this process. Otherwise it returns nil. If ga is registered
// memory of this process, the caller has entered the space before, and leaves it after its last use of the
// address.
func (p *Process) elsewhere(ga GA, n uint64) unsafe.Pointer {
	return p.mem.Elsewhere(uint64(ga), n)
}

func (p *Process) copySlow(dst, src GA, size uint64, order Handle) (Handle, error) {
	a := gma.Access{IsCopy: true, Dst: uint64(dst), Src: uint64(src), Size: size, Order: uint64(order)}
	err := p.checkGA(dst)
	if err == nil {
		err = p.checkGA(src)
	}
	if err == nil {
		var h uint64
		if h, err = p.engine.Issue(p.ctx, &a); err == nil {
			return Handle(h), nil
		}
	}
	return HandleNull, p.fail(p.accessError(&a, err))
}

// atomic performs a on the integer at src and writes the value found there to dst.
func (p *Process) atomic(dst, src GA, a fabric.Atomic, order Handle) (Handle, error) {
	if t, n := p.direct, uint64(a.Width); t.Idle() && !t.FarAtomics() && (dst|src)&GA(n-1) == 0 && dst.rank() == p.Rank() {
		to, at := t.At(uint64(dst), n), t.At(uint64(src), n)
		if to != nil && at != nil {
			gma.StoreResult(to, a.Width, a.Apply(at))
			if p.traffic != nil {
				p.traffic.AddAtomic(int(src.rank()), traffic.SHM, uint64(a.Width))
			}
			return Handle(t.Next()), nil
		}
		if p.atomicElsewhere(to, at, dst, src, a) {
			return Handle(t.Next()), nil
		}
	}
	return p.atomicSlow(dst, src, a, order)
}

// atomicElsewhere is copyElsewhere for an atomic.
func (p *Process) atomicElsewhere(to, at unsafe.Pointer, dst, src GA, a fabric.Atomic) bool {
	if p.registered(dst) || p.registered(src) {
		defer p.space.Leave(p.space.Enter())
	}
	if to == nil {
		to = p.elsewhere(dst, uint64(a.Width))
	}
	if at == nil {
		at = p.elsewhere(src, uint64(a.Width))
	}
	if to == nil || at == nil {
		return false
	}
	gma.StoreResult(to, a.Width, a.Apply(at))
	if p.traffic != nil {
		p.traffic.AddAtomic(int(src.rank()), traffic.SHM, uint64(a.Width))
	}
	return true
}

func (p *Process) atomicSlow(dst, src GA, a fabric.Atomic, order Handle) (Handle, error) {
	access := gma.Access{Atomic: a, Dst: uint64(dst), Src: uint64(src), Size: uint64(a.Width), Order: uint64(order)}
	err := p.checkAtomic(dst, src, a.Width)
	if err == nil {
		var h uint64
		if h, err = p.engine.Issue(p.ctx, &access); err == nil {
			return Handle(h), nil
		}
	}
	return HandleNull, p.fail(p.accessError(&access, err))
}

// accessError describes the failure of a GMA.
func (p *Process) accessError(a *gma.Access, err error) *OpError {
	dst, src := GA(a.Dst), GA(a.Src)
	return &OpError{
		Op: a.Name(), Rank: p.Rank(), Dst: dst, Src: src, Size: a.Size,
		Err: p.explain(dst, src, a.Size, cause(err)), Fabric: fabricOf(err),
		Operands: a.Operands(), Order: Handle(a.Order),
	}
}

// accessFailed reports the failure of a GMA that is in flight. Complete returns the result.
func (p *Process) accessFailed(a *gma.Access, err error) error {
	failed := p.accessError(a, err)
	if p.cfg.onFailed == nil {
		return p.fail(failed)
	}
	p.cfg.onFailed(failed)
	return failed
}

func (p *Process) checkAtomic(dst, src GA, width uint8) error {
	if err := p.checkGA(dst); err != nil {
		return err
	}
	if err := p.checkGA(src); err != nil {
		return err
	}
	if dst.rank() != p.Rank() {
		return fmt.Errorf("%w: destination %v is on rank %d", ErrNotLocal, dst, dst.rank())
	}
	if dst&GA(width-1) != 0 {
		return fmt.Errorf("%w: destination %v is no multiple of %d", ErrMisaligned, dst, width)
	}
	if src&GA(width-1) != 0 {
		return fmt.Errorf("%w: source %v is no multiple of %d", ErrMisaligned, src, width)
	}
	return nil
}

// Add4 adds value to the 4-byte integer at src, modulo 2^32, and writes the old one
// to dst on the calling rank. Errors as for Add8. Any rank. Does not wait for other
// ranks. Spec 4.11.3.
func (p *Process) Add4(dst, src GA, value uint32, order Handle) (Handle, error) {
	return p.atomic(dst, src, fabric.Atomic{Op: fabric.OpAdd, Width: 4, Operand: uint64(value)}, order)
}

// Add8 adds value to the 8-byte integer at src, modulo 2^64, and writes the old one
// to dst on the calling rank.
//
// Fails at once with ErrBadAddress for a null GA or one of no rank, with
// ErrMisaligned if src or dst is no multiple of the width, and with ErrNotLocal if
// dst is on another rank. Any rank. Does not wait for other ranks. Spec 4.11.4.
func (p *Process) Add8(dst, src GA, value uint64, order Handle) (Handle, error) {
	return p.atomic(dst, src, fabric.Atomic{Op: fabric.OpAdd, Width: 8, Operand: value}, order)
}

// Cas4 stores new in the 4-byte integer at src if it equals old, and writes the
// value found there to dst on the calling rank. Errors as for Add8. Any rank. Does
// not wait for other ranks. Spec 4.11.5.
func (p *Process) Cas4(dst, src GA, old, new uint32, order Handle) (Handle, error) {
	return p.atomic(dst, src, fabric.Atomic{Op: fabric.OpCas, Width: 4, Operand: uint64(new), Compare: uint64(old)}, order)
}

// Cas8 is Cas4 for the 8-byte integer at src. Errors as for Add8. Any rank. Does not
// wait for other ranks. Spec 4.11.6.
func (p *Process) Cas8(dst, src GA, old, new uint64, order Handle) (Handle, error) {
	return p.atomic(dst, src, fabric.Atomic{Op: fabric.OpCas, Width: 8, Operand: new, Compare: old}, order)
}

// And4 replaces the 4-byte integer at src by its bitwise and with value, and writes
// the old one to dst on the calling rank. Errors as for Add8. Any rank. Does not
// wait for other ranks. Spec 4.11.7.
func (p *Process) And4(dst, src GA, value uint32, order Handle) (Handle, error) {
	return p.atomic(dst, src, fabric.Atomic{Op: fabric.OpAnd, Width: 4, Operand: uint64(value)}, order)
}

// And8 is And4 for the 8-byte integer at src. Errors as for Add8. Any rank. Does not
// wait for other ranks. Spec 4.11.8.
func (p *Process) And8(dst, src GA, value uint64, order Handle) (Handle, error) {
	return p.atomic(dst, src, fabric.Atomic{Op: fabric.OpAnd, Width: 8, Operand: value}, order)
}

// Or4 replaces the 4-byte integer at src by its bitwise or with value, and writes
// the old one to dst on the calling rank. Errors as for Add8. Any rank. Does not
// wait for other ranks. Spec 4.11.9.
func (p *Process) Or4(dst, src GA, value uint32, order Handle) (Handle, error) {
	return p.atomic(dst, src, fabric.Atomic{Op: fabric.OpOr, Width: 4, Operand: uint64(value)}, order)
}

// Or8 is Or4 for the 8-byte integer at src. Errors as for Add8. Any rank. Does not
// wait for other ranks. Spec 4.11.10.
func (p *Process) Or8(dst, src GA, value uint64, order Handle) (Handle, error) {
	return p.atomic(dst, src, fabric.Atomic{Op: fabric.OpOr, Width: 8, Operand: value}, order)
}

// Xor4 replaces the 4-byte integer at src by its bitwise exclusive or with value,
// and writes the old one to dst on the calling rank. Errors as for Add8. Any rank.
// Does not wait for other ranks. Spec 4.11.11.
func (p *Process) Xor4(dst, src GA, value uint32, order Handle) (Handle, error) {
	return p.atomic(dst, src, fabric.Atomic{Op: fabric.OpXor, Width: 4, Operand: uint64(value)}, order)
}

// Xor8 is Xor4 for the 8-byte integer at src. Errors as for Add8. Any rank. Does not
// wait for other ranks. Spec 4.11.12.
func (p *Process) Xor8(dst, src GA, value uint64, order Handle) (Handle, error) {
	return p.atomic(dst, src, fabric.Atomic{Op: fabric.OpXor, Width: 8, Operand: value}, order)
}

// Swap4 stores value in the 4-byte integer at src and writes the old one to dst on
// the calling rank. Errors as for Add8. Any rank. Does not wait for other ranks.
// Spec 4.11.13.
func (p *Process) Swap4(dst, src GA, value uint32, order Handle) (Handle, error) {
	return p.atomic(dst, src, fabric.Atomic{Op: fabric.OpSwap, Width: 4, Operand: uint64(value)}, order)
}

// Swap8 is Swap4 for the 8-byte integer at src. Errors as for Add8. Any rank. Does
// not wait for other ranks. Spec 4.11.14.
func (p *Process) Swap8(dst, src GA, value uint64, order Handle) (Handle, error) {
	return p.atomic(dst, src, fabric.Atomic{Op: fabric.OpSwap, Width: 8, Operand: value}, order)
}

// Complete waits until the GMA of h and every GMA issued before it by this process are complete. With
// HandleAll it waits for all GMAs issued so far. It returns at once for HandleNull and for handles that are
// complete or were never issued.
//
// The errors of the GMAs it waited for are returned, joined, each once; every one is
// an *OpError. Any rank. Blocks; ends with ErrPeerDead when the run is over. Spec
// 4.11.15.
func (p *Process) Complete(h Handle) error {
	if p.engine.Quiet() {
		return nil
	}
	err := p.engine.Wait(p.ctx, uint64(h))
	if err != nil && err == p.ctx.Err() {
		return p.lifeError("complete", err)
	}
	return err
}

// Inquire reports whether the GMA of h and every GMA issued before it by this process are complete. With
// HandleAll it reports on all GMAs issued so far. True for HandleNull and for handles that are complete or
// were never issued. Errors as for Complete, when the answer is true. Local. Does not block. Spec 4.11.16.
func (p *Process) Inquire(h Handle) (bool, error) { return p.engine.Inquire(uint64(h)) }
