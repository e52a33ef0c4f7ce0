package mutex

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/goacp/goacp/internal/system/armci/memory"
	"github.com/goacp/goacp/internal/system/armci/table"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// pool has the free nodes of this process. One of them is in the table, where C can take it.
type pool struct {
	world *world.World
	table *table.Table
	local *memory.Local

	mu   sync.Mutex
	free []*node
}

// poolGrowth is how many nodes are allocated together.
const poolGrowth = 64

// take returns a free node. Fails with world.ErrMemory.
func (p *pool) take() (*node, error) {
	if n := (*node)(p.table.SwapSpare(nil)); n != nil {
		return n, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) == 0 {
		if err := p.grow(); err != nil {
			return nil, err
		}
	}
	last := len(p.free) - 1
	n := p.free[last]
	p.free = p.free[:last]
	return n, nil
}

// grow allocates nodes. The caller holds the lock.
func (p *pool) grow() error {
	addr, err := p.local.AllocInternal(poolGrowth * nodeBytes)
	if err != nil {
		return fmt.Errorf("%w: for threads that wait for mutexes", err)
	}
	for i := range uintptr(poolGrowth) {
		at := addr + i*uintptr(nodeBytes)
		n := (*node)(world.At(at))
		n.Name = nameOf(p.world.Self(), p.world.Position(p.world.Self(), at))
		p.free = append(p.free, n)
	}
	return nil
}

// give gives a node back.
func (p *pool) give(n *node) {
	if before := p.table.SwapSpare(unsafe.Pointer(n)); before != nil {
		p.keep(before)
	}
}

// keep keeps a free node that was in the table.
func (p *pool) keep(n unsafe.Pointer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, (*node)(n))
}
