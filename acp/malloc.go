package acp

import (
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/heap"
)

// Malloc allocates size bytes in the heap of rank, aligned to 16. The contents are
// undefined. Size 0 gives a block of the smallest size. The block belongs to whoever
// holds its address, until Free; Reset and Finalize free all.
//
// On one host the caller does it itself; the agent of a rank on another host does it in
// one round trip. Either way the program of rank takes no part.
//
// Fails with ErrBadRank, with ErrHeapFull, and with ErrPeerDead when the run is over.
// Any rank. Blocks for that round trip. Spec 4.9.1.
func (p *Process) Malloc(size uint64, rank Rank) (GA, error) {
	err := p.alive()
	if err == nil && (rank < 0 || int(rank) >= p.procs) {
		err = ErrBadRank
	}
	var pos uint64
	if err == nil {
		pos, err = p.heapCall(serveMalloc, p.member(rank), size)
	}
	if err != nil {
		return NullGA, &OpError{Op: "malloc", Rank: p.Rank(), Size: size, Err: fmt.Errorf("on rank %d: %w", rank, err)}
	}
	return makeGA(rank, pos), nil
}

// Free gives the block at ga back to the heap it is from. Any rank may free any block.
//
// Fails with ErrNotAllocated for an address that is not that of a block in use, and
// then has changed nothing; with ErrBadAddress for a null address and one of no rank;
// and with ErrPeerDead when the run is over. Any rank. Blocks as Malloc does. Spec
// 4.9.2.
func (p *Process) Free(ga GA) error {
	err := p.checkGA(ga)
	if err == nil {
		_, err = p.heapCall(serveFree, p.member(ga.rank()), ga.pos())
	}
	if err != nil {
		return &OpError{Op: "free", Rank: p.Rank(), Src: ga, Err: err}
	}
	return nil
}

// What the agent of a rank does for others.
const (
	serveMalloc = iota + 1 // bytes to position, 0 if the heap is full
	serveFree              // position to 1, 0 if there is no such block
)

// heapCall allocates or frees in the heap of member.
func (p *Process) heapCall(service uint8, member int, arg uint64) (uint64, error) {
	h, err := p.heapOf(member)
	if err != nil {
		return 0, err
	}
	if h != nil {
		return onHeap(h, service, arg)
	}
	r := &reply{engine: p.engine}
	p.tcp.Call(member, service, arg, r)
	result, err := r.wait()
	switch {
	case err != nil:
		return 0, cause(err)
	case result != 0:
		return result, nil
	case service == serveMalloc:
		return 0, ErrHeapFull
	}
	return 0, ErrNotAllocated
}

// heapOf returns the heap of member, or nil if only its agent reaches it.
func (p *Process) heapOf(member int) (*heap.Heap, error) {
	if h := p.heaps[member].Load(); h != nil {
		return h, nil
	}
	var h *heap.Heap
	switch {
	case member == p.self:
		h = p.space.Heap(p.alive)
	case !p.shares(member):
		return nil, nil
	default:
		v, err := p.shm.View(member)
		if err != nil {
			return nil, nil // its agent may still be reached
		}
		h = v.Heap(p.alive)
	}
	p.heaps[member].Store(h)
	return h, nil
}

func onHeap(h *heap.Heap, service uint8, arg uint64) (uint64, error) {
	if service == serveMalloc {
		return h.Alloc(arg)
	}
	return 1, h.Free(arg)
}

// Serve implements fabric.Owner.
func (p *Process) Serve(service uint8, arg uint64) (uint64, error) {
	if service != serveMalloc && service != serveFree {
		return 0, fmt.Errorf("no service %d", service)
	}
	h, err := p.heapOf(p.self)
	if err != nil {
		return 0, err
	}
	result, err := onHeap(h, service, arg)
	if errors.Is(err, heap.ErrFull) || errors.Is(err, heap.ErrNotAllocated) {
		return 0, nil
	}
	return result, err
}
