package acp

import (
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/network"
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

	path    network.Path
	started bool // the fabric has it, in order
	done    bool
	err     error
}

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

// start hands g to the network. It waits for a peer if the path does. g may have been
// completed and reused when it returns.
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

// locate finds the n bytes at ga.
func (p *Process) locate(ga GA, n uint64) (network.Place, error) {
	return p.net.Locate(p.member(ga.rank()), ga.pos(), n)
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
	g.path = network.Between(dst, src)
	p.net.Carry(g.path, dst, src, g.size, g)
}

func (p *Process) startAtomic(g *gma) {
	at, err := p.locate(g.src, g.size)
	if err == nil {
		_, err = p.space.Resolve(g.dst.pos(), g.size)
	}
	if err != nil {
		g.Complete(0, err)
		return
	}
	g.path = p.net.AtomicPath(at)
	p.net.Atomic(at, g.atomic, g)
}
