//go:build cgo

package libacp

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
// their handles have.
type groupTable struct {
	byNumber numbered[C.uint64_t, *memberGroup]

	mu     sync.Mutex // guards the fields below and those of each memberGroup
	groups *group.Groups
	shared *table.Table // with C
	usual  C.uint64_t   // the default group
}

// memberGroup is a group that this process is a member of.
type memberGroup struct {
	*group.Group
	area    *collarea.Area // nil: the group has none
	hasComm bool
	comm    C.uint64_t // communicator of MPI
}

// begin makes the table for a new world. Its group of all processes replaces what the world has for
// exchanges and barriers.
func (t *groupTable) begin(engine *messages.Engine, s *core.Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.groups, t.shared = group.New(engine, s.World), s.Table
	s.Everyone = t.groups.All()
	all := &memberGroup{Group: t.groups.All()}
	t.byNumber.set(C.GOACP_ARMCI_WORLD_GROUP, all)
	t.shareArea(all, C.GOACP_ARMCI_WORLD_GROUP)
	t.usual = C.GOACP_ARMCI_WORLD_GROUP
}

// end empties the table. The world is over.
func (t *groupTable) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.groups.Close()
	t.groups, t.shared = nil, nil
	t.byNumber.clear()
}

// shareArea lets C use the collective area of a group when the group gets one.
func (t *groupTable) shareArea(g *memberGroup, number C.uint64_t) {
	g.OnArea(func(a *collarea.Area) {
		t.mu.Lock()
		defer t.mu.Unlock()
		g.area = a
		t.shared.Areas.Enter(uint64(number), a.Share(uint64(number))) // otherwise C leaves it to Go
	})
}

// area returns the collective area of the group with a number, which has one.
func (t *groupTable) area(number C.uint64_t) *collarea.Area {
	t.mu.Lock()
	defer t.mu.Unlock()
	g, _ := t.byNumber.find(number)
	return g.area
}

var errNoMember = fmt.Errorf("%w: the group was freed, or this process is none of it", world.ErrProc)

// member returns the group with a number. Fails with ErrProc if there is none, or if this process is
// no member.
func (t *groupTable) member(number C.uint64_t) (*group.Group, error) {
	g, err := t.byNumber.existing(number, errNoMember)
	if err != nil {
		return nil, err
	}
	return g.Group, nil
}

// enter gives a group, which may be nil, a number, and describes it.
func (t *groupTable) enter(g *group.Group, to *C.struct_goacp_armci_group) {
	number := C.uint64_t(C.GOACP_ARMCI_NO_GROUP)
	if g != nil {
		m := &memberGroup{Group: g}
		number = t.byNumber.add(m)
		t.shareArea(m, number)
	}
	t.describe(number, to)
}

// describe stores what C has to know of the group with a number, or that there is none.
func (t *groupTable) describe(number C.uint64_t, to *C.struct_goacp_armci_group) {
	t.mu.Lock()
	defer t.mu.Unlock()
	g, found := t.byNumber.find(number)
	if !found {
		*to = C.struct_goacp_armci_group{number: C.GOACP_ARMCI_NO_GROUP, rank: -1}
		return
	}
	*to = C.struct_goacp_armci_group{
		number: number, rank: C.int(g.Rank()), size: C.int(g.Size()),
		has_comm: truth(g.hasComm), comm: g.comm, among: C.uint64_t(g.Number()),
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
	if g, found := t.byNumber.drop(number); found {
		t.shared.Areas.Remove(uint64(number))
		g.Close()
	}
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
	if g, found := t.byNumber.find(number); found {
		g.comm, g.hasComm = comm, true
	}
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
	g, found := armci.groups.byNumber.find(number)
	if !found || rank < 0 || int(rank) >= g.Size() {
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
	g, found := armci.groups.byNumber.find(number)
	if !found {
		return 0
	}
	t, err := g.Scope(group.Node)
	return truth(err == nil && len(t.Procs) > 1)
}
