package acp

import (
	"errors"
	"fmt"
	"slices"

	"github.com/goacp/goacp/internal/am"
	"github.com/goacp/goacp/internal/arena"
	"github.com/goacp/goacp/internal/fabric/segment"
	"github.com/goacp/goacp/internal/hashed"
	"github.com/goacp/goacp/internal/list"
	"github.com/goacp/goacp/internal/sequence"
)

// Operations on the structures of the middle layer, wherever they lie. See package am for
// what runs where.

// perform carries out an operation on memory that this process reaches. It calls the
// functions of the structures directly, so that c stays on the stack.
func (p *Process) perform(s *arena.Arena, c *am.Call) (am.Result, error) {
	switch {
	case c.Op < am.OpVector:
		return am.RunHeap(s, c)
	case c.Op < am.OpList:
		return sequence.Perform(s, c)
	case c.Op < am.OpHash:
		return list.Perform(&list.Memory{Arenas: (*mappedArenas)(p)}, c)
	}
	return hashed.Perform(s, c)
}

// exec carries out c at the rank that c.GA is an address of. Its Data and More are
// memory of this process. It waits for one round trip at most, and a few more if Data
// and More are longer than am.MaxData together; from another host come at most
// am.MaxOut bytes of Out.
func (p *Process) exec(c *am.Call) (am.Result, error) {
	if err := p.checkGA(GA(c.GA)); err != nil {
		return am.Result{}, err
	}
	return p.execOn(p.member(GA(c.GA).rank()), c)
}

// execOn is exec at a member, whatever c.GA is.
func (p *Process) execOn(member int, c *am.Call) (am.Result, error) {
	if s := p.arena(member); s != nil {
		r, err := p.perform(s, c)
		if member == p.self || !errors.Is(err, arena.ErrShort) {
			return r, cause(err)
		}
	}
	return p.execFar(member, *c)
}

// execFar lets the agent of member carry out c.
func (p *Process) execFar(member int, c am.Call) (r am.Result, err error) {
	if len(c.Data)+len(c.More) > am.MaxData {
		block, err := p.stage(member, c.Data, c.More)
		if err != nil {
			return r, err
		}
		defer func() { err = errors.Join(err, p.release(block)) }()
		c.Block = am.Block{GA: uint64(block), Data: uint64(len(c.Data)), More: uint64(len(c.More))}
	}
	answer := make([]byte, c.ReplySize())
	n, err := p.call(member, c.Op, c.Append(make([]byte, 0, c.RequestSize())), answer)
	if err == nil {
		r, err = c.Outcome(answer[:n])
	}
	return r, cause(err)
}

// span is memory of some rank.
type span struct {
	ga GA
	n  uint64 // bytes
}

// execFrom is exec with Data and More taken from anywhere.
func (p *Process) execFrom(c *am.Call, data, more span) (r am.Result, err error) {
	if err := p.checkGA(GA(c.GA)); err != nil {
		return r, err
	}
	member := p.member(GA(c.GA).rank())
	return p.execFromOn(member, c, data, more)
}

// execFromOn is execFrom at a member, whatever c.GA is.
func (p *Process) execFromOn(member int, c *am.Call, data, more span) (r am.Result, err error) {
	view := p.view
	if p.arena(member) != nil && (p.registered(data.ga) || p.registered(more.ga)) {
		// Here the operation waits for no agent, and takes the bytes from where they are.
		defer p.space.Leave(p.space.Enter())
		view = p.viewEntered
	}
	var ok1, ok2 bool
	c.Data, ok1 = view(data)
	c.More, ok2 = view(more)
	if ok1 && ok2 {
		return p.execOn(member, c)
	}
	// Sizes may be anything, so that their sum may be, too.
	if data.n <= am.MaxData && more.n <= am.MaxData-data.n {
		b := make([]byte, data.n+more.n)
		c.Data, c.More = b[:data.n:data.n], b[data.n:]
		if err := errors.Join(p.get(c.Data, data.ga), p.get(c.More, more.ga)); err != nil {
			return r, err
		}
		return p.execOn(member, c)
	}
	return p.execThrough(member, c, data, more)
}

// execThrough is execFromOn by way of a block in the heap of member, so that the bytes
// travel straight to it.
func (p *Process) execThrough(member int, c *am.Call, data, more span) (r am.Result, err error) {
	if data.n > posMask || more.n > posMask {
		return r, fmt.Errorf("%w: %d bytes at %v and %d at %v", ErrBadAddress, data.n, data.ga, more.n, more.ga)
	}
	block, err := p.allocate(member, data.n+more.n)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, p.release(block)) }()
	if err := errors.Join(p.move(block, data), p.move(block+GA(data.n), more)); err != nil {
		return r, err
	}
	s := p.arena(member)
	if s == nil {
		c.Data, c.More = nil, nil
		c.Block = am.Block{GA: uint64(block), Data: data.n, More: more.n}
		return p.execFar(member, *c)
	}
	b, err := s.Bytes(uint64(block), data.n+more.n)
	if err != nil {
		return r, err
	}
	c.Data, c.More = b[:data.n:data.n], b[data.n:]
	r, err = p.perform(s, c)
	return r, cause(err)
}

// stage brings data and more, one behind the other, into a new block of the heap of
// member. Joined, they travel at once, and neither has to outlive the call of whoever
// gave them.
func (p *Process) stage(member int, data, more []byte) (GA, error) {
	block, err := p.allocate(member, uint64(len(data)+len(more)))
	if err != nil {
		return NullGA, err
	}
	if err := p.put(block, slices.Concat(data, more)); err != nil {
		return NullGA, errors.Join(err, p.release(block))
	}
	return block, nil
}

// call lets the agent of member carry out op and returns the length of its answer.
func (p *Process) call(member int, op am.Op, request, answer []byte) (int, error) {
	r := &reply{cond: p.cond}
	p.net.Agents().Call(member, uint8(op), request, answer, r)
	n, err := r.wait()
	return int(n), err
}

// arena returns the heap of member as structures see it, or nil if only its agent
// reaches it, or all of it.
func (p *Process) arena(member int) *arena.Arena {
	s := p.arenas[member].Load()
	if s == nil {
		s = p.findArena(member)
	}
	if s == nil || !s.Covers() {
		return nil
	}
	return s
}

// ownArena returns the heap of this process, which is mapped.
func (p *Process) ownArena() *arena.Arena { return p.arena(p.self) }

func (p *Process) findArena(member int) *arena.Arena {
	var s *arena.Arena
	switch {
	case member == p.self:
		s = p.arenaOf(member, p.space)
	case !p.net.Shares(member):
		return nil
	default:
		v, err := p.net.View(member)
		if err != nil {
			return nil // its agent may still be reached
		}
		p.enter(member, v)
		s = p.arenaOf(member, v)
	}
	p.arenas[member].Store(s)
	return s
}

// enter enters what is mapped of the memory of a member in the table for direct access.
func (p *Process) enter(member int, m segment.Memory) {
	rank := int(p.rankOf(member))
	if p.direct.Has(rank, m.Extent()) {
		return
	}
	p.entering.Lock()
	defer p.entering.Unlock()
	p.direct.Map(rank, m.Extent(), m.Layout())
}

func (p *Process) arenaOf(member int, m segment.Memory) *arena.Arena {
	x, l := m.Extent(), m.Layout()
	return arena.New(arena.Config{
		Base: x.Base, From: l.HeapOffset(), Size: l.Heap, Mapped: x.Heap,
		Rank: int(p.rankOf(member)), Heap: m.Heap(p.alive), Over: p.alive,
		Reach: func(n uint64) arena.Mapped {
			x := m.Reach(n)
			if x == nil {
				return arena.Mapped{}
			}
			p.enter(member, m)
			return arena.Mapped{Base: x.Base, Size: x.Heap}
		},
	})
}
