package acp

import (
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/fabric"
)

// gma is one global memory access that could not be finished on the spot. It is
// reused once it has been retired; its handle tells whose turn it is.
type gma struct {
	p      *Process
	handle uint64
	after  uint64 // it may start when everything up to this handle is complete
	atomic fabric.Atomic
	isCopy bool
	dst    GA
	src    GA
	size   uint64
	order  Handle // as it was passed

	path    path
	started bool // the fabric has it, in order
	done    bool
	err     error
}

// path says which fabric carries a GMA and whom it talks to. Two GMAs with the
// same ordered path are carried out in the order in which they were started.
type path struct {
	kind pathKind
	peer int32
}

type pathKind uint8

const (
	pathNone    pathKind = iota // unknown, or finished on the spot
	pathShmPut                  // from memory reached directly to a peer on this host
	pathShmGet                  // to memory reached directly from a peer on this host
	pathShmCopy                 // between two peers on this host
	pathPut                     // from memory reached directly, through an agent
	pathGet                     // to memory reached directly, through an agent
	pathSend                    // third-party copy, carried out by the agent of the source
	pathAtomic
)

// ordered reports whether a fabric keeps the order of GMAs on this path.
func (a path) ordered() bool { return a.kind == pathPut || a.kind == pathGet || a.kind == pathAtomic }

// Complete implements fabric.Completion.
func (g *gma) Complete(old uint64, err error) {
	if !g.isCopy && err == nil {
		err = g.p.deliver(g, old)
	}
	g.p.engine.complete(g, err)
}

// deliver writes the value that an atomic found to where the program wants it.
func (p *Process) deliver(g *gma, old uint64) error {
	defer p.space.Leave(p.space.Enter())
	at, err := p.space.Resolve(g.dst.pos(), g.size)
	if err == nil {
		storeResult(at, g.atomic.Width, old)
	}
	return err
}

func storeResult(at unsafe.Pointer, width uint8, old uint64) {
	if width == 4 {
		atomic.StoreUint32((*uint32)(at), uint32(old))
	} else {
		atomic.StoreUint64((*uint64)(at), old)
	}
}

// name returns the operation as users know it, for example "add8".
func (g *gma) name() string {
	if g.isCopy {
		return "copy"
	}
	if g.atomic.Width == 4 {
		return g.atomic.Op.String() + "4"
	}
	return g.atomic.Op.String() + "8"
}

// opError describes the failure of g.
func (g *gma) opError(err error) *OpError {
	return &OpError{
		Op: g.name(), Rank: g.p.Rank(), Dst: g.dst, Src: g.src, Size: g.size,
		Err:      g.p.explain(g.dst, g.src, g.size, cause(err)),
		Operands: g.operands(), Order: g.order,
	}
}

// operands returns the operands of an atomic as they were passed.
func (g *gma) operands() []uint64 {
	switch {
	case g.isCopy:
		return nil
	case g.atomic.Op == fabric.OpCas:
		return []uint64{g.atomic.Compare, g.atomic.Operand}
	}
	return []uint64{g.atomic.Operand}
}

// start hands g to the fabric that serves it. It does not block on a peer. g may
// have been completed and reused when it returns.
func (p *Process) start(g *gma) {
	defer p.space.Leave(p.space.Enter())
	handle := g.handle
	if g.isCopy {
		p.startCopy(g)
	} else {
		p.startAtomic(g)
	}
	p.engine.markStarted(g, handle)
}

// place is where a GA leads.
type place struct {
	member int
	pos    uint64
	addr   unsafe.Pointer // in this process; nil if it is not reached directly
	shm    bool           // the memory is on this host and its owner lets us copy
}

// locate finds the n bytes at ga.
func (p *Process) locate(ga GA, n uint64) (place, error) {
	return p.locateAt(p.member(ga.rank()), ga.pos(), n)
}

// locateAt finds the n bytes at position pos of member.
func (p *Process) locateAt(member int, pos, n uint64) (place, error) {
	pl := place{member: member, pos: pos}
	if pl.member == p.self {
		var err error
		pl.addr, err = p.space.Resolve(pl.pos, n)
		return pl, err
	}
	if !p.shares(pl.member) {
		return pl, nil
	}
	v, err := p.shm.View(pl.member)
	if err != nil {
		return pl, nil // its agent may still be reached
	}
	pl.addr = v.Mapped(pl.pos, n)
	p.enter(pl.member, v)
	// Memory for which there is no address space is reached by its agent alone.
	pl.shm = v.Direct() && !v.Layout().Contains(pl.pos, n)
	return pl, nil
}

func (p *Process) startCopy(g *gma) {
	dst, err := p.locate(g.dst, g.size)
	if err != nil {
		g.Complete(0, err)
		return
	}
	src, err := p.locate(g.src, g.size)
	if err != nil {
		g.Complete(0, err)
		return
	}
	g.path = pathOf(dst, src)
	p.carry(g.path, p.far(int(g.path.peer)), dst, src, g.size, g)
}

// pathOf chooses who carries a copy between two places.
func pathOf(dst, src place) path {
	switch {
	case src.addr != nil && dst.addr != nil:
		return path{}
	case src.addr != nil && dst.shm:
		return path{pathShmPut, int32(dst.member)}
	case dst.addr != nil && src.shm:
		return path{pathShmGet, int32(src.member)}
	case src.shm && dst.shm:
		return path{pathShmCopy, int32(src.member)}
	case src.addr != nil:
		return path{pathPut, int32(dst.member)}
	case dst.addr != nil:
		return path{pathGet, int32(src.member)}
	}
	return path{pathSend, int32(src.member)}
}

// carry copies n bytes from src to dst on the path between them, which far serves where
// it needs the help of an agent.
func (p *Process) carry(a path, far fabric.Fabric, dst, src place, n uint64, done fabric.Completion) {
	switch a.kind {
	case pathNone:
		fabric.Move(dst.addr, src.addr, n)
		done.Complete(0, nil)
	case pathShmPut:
		p.shm.Put(dst.member, dst.pos, src.addr, n, done)
	case pathShmGet:
		p.shm.Get(src.member, src.pos, dst.addr, n, done)
	case pathShmCopy:
		p.shm.Copy(src.member, src.pos, dst.member, dst.pos, n, done)
	case pathPut:
		far.Put(dst.member, dst.pos, src.addr, n, done)
	case pathGet:
		far.Get(src.member, src.pos, dst.addr, n, done)
	case pathSend:
		p.tcp.Copy(src.member, src.pos, dst.member, dst.pos, n, done)
	}
}

func (p *Process) startAtomic(g *gma) {
	src, err := p.locate(g.src, g.size)
	if err == nil {
		_, err = p.space.Resolve(g.dst.pos(), g.size)
	}
	switch {
	case err != nil:
		g.Complete(0, err)
	case p.direct.FarAtomics():
		g.path = path{pathAtomic, int32(src.member)}
		p.windows.fabric().Atomic(src.member, src.pos, g.atomic, g)
	case src.addr != nil:
		g.Complete(g.atomic.Apply(src.addr), nil)
	default:
		g.path = path{pathAtomic, int32(src.member)}
		p.tcp.Atomic(src.member, src.pos, g.atomic, g)
	}
}

// far returns the fabric that carries copies to and from a member which shares no memory
// with this one. That of windows waits for the member.
func (p *Process) far(member int) fabric.Fabric {
	if p.routes[member] == bridge.RMA {
		return p.windows.fabric()
	}
	return p.tcp
}
