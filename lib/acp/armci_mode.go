//go:build cgo

package libacp

// #include "bind.h"
// #include "armci_bind.h"
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/internal/system/armci/core"
	"github.com/goacp/goacp/internal/system/armci/group"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// forgetMode forgets the mode of the block that has an address, which is going to be freed.
func forgetMode(at unsafe.Pointer) {
	if block, _, ok := armci.system.Local().Block(uintptr(at)); ok {
		armci.modes.drop(C.uint64_t(block))
	}
}

// goacp_armci_mode_set is ARMCIX_Mode_set.
//
//export goacp_armci_mode_set
func goacp_armci_mode_set(call *C.struct_goacp_call, mode C.int, at unsafe.Pointer, number C.uint64_t) C.int {
	return withGroup(call, number, func(_ *core.Session, g *group.Group) error {
		if mode&^C.GOACP_ARMCI_MODES != 0 {
			return fmt.Errorf("%w: mode %d", world.ErrLevels, mode)
		}
		if at != nil {
			block, ok := modeBlock(at)
			if !ok {
				return fmt.Errorf("%w: %p is no shared memory of this process", world.ErrAddress, at)
			}
			armci.modes.set(C.uint64_t(block), mode)
		}
		return g.Barrier()
	})
}

// goacp_armci_mode_get is ARMCIX_Mode_get.
//
//export goacp_armci_mode_get
func goacp_armci_mode_get(at unsafe.Pointer) C.int {
	if armci.session.Load() == nil {
		return -1
	}
	block, ok := modeBlock(at)
	if !ok {
		return -1
	}
	if mode, found := armci.modes.find(C.uint64_t(block)); found {
		return mode
	}
	return C.GOACP_ARMCI_MODE_ALL
}

// modeBlock returns by which address the mode of memory is noted: that of its block or, if it was not
// allocated by ARMCI, its own. Reports whether it is shared memory of this process. There is a world.
func modeBlock(at unsafe.Pointer) (uintptr, bool) {
	if block, _, ok := armci.system.Local().Block(uintptr(at)); ok {
		return block, true
	}
	w := armci.session.Load().World
	_, err := w.Locate(w.Self(), uintptr(at), 1)
	return uintptr(at), err == nil
}
