package memory

import (
	"encoding/binary"
	"fmt"

	"github.com/goacp/goacp/internal/armci/world"
)

// offerBytes is the length of what each member tells the others about its block: why it has none, and
// its address.
const offerBytes = 1 + 8

// Malloc allocates a block of n bytes on this process, which may be 0, together with all members. It
// returns the addresses of the blocks of all, in order of ranks: 0 where the size was 0. Fails on
// all members with the reason of the first one on which it fails: world.ErrMemory, or world.ErrCount
// for a negative size. Collective. Blocks until all have called it.
func (l *Local) Malloc(of Members, n int64) ([]uintptr, error) {
	own, failed := l.offer(n)
	blob := []byte{byte(-world.Code(failed))}
	all, err := of.Exchange(binary.LittleEndian.AppendUint64(blob, uint64(own)))
	if err != nil {
		return nil, err
	}
	addrs := make([]uintptr, len(of.Procs()))
	var reason error
	for rank := range addrs {
		b := all[rank*offerBytes:][:offerBytes]
		if b[0] != 0 && reason == nil {
			reason = fmt.Errorf("%w: on process %d", world.OfCode(-int(b[0])), of.Procs()[rank])
			if rank == of.Rank() {
				reason = failed
			}
		}
		addrs[rank] = uintptr(binary.LittleEndian.Uint64(b[1:]))
	}
	if reason == nil {
		return addrs, nil
	}
	if own != 0 {
		_ = l.Free(own) // it has just been allocated
	}
	return nil, reason
}

// offer allocates the block of this process.
func (l *Local) offer(n int64) (uintptr, error) {
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
