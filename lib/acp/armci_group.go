//go:build cgo

package main

// #include "bind.h"
// #include "armci_bind.h"
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"github.com/goacp/goacp/internal/structure/collarea"
	messages "github.com/goacp/goacp/internal/structure/message"
	"github.com/goacp/goacp/internal/system/armci/core"
	"github.com/goacp/goacp/internal/system/armci/group"
	"github.com/goacp/goacp/internal/system/armci/table"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// groupTable has the groups of the world that this process is a member of, by the numbers that
// their handles have. A number is never given out again.
type groupTable struct {
	mu     sync.Mutex
	groups *group.Groups
	known  *table.Table // to C
	all    map[C.uint64_t]*group.Group
	comms  map[C.uint64_t]C.uint64_t      // of those that have a communicator of MPI
	areas map[C.uint64_t]*collarea.Area // of those that have one
	last   C.uint64_t
	usual  C.uint64_t // the default group
}

// begin makes the table for a new world. Its group of all processes replaces what the world has for
// exchanges and barriers.
func (t *groupTable) begin(hub *messages.Hub, s *core.Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.groups, t.known = group.New(hub, s.World), s.Table
	s.Everyone = t.groups.All()
	t.all = make(map[C.uint64_t]*group.Group)
	t.comms = make(map[C.uint64_t]C.uint64_t)
	t.areas = make(map[C.uint64_t]*collarea.Area)
	t.add(t.groups.All(), C.GOACP_ARMCI_WORLD_GROUP)
	t.last = max(t.last, C.GOACP_ARMCI_WORLD_GROUP)
	t.usual = C.GOACP_ARMCI_WORLD_GROUP
}

// end empties the table. The world is over.
func (t *groupTable) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.groups.Close()
	t.groups, t.known, t.all, t.comms, t.areas = nil, nil, nil, nil, nil
}

// add gives a group a number. If the group gets a collective area, C learns of it. The caller holds the lock.
func (t *groupTable) add(g *group.Group, number C.uint64_t) {
	t.all[number] = g
	g.OnArea(func(b *collarea.Area) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.areas[number] = b
		t.known.SetArea(uint64(number), b.Share(uint64(number)))
	})
}

// area returns the collective area of the group with a number.
func (t *groupTable) area(number C.uint64_t) *collarea.Area {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.areas[number]
}

// find returns the group with a number, or nil.
func (t *groupTable) find(number C.uint64_t) *group.Group {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all[number]
}

// member returns the group with a number. Fails with ErrProc if there is none, or if this process is
// no member.
func (t *groupTable) member(number C.uint64_t) (*group.Group, error) {
	if g := t.find(number); g != nil {
		return g, nil
	}
	return nil, fmt.Errorf("%w: the group was freed, or this process is none of it", world.ErrProc)
}

// enter gives a group, which may be nil, a number, and describes it.
func (t *groupTable) enter(g *group.Group, to *C.struct_goacp_armci_group) {
	number := C.uint64_t(C.GOACP_ARMCI_NO_GROUP)
	if g != nil {
		t.mu.Lock()
		t.last++
		number = t.last
		t.add(g, number)
		t.mu.Unlock()
	}
	t.describe(number, to)
}

// describe stores what C has to know of the group with a number, or that there is none.
func (t *groupTable) describe(number C.uint64_t, to *C.struct_goacp_armci_group) {
	t.mu.Lock()
	defer t.mu.Unlock()
	g := t.all[number]
	if g == nil {
		*to = C.struct_goacp_armci_group{number: C.GOACP_ARMCI_NO_GROUP, rank: -1}
		return
	}
	comm, ok := t.comms[number]
	*to = C.struct_goacp_armci_group{
		number: number, rank: C.int(g.Rank()), size: C.int(g.Size()),
		has_comm: truth(ok), comm: comm, among: C.uint64_t(g.Number()),
	}
}

// withGroup is armciWith for the group with a number.
func withGroup(call *C.struct_goacp_call, number C.uint64_t, f func(s *core.Session, g *group.Group) error) C.int {
	return armciWith(call, func(s *core.Session) error {
		g, err := armci.groups.member(number)
		if err != nil {
			return err
		}
		return f(s, g)
	})
}

// goacp_armci_group_create is ARMCI_Group_create_child.
//
//export goacp_armci_group_create
func goacp_armci_group_create(call *C.struct_goacp_call, n C.int, list *C.int, parent C.uint64_t, made *C.struct_goacp_armci_group) C.int {
	return armciWith(call, func(*core.Session) error {
		switch {
		case n < 0:
			return fmt.Errorf("%w: %d", world.ErrLevels, n)
		case n > 0 && list == nil:
			return fmt.Errorf("%w: NULL", world.ErrArray)
		}
		if parent == C.GOACP_ARMCI_NO_GROUP {
			return nil
		}
		of, err := armci.groups.member(parent)
		if err != nil {
			return err
		}
		ranks := make([]int, 0, n)
		for _, rank := range unsafe.Slice(list, int(n)) {
			ranks = append(ranks, int(rank))
		}
		g, err := of.Groups().Create(of, ranks)
		if err == nil {
			armci.groups.enter(g, made)
		}
		return err
	})
}

// goacp_armci_group_split is ARMCIX_Group_split.
//
//export goacp_armci_group_split
func goacp_armci_group_split(call *C.struct_goacp_call, parent C.uint64_t, color, key C.int, made *C.struct_goacp_armci_group) C.int {
	return withGroup(call, parent, func(_ *core.Session, of *group.Group) error {
		g, err := of.Groups().Split(of, int32(color), int32(key))
		if err == nil {
			armci.groups.enter(g, made)
		}
		return err
	})
}

// goacp_armci_group_free is ARMCI_Group_free, for other groups than the world. If it was the default
// group, the world is.
//
//export goacp_armci_group_free
func goacp_armci_group_free(number C.uint64_t) {
	t := &armci.groups
	t.mu.Lock()
	defer t.mu.Unlock()
	if g := t.all[number]; g != nil {
		t.known.UnsetArea(uint64(number))
		g.Close()
	}
	delete(t.all, number)
	delete(t.comms, number)
	delete(t.areas, number)
	if t.usual == number {
		t.usual = C.GOACP_ARMCI_WORLD_GROUP
	}
}

// goacp_armci_group_set_comm gives a group a communicator of MPI.
//
//export goacp_armci_group_set_comm
func goacp_armci_group_set_comm(number, comm C.uint64_t) {
	t := &armci.groups
	t.mu.Lock()
	defer t.mu.Unlock()
	t.comms[number] = comm
}

// goacp_armci_group_set_default is ARMCI_Group_set_default.
//
//export goacp_armci_group_set_default
func goacp_armci_group_set_default(call *C.struct_goacp_call, number C.uint64_t) {
	armciWith(call, func(*core.Session) error {
		t := &armci.groups
		t.mu.Lock()
		defer t.mu.Unlock()
		t.usual = number
		return nil
	})
}

// goacp_armci_group_get_default is ARMCI_Group_get_default.
//
//export goacp_armci_group_get_default
func goacp_armci_group_get_default(call *C.struct_goacp_call, found *C.struct_goacp_armci_group) {
	armciWith(call, func(*core.Session) error {
		t := &armci.groups
		t.mu.Lock()
		number := t.usual
		t.mu.Unlock()
		goacp_armci_group_find(number, found)
		return nil
	})
}

// goacp_armci_group_find describes the group with a number, and no group if there is none.
//
//export goacp_armci_group_find
func goacp_armci_group_find(number C.uint64_t, found *C.struct_goacp_armci_group) {
	armci.groups.describe(number, found)
}

// goacp_armci_group_absolute is ARMCI_Absolute_id.
//
//export goacp_armci_group_absolute
func goacp_armci_group_absolute(number C.uint64_t, rank C.int) C.int {
	g := armci.groups.find(number)
	if g == nil || rank < 0 || int(rank) >= g.Size() {
		return -1
	}
	return C.int(g.Procs()[rank])
}

// goacp_armci_group_barrier is armci_msg_group_barrier.
//
//export goacp_armci_group_barrier
func goacp_armci_group_barrier(call *C.struct_goacp_call, number C.uint64_t) C.int {
	return withGroup(call, number, func(_ *core.Session, g *group.Group) error { return g.Barrier() })
}

// goacp_armci_group_malloc is ARMCI_Malloc_group.
//
//export goacp_armci_group_malloc
func goacp_armci_group_malloc(call *C.struct_goacp_call, to *unsafe.Pointer, bytes C.long, number C.uint64_t) C.int {
	return withGroup(call, number, func(_ *core.Session, g *group.Group) error {
		return armciMalloc(g, to, bytes)
	})
}

// goacp_armci_group_free_memory is ARMCI_Free_group.
//
//export goacp_armci_group_free_memory
func goacp_armci_group_free_memory(call *C.struct_goacp_call, at unsafe.Pointer, number C.uint64_t) C.int {
	return withGroup(call, number, func(x *core.Session, g *group.Group) error { return armciFree(x, g, at) })
}

// goacp_armci_group_fence is ARMCI_GroupFence.
//
//export goacp_armci_group_fence
func goacp_armci_group_fence(call *C.struct_goacp_call, number C.uint64_t) C.int {
	return withGroup(call, number, func(x *core.Session, g *group.Group) (err error) {
		if g.IsWorld() {
			return x.Transfer.AllFence()
		}
		for _, p := range g.Procs() {
			err = errors.Join(err, x.Transfer.Fence(p))
		}
		return err
	})
}

// goacp_armci_group_shares is ARMCI_Uses_shm_grp.
//
//export goacp_armci_group_shares
func goacp_armci_group_shares(number C.uint64_t) C.int {
	g := armci.groups.find(number)
	if g == nil {
		return 0
	}
	t, err := g.Scope(group.Node)
	return truth(err == nil && len(t.Procs) > 1)
}
