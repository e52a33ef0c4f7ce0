//go:build cgo

package main

// #include "bind.h"
// #include "armci_bind.h"
import "C"

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/goacp/goacp/internal/system/armci/core"
	"github.com/goacp/goacp/internal/system/armci/group"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// modeTable has what the program promises about blocks of shared memory of this process, by their
// addresses. Nothing depends on it.
type modeTable struct {
	mu    sync.Mutex
	modes map[uintptr]C.int
}

// set notes the mode of a block.
func (t *modeTable) set(block uintptr, mode C.int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.modes == nil {
		t.modes = make(map[uintptr]C.int)
	}
	t.modes[block] = mode
}

// get returns the mode of a block.
func (t *modeTable) get(block uintptr) C.int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if mode, ok := t.modes[block]; ok {
		return mode
	}
	return C.GOACP_ARMCI_MODE_ALL
}

// forgetMode forgets the mode of the block that has an address, which is going to be freed.
func forgetMode(at unsafe.Pointer) {
	if block, _, ok := armci.system.Local().Block(uintptr(at)); ok {
		t := &armci.modes
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.modes, block)
	}
}

// clear forgets all modes.
func (t *modeTable) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.modes)
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
			armci.modes.set(block, mode)
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
	return armci.modes.get(block)
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
