package acp

import (
	"github.com/goacp/goacp/internal/am"
)

// Transfers and blocks of the structures of this package, by the memory of all ranks
// (package global).

// allocate is Malloc on a member.
func (p *Process) allocate(member int, size uint64) (GA, error) {
	block, err := p.mem.Alloc(member, size)
	return GA(block), err
}

// release is Free without saying what has failed.
func (p *Process) release(ga GA) error { return p.mem.Free(uint64(ga)) }

// call lets the agent of member carry out op and returns the length of its answer.
func (p *Process) call(member int, op am.Op, request, answer []byte) (int, error) {
	return p.mem.Call(member, op, request, answer)
}
