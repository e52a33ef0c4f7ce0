package acp

import (
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
)

// Transfers of the middle layer. They are no GMAs: they have no handles, take no part in
// their order and are complete on return.

// view returns memory that this process reaches by loads and stores.
func (p *Process) view(s span) ([]byte, bool) {
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
	to, err := p.locate(dst, uint64(len(b)))
	if err != nil {
		return cause(err)
	}
	return p.transfer(to, p.here(b), uint64(len(b)))
}

// get copies the bytes at src to b.
func (p *Process) get(b []byte, src GA) error {
	if len(b) == 0 {
		return nil
	}
	if err := p.checkGA(src); err != nil {
		return err
	}
	from, err := p.locate(src, uint64(len(b)))
	if err != nil {
		return cause(err)
	}
	return p.transfer(p.here(b), from, uint64(len(b)))
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
	to, err := p.locate(dst, src.n)
	if err != nil {
		return cause(err)
	}
	from, err := p.locate(src.ga, src.n)
	if err != nil {
		return cause(err)
	}
	return p.transfer(to, from, src.n)
}

// here is the place of a slice, which is not on the stack of a goroutine.
func (p *Process) here(b []byte) place {
	return place{member: p.self, addr: unsafe.Pointer(unsafe.SliceData(b))}
}

func (p *Process) transfer(dst, src place, n uint64) error {
	if dst.addr != nil && src.addr != nil {
		fabric.Move(dst.addr, src.addr, n)
		return nil
	}
	r := &reply{engine: p.engine}
	p.carry(pathOf(dst, src), p.tcp, dst, src, n, r)
	_, err := r.wait()
	return cause(err)
}
