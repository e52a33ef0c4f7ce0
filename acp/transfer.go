package acp

import (
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/network"
)

// Transfers of the middle layer. They are no GMAs: they have no handles, take no part in
// their order and are complete on return.

// locate finds the n bytes at ga.
func (p *Process) locate(ga GA, n uint64) (network.Place, error) {
	return p.net.Locate(p.member(ga.rank()), ga.pos(), n)
}

// view returns memory of the library that this process reaches by loads and stores.
// Registered memory is left out, since it may be unregistered and freed at any time.
func (p *Process) view(s span) ([]byte, bool) {
	if p.registered(s.ga) && s.n > 0 {
		return nil, false
	}
	return p.viewEntered(s)
}

// viewEntered is view with registered memory of this process. The caller has entered the
// space, and leaves it when it uses the bytes no more.
func (p *Process) viewEntered(s span) ([]byte, bool) {
	if s.n == 0 {
		return nil, true
	}
	addr := p.direct.At(uint64(s.ga), s.n)
	if addr == nil {
		addr = p.elsewhere(s.ga, s.n)
	}
	if addr == nil {
		return nil, false
	}
	return unsafe.Slice((*byte)(addr), s.n), true
}

// put copies b to dst.
func (p *Process) put(dst GA, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	if err := p.checkGA(dst); err != nil {
		return err
	}
	epoch := p.space.Enter()
	to, err := p.locate(dst, uint64(len(b)))
	return p.transfer(epoch, to, p.net.Here(b), uint64(len(b)), err)
}

// get copies the bytes at src to b.
func (p *Process) get(b []byte, src GA) error {
	if len(b) == 0 {
		return nil
	}
	if err := p.checkGA(src); err != nil {
		return err
	}
	epoch := p.space.Enter()
	from, err := p.locate(src, uint64(len(b)))
	return p.transfer(epoch, p.net.Here(b), from, uint64(len(b)), err)
}

// move copies the memory of src to dst.
func (p *Process) move(dst GA, src span) error {
	if src.n == 0 {
		return nil
	}
	if err := p.checkGA(dst); err != nil {
		return err
	}
	if err := p.checkGA(src.ga); err != nil {
		return err
	}
	epoch := p.space.Enter()
	to, err := p.locate(dst, src.n)
	var from network.Place
	if err == nil {
		from, err = p.locate(src.ga, src.n)
	}
	return p.transfer(epoch, to, from, src.n, err)
}

// transfer copies n bytes from src to dst, unless err says that there is no such memory. The
// caller has entered the space before it located them. transfer leaves it as soon as the
// fabric has the copy, so that Unregister does not wait for a slow peer.
func (p *Process) transfer(epoch uint32, dst, src network.Place, n uint64, err error) error {
	if err != nil {
		p.space.Leave(epoch)
		return cause(err)
	}
	a := p.net.Between(dst, src)
	if a.Immediate() {
		defer p.space.Leave(epoch)
		fabric.Move(dst.Addr, src.Addr, n)
		return nil
	}
	r := &reply{cond: p.cond}
	p.net.Carry(a, dst, src, n, r)
	p.space.Leave(epoch)
	_, err = r.wait()
	return cause(err)
}
