package memory

import (
	"fmt"
	"slices"
	"sync"

	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/process/extension"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// The alignment of blocks: cacheLine, and page for blocks of a page or more.
const (
	cacheLine = 64
	page      = 4096
)

// Local is the shared memory of this process. Its methods may be called by several goroutines at
// once.
type Local struct {
	process *extension.Process

	mu     sync.Mutex
	blocks []block // in order of addresses
	used   uint64  // bytes of all blocks that the limit counts
	limit  uint64  // 0: none
}

// block is a block that is in use.
type block struct {
	addr uintptr
	size uint64
	at   uint64 // global address

	counted uint64 // bytes that count towards the limit
}

// NewLocal returns the shared memory of a process, without blocks.
func NewLocal(p *extension.Process) *Local { return &Local{process: p} }

// SetLimit sets the greatest number of bytes of all blocks; 0 is none. Blocks that there are stay.
func (l *Local) SetLimit(bytes uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.limit = bytes
}

// Alloc returns the address of a new block of n bytes, which are zero. It is a multiple of 64, and of
// 4096 if n is 4096 or more. n is not 0. Fails with world.ErrMemory.
func (l *Local) Alloc(n uint64) (uintptr, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.limit != 0 && (n > l.limit || l.used > l.limit-n) {
		return 0, fmt.Errorf("%w: %d bytes, of %d of which %d are in use; ARMCI_Set_shm_limit and ARMCI_SHM_LIMIT set the limit",
			world.ErrMemory, n, l.limit, l.used)
	}
	return l.alloc(n, n)
}

// AllocInternal is Alloc for memory of the library itself, which does not count towards the limit.
func (l *Local) AllocInternal(n uint64) (uintptr, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.alloc(n, 0)
}

// alloc is Alloc of a block of which counted bytes count towards the limit. The caller holds the
// lock.
func (l *Local) alloc(n, counted uint64) (uintptr, error) {
	p, m := l.process, l.process.Memory
	if heap := m.HeapSize(p.Ranks.Self()); n > heap {
		return 0, fmt.Errorf("%w: %d bytes: %s", world.ErrMemory, n, m.HeapLimit())
	}
	align := uint64(cacheLine)
	if n >= page {
		align = page
	}
	// A block whose size is a multiple of the alignment is aligned to it.
	at, err := m.Own().AllocZero((n + align - 1) &^ (align - 1))
	if err != nil {
		return 0, fmt.Errorf("%w: %w", world.ErrMemory, m.Explain(err))
	}
	addr := m.OwnerAddress(p.Ranks.Self(), ga.Pos(at))
	l.insert(block{addr, n, at, counted})
	return addr, nil
}

// insert enters a block. The caller holds the lock.
func (l *Local) insert(b block) {
	i, _ := l.find(b.addr)
	l.blocks = slices.Insert(l.blocks, i, b)
	l.used += b.counted
}

// find returns the number of the first block that ends after an address, and whether the address is
// in it. The caller holds the lock.
func (l *Local) find(addr uintptr) (int, bool) {
	i, _ := slices.BinarySearchFunc(l.blocks, addr, func(b block, addr uintptr) int {
		if b.addr+uintptr(b.size) <= addr {
			return -1
		}
		return 1
	})
	return i, i < len(l.blocks) && l.blocks[i].addr <= addr
}

// Free frees the block that has an address. Fails with world.ErrAddress.
func (l *Local) Free(addr uintptr) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	i, ok := l.find(addr)
	if !ok {
		return fmt.Errorf("%w: no block is at %#x", world.ErrAddress, addr)
	}
	b := l.blocks[i]
	if err := l.process.Memory.Free(b.at); err != nil {
		return fmt.Errorf("%w: %w", world.ErrAddress, err)
	}
	l.used -= b.counted
	l.blocks = slices.Delete(l.blocks, i, i+1)
	return nil
}

// Block returns the beginning and the size of the block that has an address, and false if there is
// none.
func (l *Local) Block(addr uintptr) (begin uintptr, size uint64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i, ok := l.find(addr)
	if !ok {
		return 0, 0, false
	}
	return l.blocks[i].addr, l.blocks[i].size, true
}

// FreeAll frees all blocks.
func (l *Local) FreeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range l.blocks {
		// The heap of this process has the block; if it is damaged there is nothing to free.
		_ = l.process.Memory.Free(b.at)
	}
	l.Forget()
}

// Forget removes all blocks: the heap is new. No other method is running, except FreeAll.
func (l *Local) Forget() { l.blocks, l.used = nil, 0 }
