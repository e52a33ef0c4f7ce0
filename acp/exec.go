package acp

import (
	"errors"
	"fmt"
	"slices"

	"github.com/goacp/goacp/internal/fabric/segment"
	"github.com/goacp/goacp/internal/hashed"
	"github.com/goacp/goacp/internal/list"
	"github.com/goacp/goacp/internal/sequence"
	"github.com/goacp/goacp/internal/site"
)

// Operations on the structures of the middle layer, wherever they lie. See package
// site for what runs where.

// perform carries out an operation on memory that this process reaches.
func (p *Process) perform(s *site.Site, c *site.Call) (site.Result, error) {
	switch {
	case c.Op < site.OpVector:
		return site.PerformHeap(s, c)
	case c.Op < site.OpList:
		return sequence.Perform(s, c)
	case c.Op < site.OpHash:
		return list.Perform(&list.Memory{Sites: (*mappedSites)(p)}, c)
	}
	return hashed.Perform(s, c)
}

// exec carries out c at the rank that c.GA is an address of. Its Data and More are
// memory of this process. It waits for one round trip at most, and a few more if Data
// and More are longer than site.MaxData together; from another host come at most
// site.MaxOut bytes of Out.
func (p *Process) exec(c *site.Call) (site.Result, error) {
	if err := p.checkGA(GA(c.GA)); err != nil {
		return site.Result{}, err
	}
	return p.execOn(p.member(GA(c.GA).rank()), c)
}

// execOn is exec at a member, whatever c.GA is.
func (p *Process) execOn(member int, c *site.Call) (site.Result, error) {
	if s := p.site(member); s != nil {
		r, err := p.perform(s, c)
		if member == p.self || !errors.Is(err, site.ErrShort) {
			return r, cause(err)
		}
	}
	return p.execFar(member, *c)
}

// execFar lets the agent of member carry out c.
func (p *Process) execFar(member int, c site.Call) (r site.Result, err error) {
	if len(c.Data)+len(c.More) > site.MaxData {
		block, err := p.stage(member, c.Data, c.More)
		if err != nil {
			return r, err
		}
		defer func() { err = errors.Join(err, p.release(block)) }()
		c.Block = site.Block{GA: uint64(block), Data: uint64(len(c.Data)), More: uint64(len(c.More))}
	}
	answer := make([]byte, c.ReplySize())
	n, err := p.call(member, uint8(c.Op), c.Append(make([]byte, 0, c.RequestSize())), answer)
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
func (p *Process) execFrom(c *site.Call, data, more span) (r site.Result, err error) {
	if err := p.checkGA(GA(c.GA)); err != nil {
		return r, err
	}
	member := p.member(GA(c.GA).rank())
	return p.execFromOn(member, c, data, more)
}

// execFromOn is execFrom at a member, whatever c.GA is.
func (p *Process) execFromOn(member int, c *site.Call, data, more span) (r site.Result, err error) {
	view := p.view
	if p.site(member) != nil && (p.registered(data.ga) || p.registered(more.ga)) {
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
	if data.n <= site.MaxData && more.n <= site.MaxData-data.n {
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
func (p *Process) execThrough(member int, c *site.Call, data, more span) (r site.Result, err error) {
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
	s := p.site(member)
	if s == nil {
		c.Data, c.More = nil, nil
		c.Block = site.Block{GA: uint64(block), Data: data.n, More: more.n}
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

// call lets the agent of member serve request and returns the length of its answer.
func (p *Process) call(member int, service uint8, request, answer []byte) (int, error) {
	r := &reply{cond: p.cond}
	p.net.Agents().Call(member, service, request, answer, r)
	n, err := r.wait()
	return int(n), err
}

// site returns the heap of member as structures see it, or nil if only its agent
// reaches it, or all of it.
func (p *Process) site(member int) *site.Site {
	s := p.sites[member].Load()
	if s == nil {
		s = p.findSite(member)
	}
	if s == nil || !s.Covers() {
		return nil
	}
	return s
}

func (p *Process) findSite(member int) *site.Site {
	var s *site.Site
	switch {
	case member == p.self:
		s = p.siteOf(member, p.space)
	case !p.net.Shares(member):
		return nil
	default:
		v, err := p.net.View(member)
		if err != nil {
			return nil // its agent may still be reached
		}
		p.enter(member, v)
		s = p.siteOf(member, v)
	}
	p.sites[member].Store(s)
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

func (p *Process) siteOf(member int, m segment.Memory) *site.Site {
	x, l := m.Extent(), m.Layout()
	return site.New(site.Config{
		Base: x.Base, From: l.HeapOffset(), Size: l.Heap, Mapped: x.Heap,
		Rank: int(p.rankOf(member)), Heap: m.Heap(p.alive), Over: p.alive,
		Reach: func(n uint64) site.Mapped {
			x := m.Reach(n)
			if x == nil {
				return site.Mapped{}
			}
			p.enter(member, m)
			return site.Mapped{Base: x.Base, Size: x.Heap}
		},
	})
}
