package acp

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/internal/access/registration"
	"github.com/goacp/goacp/internal/memory/segment"
)

// Register makes mem addressable by all ranks, bound to color. The memory must
// not be on the stack of a goroutine; memory of the Go heap is pinned until the
// last Unregister of its key. Registration is delayed: memory that touches the
// registration just before it joins that one and gets the same key. Each call
// counts as one registration of the key it returns.
//
// Memory of Starter and of Alloc has global addresses already: QueryGA returns them. So ranks on the same
// host reach it by loads and stores, and it can be accessed after Unregister, too.
//
// Fails with ErrBadColor, for empty mem and for lack of resources. Local. Does not
// block. Spec 4.10.2.
func (p *Process) Register(mem []byte, color Color) (Key, error) {
	return p.register(uint64(len(mem)), color, func() (registration.Key, error) {
		return p.regs.Register(mem, int(color))
	})
}

// RegisterAddress is Register for size bytes of C memory or of a mapping, at addr.
// A size of 0 is accepted: the key then translates addr alone. It fails for a null
// addr too. Local. Does not block. Spec 4.10.2.
func (p *Process) RegisterAddress(addr unsafe.Pointer, size uint64, color Color) (Key, error) {
	return p.register(size, color, func() (registration.Key, error) {
		return p.regs.RegisterAddress(addr, size, int(color))
	})
}

// register makes a registration of size bytes by f.
func (p *Process) register(size uint64, color Color, f func() (registration.Key, error)) (Key, error) {
	err := p.alive()
	if err == nil && (color < 0 || int(color) >= p.Colors()) {
		err = ErrBadColor
	}
	var key registration.Key
	if err == nil {
		key, err = f()
	}
	if err != nil {
		return NullKey, p.fail(&OpError{Op: "register", Rank: p.Rank(), Size: size, Err: err})
	}
	return Key(key), nil
}

// Unregister takes back one registration of key. When as many have been taken back as were made, the memory
// is no longer accessible and its GAs are invalid: when Unregister returns, no rank reads or writes it any
// more. A GMA of another rank that is under way on it ends with ErrBadAddress, or has ended. The GMAs of the
// calling process on this memory should be complete; otherwise they may fail.
//
// Fails with ErrBadKey, and with ErrPeerDead if the run ends meanwhile. Local. Waits for
// accesses that other goroutines, ranks on this host, or windows of MPI have begun,
// milliseconds at most as long as those run. It does not wait for accesses of ranks on this host to
// memory that these have mapped: memory of libacphook, of Starter and of Alloc. Spec 4.10.3.
func (p *Process) Unregister(key Key) error {
	err := p.alive()
	if err == nil {
		err = p.regs.Unregister(registration.Key(key))
	}
	if err != nil {
		return p.fail(&OpError{Op: "unregister", Rank: p.Rank(), Err: err})
	}
	return nil
}

// QueryGA returns the global address of addr, which lies in the memory of key.
//
// Fails with ErrBadKey and for an address outside. Local. Does not block. Spec
// 4.10.4.
func (p *Process) QueryGA(key Key, addr unsafe.Pointer) (GA, error) {
	err := p.alive()
	var pos uint64
	if err == nil {
		pos, err = p.regs.Position(registration.Key(key), addr)
	}
	if err != nil {
		return NullGA, p.fail(&OpError{Op: "query ga", Rank: p.Rank(), Err: err})
	}
	return makeGA(p.Rank(), pos), nil
}

// Colors returns the number of colors; the valid ones are 0 … Colors-1. Local.
// Does not block. Spec 4.10.5.
func (p *Process) Colors() int { return 1 }

// QueryRank returns the rank that owns ga. Fails with ErrBadAddress for a null
// address and one of no rank. Local. Does not block. Spec 4.10.6.
func (p *Process) QueryRank(ga GA) (Rank, error) {
	if err := p.checkGA(ga); err != nil {
		return -1, p.queryError("query rank", ga, err)
	}
	return ga.rank(), nil
}

// QueryColor returns the color with which ga was made; starter memory has color 0.
// Fails with ErrBadAddress for a null address and one of no rank. Local. Does not
// block. Spec 4.10.7.
func (p *Process) QueryColor(ga GA) (Color, error) {
	if err := p.checkGA(ga); err != nil {
		return -1, p.queryError("query color", ga, err)
	}
	return 0, nil
}

// QueryAddress returns where ga lies in the memory of the calling process. Fails
// with ErrNotLocal for a GA of another rank and with ErrBadAddress for one that is
// not, or no longer, registered. Local. Does not block. Spec 4.10.8.
func (p *Process) QueryAddress(ga GA) (unsafe.Pointer, error) {
	err := p.checkGA(ga)
	var addr unsafe.Pointer
	switch {
	case err != nil:
	case ga.rank() != p.Rank():
		err = ErrNotLocal
	default:
		addr, err = p.space.Resolve(ga.pos(), 0)
	}
	if err != nil {
		return nil, p.queryError("query address", ga, cause(err))
	}
	return addr, nil
}

// queryError returns the error of a query of ga.
func (p *Process) queryError(op string, ga GA, err error) error {
	if why, _ := p.whyBad(ga, 0); why != "" && errors.Is(err, ErrBadAddress) {
		err = fmt.Errorf("%w: %s", ErrBadAddress, why)
	}
	return p.fail(&OpError{Op: op, Rank: p.Rank(), Src: ga, Err: err})
}

// StarterGA returns the global address of the first byte of the starter memory of
// rank. Fails with ErrBadRank. Local. Does not block. Spec 4.10.9.
func (p *Process) StarterGA(rank Rank) (GA, error) {
	if err := p.mem.CheckRank(int(rank)); err != nil {
		return NullGA, p.lifeError("query starter ga", err)
	}
	return makeGA(rank, segment.StarterOffset), nil
}

// Starter returns the starter memory of the calling rank. The slice stays valid
// until Finalize. Local. Does not block.
func (p *Process) Starter() []byte { return p.space.Starter() }

// StarterSize returns the bytes of the starter memory of rank. Fails with
// ErrBadRank. Local. Does not block.
func (p *Process) StarterSize(rank Rank) (uint64, error) {
	if err := p.mem.CheckRank(int(rank)); err != nil {
		return 0, p.lifeError("query starter size", err)
	}
	return p.router.Layout(p.member(rank)).Starter, nil
}

// checkGA checks a GA as far as that is possible without its owner.
func (p *Process) checkGA(ga GA) error { return p.mem.Check(uint64(ga)) }
