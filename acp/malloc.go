package acp

import "fmt"

// Malloc allocates size bytes in the heap of rank, aligned to 16. The contents are
// undefined. Size 0 gives a block of the smallest size. The block stays
// until Free, which any rank may call. Reset and Finalize free all.
//
// If rank is on the caller's host, the caller allocates the block itself. Otherwise the agent of rank
// allocates it in one round trip. Either way the program of rank takes no part.
//
// Fails with ErrBadRank, with ErrHeapFull, and with ErrPeerDead when the run is over. Any rank. Blocks for
// one round trip at most. Spec 4.9.1.
func (p *Process) Malloc(size uint64, rank Rank) (GA, error) {
	err := p.mem.CheckRank(int(rank))
	var ga uint64
	if err == nil {
		ga, err = p.mem.Alloc(p.member(rank), size)
	}
	if err != nil {
		return NullGA, p.fail(&OpError{Op: "malloc", Rank: p.Rank(), Size: size, Err: fmt.Errorf("on rank %d: %w", rank, err)})
	}
	return GA(ga), nil
}

// Free returns the block at ga to its heap. Any rank may free any block.
//
// Fails with ErrNotAllocated for an address that is not that of a block in use, and then changes nothing;
// with ErrBadAddress for a null address and one of no rank; and with ErrPeerDead when the run is over. Any
// rank. Blocks as Malloc does. Spec 4.9.2.
func (p *Process) Free(ga GA) error {
	if err := p.mem.Free(uint64(ga)); err != nil {
		return p.fail(&OpError{Op: "free", Rank: p.Rank(), Src: ga, Err: err})
	}
	return nil
}
