package acp

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/am"
	"github.com/goacp/goacp/internal/arena"
	"github.com/goacp/goacp/internal/list"
)

// What operations on lists stand on, since the elements of a list lie on several ranks.

// mappedArenas are the heaps that a process has mapped.
type mappedArenas Process

// Arena implements list.Arenas.
func (m *mappedArenas) Arena(rank uint64) (*arena.Arena, error) {
	p := (*Process)(m)
	if rank >= uint64(p.procs) {
		return nil, fmt.Errorf("%w: there is no rank %d", arena.ErrBadAddress, rank)
	}
	if s := p.arena(p.member(Rank(rank))); s != nil {
		return s, nil
	}
	return nil, am.ErrElsewhere
}

// listAgents are the agents of all ranks.
type listAgents Process

// Exec implements list.Agents.
func (a *listAgents) Exec(rank uint64, c *am.Call) (am.Result, error) {
	p := (*Process)(a)
	return p.execFar(p.member(Rank(rank)), *c)
}

// Read implements list.Agents.
func (a *listAgents) Read(b []byte, ga uint64) error { return (*Process)(a).get(b, GA(ga)) }

// everywhere is all memory there is.
func (p *Process) everywhere() list.Memory {
	return list.Memory{Arenas: (*mappedArenas)(p), Agents: (*listAgents)(p)}
}

// exec carries out an operation on a list: here if the control block is mapped, and at its
// rank if not, unless something lies where that rank does not reach it. Data may be on the
// stack.
func (c chain) exec(call *am.Call) (am.Result, error) {
	if err := c.p.checkGA(c.ga); err != nil {
		return am.Result{}, err
	}
	call.GA = uint64(c.ga)
	member := c.p.member(c.ga.rank())
	if c.p.arena(member) == nil {
		far := *call
		far.Data = bytes.Clone(call.Data)
		r, err := c.p.execFar(member, far)
		if !errors.Is(err, am.ErrElsewhere) {
			return r, err
		}
	}
	m := c.p.everywhere()
	r, err := list.Perform(&m, call)
	return r, cause(err)
}

// execFrom is exec with Data taken from anywhere.
func (c chain) execFrom(call *am.Call, data span) (am.Result, error) {
	call.GA = uint64(c.ga)
	r, err := c.p.execFrom(call, data, span{})
	if !errors.Is(err, am.ErrElsewhere) {
		return r, err
	}
	// What Data was may be gone with the block through which it went. Registered memory is
	// copied, since the operation may wait for agents.
	var ok bool
	if call.Data, ok = c.p.view(data); !ok {
		call.Data = make([]byte, data.n)
		if err := c.p.get(call.Data, data.ga); err != nil {
			return r, err
		}
	}
	m := c.p.everywhere()
	r, err = list.Perform(&m, call)
	return r, cause(err)
}

// memory returns all memory there is, to look at the list.
func (c chain) memory() (list.Memory, error) { return c.p.everywhere(), c.p.checkGA(c.ga) }
