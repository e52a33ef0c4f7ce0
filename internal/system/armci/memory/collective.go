package memory

import (
	"encoding/binary"
	"fmt"

	"github.com/goacp/goacp/internal/system/armci/world"
)

// Block is the block of one process.
type Block struct {
	Addr uintptr // in the process; 0 if there is none
	Size uint64  // bytes
}

// contributionBytes is the length of what each member tells the others about its block: why it has none, its
// address, and its size.
const contributionBytes = 1 + 8 + 8

// Malloc is MallocBlocks for a caller that needs only the addresses.
func (l *Local) Malloc(of Members, n int64) ([]uintptr, error) {
	blocks, err := l.MallocBlocks(of, n)
	if err != nil {
		return nil, err
	}
	addrs := make([]uintptr, len(blocks))
	for rank, b := range blocks {
		addrs[rank] = b.Addr
	}
	return addrs, nil
}

// MallocBlocks allocates a block of n bytes on this process, which may be 0, together with all members.
// It returns the blocks of all, in order of ranks. Fails on all members with the reason of the first
// member on which it fails: world.ErrMemory, or world.ErrCount for a negative size. Collective. Blocks
// until all have called it.
func (l *Local) MallocBlocks(of Members, n int64) ([]Block, error) {
	own, failed := l.allocateOwn(n)
	blob := []byte{byte(-world.Code(failed))}
	blob = binary.LittleEndian.AppendUint64(blob, uint64(own))
	all, err := of.Exchange(binary.LittleEndian.AppendUint64(blob, uint64(n)))
	if err != nil {
		return nil, err
	}
	blocks := make([]Block, len(of.Procs()))
	var reason error
	for rank := range blocks {
		b := all[rank*contributionBytes:][:contributionBytes]
		if b[0] != 0 && reason == nil {
			reason = fmt.Errorf("%w: on process %d", world.OfCode(-int(b[0])), of.Procs()[rank])
			if rank == of.Rank() {
				reason = failed
			}
		}
		blocks[rank] = Block{uintptr(binary.LittleEndian.Uint64(b[1:])), binary.LittleEndian.Uint64(b[9:])}
	}
	if reason == nil {
		return blocks, nil
	}
	if own != 0 {
		_ = l.Free(own) // it has just been allocated
	}
	return nil, reason
}

// allocateOwn allocates the block of this process, none if n is 0.
func (l *Local) allocateOwn(n int64) (uintptr, error) {
	switch {
	case n < 0:
		return 0, fmt.Errorf("%w: %d", world.ErrCount, n)
	case n == 0:
		return 0, nil
	}
	return l.Alloc(uint64(n))
}

// FreeTogether frees the block of this process that has an address, when all members have called
// it; nothing if the address is 0. Collective. Blocks until all have called it. Fails with
// world.ErrAddress.
func (l *Local) FreeTogether(of Members, addr uintptr) error {
	if err := of.Barrier(); err != nil || addr == 0 {
		return err
	}
	return l.Free(addr)
}
