package fabrictest_test

import (
	"fmt"
	"sync"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/network/fabrictest"
)

// pipe is the transport of one member. It connects members of one process. A request is a
// function that the agent of the owner runs.
type pipe struct {
	peers  []*pipe // by member
	memory fabric.Memory
	agent  sync.WaitGroup
	under  sync.WaitGroup // operations of this member that have not completed

	mu       sync.Mutex
	arrived  sync.Cond
	requests []func(fabric.Memory) // to the agent, in order of arrival
	closed   bool                  // no operation of this member begins any more
	gone     bool                  // the agent takes no request any more
}

// request is an operation on memory of a member. It calls finish once.
type request func(memory fabric.Memory, finish completion)

// completion is a fabric.Completion that calls a function.
type completion func(old uint64, err error)

// Complete implements fabric.Completion.
func (c completion) Complete(old uint64, err error) { c(old, err) }

// connect returns a member for each of the memories.
func connect(memories []fabric.Memory) []*pipe {
	peers := make([]*pipe, len(memories))
	for i, m := range memories {
		p := &pipe{peers: peers, memory: m}
		p.arrived.L = &p.mu
		p.agent.Go(p.serve)
		peers[i] = p
	}
	return peers
}

// serve is the agent.
func (p *pipe) serve() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		for len(p.requests) == 0 && !p.gone {
			p.arrived.Wait()
		}
		if len(p.requests) == 0 {
			return
		}
		next := p.requests[0]
		p.requests = p.requests[1:]
		p.mu.Unlock()
		next(p.memory)
		p.mu.Lock()
	}
}

// ask sends a request to the agent of peer. It does not wait.
func (p *pipe) ask(peer int, r request, done fabric.Completion) {
	if peer < 0 || peer >= len(p.peers) {
		done.Complete(0, fmt.Errorf("no rank %d in a run of %d", peer, len(p.peers)))
		return
	}
	if !p.begin() {
		done.Complete(0, fabric.ErrClosed)
		return
	}
	finish := func(old uint64, err error) {
		done.Complete(old, err)
		p.under.Done()
	}
	if !p.peers[peer].take(func(m fabric.Memory) { r(m, finish) }) {
		finish(0, fabric.ErrPeerDead)
	}
}

// begin counts an operation of this member, unless it is closed.
func (p *pipe) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.under.Add(1)
	}
	return !p.closed
}

// take gives a request to the agent, unless it has ended.
func (p *pipe) take(r func(fabric.Memory)) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return false
	}
	p.requests = append(p.requests, r)
	p.arrived.Signal()
	return true
}

// Name implements fabric.Transport.
func (p *pipe) Name() string { return "pipe" }

// Abilities implements fabric.Transport.
func (p *pipe) Abilities() fabric.Abilities {
	return fabric.Abilities{Copies: true, Atomics: fabric.CPUAtomics}
}

// Put implements fabric.Transport.
func (p *pipe) Put(peer int, pos uint64, src unsafe.Pointer, n uint64, done fabric.Completion) {
	p.ask(peer, func(m fabric.Memory, finish completion) {
		dst, err := m.Resolve(pos, n)
		if err == nil {
			fabric.Move(dst, src, n)
		}
		finish(0, err)
	}, done)
}

// Get implements fabric.Transport.
func (p *pipe) Get(peer int, pos uint64, dst unsafe.Pointer, n uint64, done fabric.Completion) {
	p.ask(peer, func(m fabric.Memory, finish completion) {
		src, err := m.Resolve(pos, n)
		if err == nil {
			fabric.Move(dst, src, n)
		}
		finish(0, err)
	}, done)
}

// Atomic implements fabric.Transport.
func (p *pipe) Atomic(peer int, pos uint64, a fabric.Atomic, done fabric.Completion) {
	if !a.Valid(pos) {
		done.Complete(0, fabric.ErrInvalid)
		return
	}
	p.ask(peer, func(m fabric.Memory, finish completion) {
		at, err := m.Resolve(pos, uint64(a.Width))
		if err != nil {
			finish(0, err)
			return
		}
		finish(a.Apply(at), nil)
	}, done)
}

// Copy implements fabric.Transport: the agent of src puts the bytes.
func (p *pipe) Copy(src int, srcPos uint64, dst int, dstPos, n uint64, done fabric.Completion) {
	p.ask(src, func(m fabric.Memory, finish completion) {
		from, err := m.Resolve(srcPos, n)
		if err != nil {
			finish(0, err)
			return
		}
		p.peers[src].Put(dst, dstPos, from, n, finish)
	}, done)
}

// Close implements fabric.Transport.
func (p *pipe) Close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.under.Wait()
	p.mu.Lock()
	p.gone = true
	p.arrived.Signal()
	p.mu.Unlock()
	p.agent.Wait()
	return nil
}

// TestPipe runs the tests that every transport passes.
func TestPipe(t *testing.T) {
	fabrictest.Run(t, func(t *testing.T, n int) []fabrictest.Member {
		const pos = 4096
		memories, members := make([]fabric.Memory, n), make([]fabrictest.Member, n)
		for i := range memories {
			owner := fabrictest.NewOwner(t, pos, fabrictest.MemorySize)
			memories[i], members[i].Memory = owner, owner.Memory
		}
		for i, p := range connect(memories) {
			members[i].Transport, members[i].Pos, members[i].Bad = p, pos, pos+fabrictest.MemorySize
			t.Cleanup(func() { p.Close() })
		}
		return members
	})
}
