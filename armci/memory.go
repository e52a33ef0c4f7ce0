package armci

import (
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/system/armci/group"
	"github.com/goacp/goacp/internal/system/armci/memory"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// Members are the processes that allocate together: the processes of a *World or of a *Group.
type Members interface {
	// members returns the world, and the group of the callers.
	members() (*World, *group.Group)
}

func (w *World) members() (*World, *group.Group) { return w, w.groups.All() }

// Memory is blocks of T that processes have allocated together, one block on each process.
type Memory[T any] struct {
	w      *World
	of     *group.Group
	blocks []memory.Block // by rank; nil after Free
}

// Malloc allocates memory for n elements on this process, which may be 0, together with the other
// members. Elements are zero. Memory of a page or more is aligned to pages.
//
// If it fails on one process, it fails on all: with ErrMemory, and with ErrCount. Fails with
// ErrBadType as well. Collective. Blocks until every member has called it. Not for concurrent use.
// ARMCI API: ARMCI_Malloc.
func Malloc[T any](of Members, n int) (*Memory[T], error) {
	w, g := of.members()
	if _, err := w.live(); err != nil {
		return nil, w.failed("malloc", err)
	}
	if err := checkType[T](); err != nil {
		return nil, w.failed("malloc", err)
	}
	bytes, wrong := bytesOf[T](n)
	if wrong != nil {
		bytes = -1 // the error reaches the other processes
	}
	blocks, err := w.system.Local().MallocBlocks(g, bytes)
	if err != nil {
		if wrong != nil {
			err = wrong
		}
		return nil, w.failed("malloc", err)
	}
	return &Memory[T]{w, g, blocks}, nil
}

// On returns the memory of a process. If the process is no member, transfers with the result fail with
// ErrBounds. Local. Does not block. ARMCI API: ARMCI_Malloc.
func (m *Memory[T]) On(proc int) Remote[T] {
	rank, ok := m.of.RankOf(proc)
	if !ok || m.blocks == nil {
		return Remote[T]{proc, 0, -1}
	}
	b := &m.blocks[rank]
	return Remote[T]{proc, b.Addr, int(b.Size) / size[T]()}
}

// Local returns the memory of this process, and nil after Free. The program does not use it after
// Free and Close. Local. Does not block. ARMCI API: ARMCI_Malloc.
func (m *Memory[T]) Local() []T { return m.On(m.w.Proc()).own() }

// Free completes and fences everything that this process has issued, waits for all members, and frees
// the memory. No process uses it any more. Fails with ErrState if it has been freed before.
// Collective. Blocks until every member has called it. Not for concurrent use. ARMCI API: ARMCI_Free.
func (m *Memory[T]) Free() error {
	s, err := m.w.live()
	if err == nil && m.blocks == nil {
		err = fmt.Errorf("%w: the memory has been freed", world.ErrState)
	}
	if err != nil {
		return m.w.failed("free", err)
	}
	own := m.On(m.w.Proc())
	m.blocks = nil
	return m.w.failed("free", errors.Join(m.w.settle(s), m.w.system.Local().FreeTogether(m.of, own.addr)))
}

// Block is memory that this process has allocated without other processes.
type Block[T any] struct {
	w *World
	r Remote[T]
}

// Alloc allocates shared memory for n elements, at least one, on this process only. Elements are zero.
// Fails with ErrBadType, ErrCount and ErrMemory. Local. Does not block. ARMCI API: ARMCI_Memget.
func Alloc[T any](w *World, n int) (*Block[T], error) {
	_, err := w.live()
	if err == nil {
		err = checkType[T]()
	}
	if err != nil {
		return nil, w.failed("alloc", err)
	}
	bytes, err := bytesOf[T](n)
	if err == nil && n == 0 {
		err = fmt.Errorf("%w: 0 elements", world.ErrCount)
	}
	if err != nil {
		return nil, w.failed("alloc", err)
	}
	addr, err := w.system.Local().Alloc(uint64(bytes))
	if err != nil {
		return nil, w.failed("alloc", err)
	}
	return &Block[T]{w, Remote[T]{w.Proc(), addr, n}}, nil
}

// Remote returns the memory as a Remote, by which other processes use it. Local. Does not block. ARMCI
// API: ARMCI_Memat.
func (b *Block[T]) Remote() Remote[T] { return b.r }

// Local returns the memory, and nil after Free. The program does not use it after Free and Close.
// Local. Does not block. ARMCI API: ARMCI_Memat.
func (b *Block[T]) Local() []T { return b.r.own() }

// Free frees the memory. No process may use it any more. Fails with ErrState if it has been freed
// before. Local. Does not block. ARMCI API: ARMCI_Memctl.
func (b *Block[T]) Free() error {
	_, err := b.w.live()
	if err == nil && b.r.n == 0 {
		err = fmt.Errorf("%w: the memory has been freed", world.ErrState)
	}
	if err == nil {
		err = b.w.system.Local().Free(b.r.addr)
		b.r.n = 0
	}
	return b.w.failed("free", err)
}
