//go:build cgo

package libacp

// #include "bind.h"
// #include "armci_bind.h"
import "C"

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/goacp/goacp/internal/system/armci/core"
	"github.com/goacp/goacp/internal/system/armci/memory"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// goacp_armci_malloc is ARMCI_Malloc.
//
//export goacp_armci_malloc
func goacp_armci_malloc(call *C.struct_goacp_call, to *unsafe.Pointer, bytes C.long) C.int {
	return armciWith(call, func(x *core.Session) error {
		return armciMalloc(x.Everyone, to, bytes)
	})
}

// armciMalloc is ARMCI_Malloc for some members.
func armciMalloc(of memory.Members, to *unsafe.Pointer, bytes C.long) error {
	if to == nil {
		return fmt.Errorf("%w: NULL", world.ErrArray)
	}
	all := unsafe.Slice(to, len(of.Procs()))
	clear(all)
	addrs, err := armci.system.Local().Malloc(of, int64(bytes))
	for i, addr := range addrs {
		all[i] = world.At(addr)
	}
	return err
}

// goacp_armci_free is ARMCI_Free.
//
//export goacp_armci_free
func goacp_armci_free(call *C.struct_goacp_call, at unsafe.Pointer) C.int {
	return armciWith(call, func(x *core.Session) error {
		return armciFree(x, x.Everyone, at)
	})
}

// armciFree is ARMCI_Free for some members.
func armciFree(x *core.Session, of memory.Members, at unsafe.Pointer) error {
	forgetMode(at)
	return errors.Join(x.Transfer.Settle(), armci.system.Local().FreeTogether(of, uintptr(at)))
}

// goacp_armci_memget allocates shared memory of this process alone, and stores its address at to.
//
//export goacp_armci_memget
func goacp_armci_memget(call *C.struct_goacp_call, bytes C.size_t, to *unsafe.Pointer) C.int {
	return armciWith(call, func(*core.Session) error {
		*to = nil
		if bytes == 0 {
			return fmt.Errorf("%w: 0", world.ErrCount)
		}
		addr, err := armci.system.Local().Alloc(uint64(bytes))
		if err == nil {
			*to = world.At(addr)
		}
		return err
	})
}

// goacp_armci_memfree frees a block of this process.
//
//export goacp_armci_memfree
func goacp_armci_memfree(call *C.struct_goacp_call, at unsafe.Pointer) C.int {
	return armciWith(call, func(*core.Session) error {
		forgetMode(at)
		return armci.system.Local().Free(uintptr(at))
	})
}

// goacp_armci_limit is ARMCI_Set_shm_limit.
//
//export goacp_armci_limit
func goacp_armci_limit(bytes C.ulong) {
	armci.mu.Lock()
	defer armci.mu.Unlock()
	if uint64(bytes) == math.MaxUint64 {
		bytes = 0
	}
	armci.shmLimit, armci.limitGiven = uint64(bytes), true
	if armci.system != nil {
		armci.system.Local().SetLimit(armci.shmLimit)
	}
}
