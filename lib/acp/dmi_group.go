//go:build cgo && !mpi

package libacp

// #include "bind.h"
// #include "dmi_bind.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/dmi/node"
)

// dmiGroup is many ranges: those of global memory, and where each is from the base of a transfer.
type dmiGroup struct {
	addrs, offsets, sizes []int64
}

var errNoGroup = errors.New("no such group: DMI_group_init has not been called for it, or DMI_group_destroy has")

//export goacp_dmi_group_init
func goacp_dmi_group_init(group unsafe.Pointer, addrs, offsets, sizes *C.int64_t, n C.int32_t) C.int {
	return doDMI(func(*dmiRun) error {
		if err := needed("group", group); err != nil {
			return err
		}
		if n < 0 {
			return fmt.Errorf("%w: %d ranges", errDMISize, n)
		}
		g := new(dmiGroup)
		for _, a := range []struct {
			name string
			from *C.int64_t
			to   *[]int64
		}{{"addrs", addrs, &g.addrs}, {"ptr_offsets", offsets, &g.offsets}, {"sizes", sizes, &g.sizes}} {
			if n == 0 {
				break
			}
			if err := needed(a.name, unsafe.Pointer(a.from)); err != nil {
				return err
			}
			*a.to = slices.Clone(unsafe.Slice((*int64)(a.from), n))
		}
		for i, size := range g.sizes {
			if size < 0 {
				return fmt.Errorf("%w: sizes[%d] is %d", errDMISize, i, size)
			}
		}
		dmi.groups.enter(group, g)
		return nil
	})
}

//export goacp_dmi_group_destroy
func goacp_dmi_group_destroy(group unsafe.Pointer) C.int {
	return doDMI(func(*dmiRun) error {
		_, err := dmi.groups.drop("group", group, errNoGroup)
		return err
	})
}

// at returns the memory of each range from a base on.
func (g *dmiGroup) at(base unsafe.Pointer) ([][]byte, error) {
	all := make([][]byte, len(g.sizes))
	for i, size := range g.sizes {
		if size == 0 {
			continue
		}
		at := unsafe.Add(base, g.offsets[i])
		if err := fabric.CheckRange(uintptr(at), uint64(size)); base == nil || err != nil {
			return nil, fmt.Errorf("range %d: no memory of the program at address %#x", i, uintptr(at))
		}
		all[i] = unsafe.Slice((*byte)(at), size)
	}
	return all, nil
}

// goacp_dmi_group_move is DMI_group_read or, if writes is not 0, DMI_group_write.
//
//export goacp_dmi_group_move
func goacp_dmi_group_move(group, base unsafe.Pointer, mode C.int8_t, status unsafe.Pointer, writes C.int) C.int {
	defer stopDMIPanic()
	debug.SetPanicOnFault(true)
	g, err := dmi.groups.find("group", group, errNoGroup)
	var memory [][]byte
	if err == nil {
		memory, err = g.at(base)
	}
	if err != nil {
		return refuseDMI(err)
	}
	check, move := (*node.Node).CheckRead, (*node.Node).ReadMany
	if writes != 0 {
		check, move = (*node.Node).CheckWrite, (*node.Node).WriteMany
	}
	return dmiCall{
		check: func(r *dmiRun) error {
			for i, addr := range g.addrs {
				if err := check(r.node, addr, int64(len(memory[i])), node.Mode(mode)); err != nil {
					return err
				}
			}
			return nil
		},
		do: func(r *dmiRun) error { return move(r.node, g.addrs, memory, node.Mode(mode)) },
	}.with(status)
}
