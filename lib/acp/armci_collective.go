//go:build cgo

package libacp

// #include "bind.h"
// #include "armci_bind.h"
import "C"

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	messages "github.com/goacp/goacp/internal/structure/message"
	"github.com/goacp/goacp/internal/structure/reduction"
	"github.com/goacp/goacp/internal/system/armci/core"
	"github.com/goacp/goacp/internal/system/armci/group"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// withTeam calls f with the team of a scope of a group, unless this process takes no part.
func withTeam(call *C.struct_goacp_call, scope C.int, number C.uint64_t, f func(h *messages.Engine, t *group.Team) error) C.int {
	return withGroup(call, number, func(_ *core.Session, g *group.Group) error {
		t, err := g.Scope(group.Scope(scope))
		if err != nil || t == nil {
			return err
		}
		return armciWaited(f(g.Groups().Engine(), t))
	})
}

// goacp_armci_tree is armci_msg_bintree: root, the process above this one, and those below it. A
// process that takes no part has the root alone.
//
//export goacp_armci_tree
func goacp_armci_tree(call *C.struct_goacp_call, scope C.int, tree *C.int) C.int {
	of := unsafe.Slice(tree, 4)
	for i := range of {
		of[i] = -1
	}
	return withGroup(call, C.GOACP_ARMCI_WORLD_GROUP, func(_ *core.Session, g *group.Group) error {
		procs, err := g.In(group.Scope(scope))
		if err != nil {
			return err
		}
		of[0] = C.int(procs[0])
		rank := slices.Index(procs, g.Procs()[g.Rank()])
		if rank < 0 {
			return nil
		}
		up, left, right := messages.BinaryTree(len(procs), rank)
		for i, next := range []int{up, left, right} {
			if next >= 0 {
				of[i+1] = C.int(procs[next])
			}
		}
		return nil
	})
}

// goacp_armci_broadcast is armci_msg_group_bcast_scope. root may be GOACP_ARMCI_FIRST_PROC.
//
//export goacp_armci_broadcast
func goacp_armci_broadcast(call *C.struct_goacp_call, scope C.int, at unsafe.Pointer, n, root C.int, number C.uint64_t) C.int {
	return withTeam(call, scope, number, func(h *messages.Engine, t *group.Team) error {
		b, err := bytesAt(at, int64(n))
		if err != nil {
			return err
		}
		rank := 0
		if root != C.GOACP_ARMCI_FIRST_PROC {
			if rank, err = t.Root(int(root)); err != nil {
				return err
			}
		}
		return h.Broadcast(t.Team, b, rank)
	})
}

// goacp_armci_broadcast_run is armci_grp_clus_brdcst.
//
//export goacp_armci_broadcast_run
func goacp_armci_broadcast_run(call *C.struct_goacp_call, at unsafe.Pointer, n, first, count C.int, number C.uint64_t) C.int {
	return withGroup(call, number, func(_ *core.Session, g *group.Group) error {
		b, err := bytesAt(at, int64(n))
		if err != nil {
			return err
		}
		t, err := g.Run(int(first), int(count))
		if err != nil || t == nil {
			return err
		}
		return armciWaited(g.Groups().Engine().Broadcast(t.Team, b, 0))
	})
}

// goacp_armci_reduce is armci_msg_group_gop_scope.
//
//export goacp_armci_reduce
func goacp_armci_reduce(call *C.struct_goacp_call, scope C.int, x unsafe.Pointer, n C.int, op *C.char, typ C.int, number C.uint64_t) C.int {
	return withTeam(call, scope, number, func(h *messages.Engine, t *group.Team) error {
		o, err := reduction.Parse(operatorText(op))
		if err != nil {
			return fmt.Errorf("%w: %w", world.ErrLevels, err)
		}
		f, err := reduction.For(o, reduction.Type(typ))
		if err != nil {
			return fmt.Errorf("%w: %w", world.ErrLevels, err)
		}
		b, err := bytesAt(x, int64(n)*int64(reduction.Type(typ).Size()))
		if err != nil {
			return err
		}
		return h.Reduce(t.Team, b, f)
	})
}

// operatorText returns the beginning of what a program passes for an operator. Text of Fortran has
// no end, so it is read to the first blank, or for the length of the longest name.
func operatorText(op *C.char) string {
	if op == nil {
		return ""
	}
	var text []byte
	for i := range reduction.MaxName {
		c := *(*byte)(unsafe.Add(unsafe.Pointer(op), i))
		if c <= ' ' {
			break
		}
		text = append(text, c)
	}
	return string(text)
}

// goacp_armci_select is armci_msg_sel_scope.
//
//export goacp_armci_select
func goacp_armci_select(call *C.struct_goacp_call, scope C.int, x unsafe.Pointer, n C.int, op *C.char, typ, contribute C.int) C.int {
	return withTeam(call, scope, C.GOACP_ARMCI_WORLD_GROUP, func(h *messages.Engine, t *group.Team) error {
		size := reduction.Type(typ).Size()
		o, err := reduction.Parse(operatorText(op))
		if err != nil || size == 0 || o != reduction.Max && o != reduction.Min {
			return fmt.Errorf("%w: selection by %v of type %d", world.ErrLevels, o, typ)
		}
		b, err := bytesAt(x, int64(n))
		if err != nil {
			return err
		}
		if len(b) < size {
			return fmt.Errorf("%w: %d bytes for a number of %d", world.ErrCount, n, size)
		}
		c := messages.Candidate{Type: reduction.Type(typ), Best: o, Takes: contribute != 0}
		copy(c.Key[:size], b)
		if _, err = h.Select(t.Team, b, c); errors.Is(err, messages.ErrSelection) {
			err = fmt.Errorf("%w: %w", world.ErrLevels, err)
		}
		return err
	})
}

// goacp_armci_exchange_address is armci_exchange_address_grp.
//
//export goacp_armci_exchange_address
func goacp_armci_exchange_address(call *C.struct_goacp_call, addresses *unsafe.Pointer, n C.int, number C.uint64_t) C.int {
	return withGroup(call, number, func(_ *core.Session, g *group.Group) error {
		if addresses == nil {
			return fmt.Errorf("%w: NULL", world.ErrArray)
		}
		if int(n) != g.Size() {
			return fmt.Errorf("%w: %d addresses for %d processes", world.ErrLevels, n, g.Size())
		}
		list := unsafe.Slice(addresses, g.Size())
		own := binary.NativeEndian.AppendUint64(nil, uint64(uintptr(list[g.Rank()])))
		all, err := g.Exchange(own)
		if err != nil {
			return err
		}
		for rank := range list {
			list[rank] = world.At(uintptr(binary.NativeEndian.Uint64(all[8*rank:])))
		}
		return nil
	})
}
