//go:build cgo

package libacp

// #include "bind.h"
// #include "armci_bind.h"
import "C"

import (
	"math/rand/v2"

	"github.com/goacp/goacp/internal/system/armci/transfer"
)

// handles are the handles of programs that have operations under way. A program has a number and a check word, which
// tells a handle of the library from other memory: that is an idle handle.
type handles struct {
	numbered[C.uint, *transfer.Tracker]
}

// checkKey makes check words differ between processes.
var checkKey = C.uint(rand.Uint32())

// checkWord returns the check word of a handle with a number. It is not 0.
func checkWord(number C.uint) C.uint { return (number*0x9e3779b9 ^ checkKey) | 1 }

// find returns the operations of a handle, or nil if it is idle.
func (h *handles) find(c *C.struct_goacp_armci_handle) *transfer.Tracker {
	if c.check != checkWord(c.slot) {
		return nil
	}
	t, _ := h.numbered.find(c.slot)
	return t
}

// enter makes an idle handle that of some operations.
func (h *handles) enter(c *C.struct_goacp_armci_handle, t *transfer.Tracker) {
	c.slot = h.add(t)
	c.check = checkWord(c.slot)
}

// drop makes a handle idle, and returns its operations, or nil if it was idle.
func (h *handles) drop(c *C.struct_goacp_armci_handle) *transfer.Tracker {
	var t *transfer.Tracker
	if c.check == checkWord(c.slot) {
		t, _ = h.numbered.drop(c.slot)
	}
	c.slot, c.check = 0, 0
	return t
}
