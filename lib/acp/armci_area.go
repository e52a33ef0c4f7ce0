//go:build cgo

package libacp

// #include "bind.h"
// #include "armci_bind.h"
import "C"

import (
	"unsafe"

	messages "github.com/goacp/goacp/internal/structure/message"
	"github.com/goacp/goacp/internal/system/armci/core"
)

// goacp_armci_await waits until a slot of the collective area of a group has a number. The caller is in a
// barrier or a reduction of the group.
//
//export goacp_armci_await
func goacp_armci_await(call *C.struct_goacp_call, group C.uint64_t, slot unsafe.Pointer, number C.uint32_t) C.int {
	return armciWith(call, func(*core.Session) error {
		return armci.groups.area(group).Await(slot, uint32(number))
	})
}

// goacp_armci_unequal is the result of a barrier or a reduction in which processes disagree.
//
//export goacp_armci_unequal
func goacp_armci_unequal(call *C.struct_goacp_call) C.int {
	return armciWith(call, func(*core.Session) error { return armciWaited(messages.ErrUnequal) })
}
