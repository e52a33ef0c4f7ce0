//go:build cgo

package main

// #include "bind.h"
// #include "armci_bind.h"
import "C"

import (
	"math/rand/v2"
	"sync"

	"github.com/goacp/goacp/internal/system/armci/transfer"
)

// handles are the handles of programs that have operations under way: a program has a number and a
// check word, from which the library knows its own. A handle of anything else is idle.
type handles struct {
	mu    sync.Mutex
	slots map[uint32]*slot
	last  uint32
	key   uint32 // random
}

// slot is a handle that is not idle.
type slot struct {
	tracker transfer.Tracker
	check   uint32
}

// find returns the slot of a handle, or nil if it is idle.
func (h *handles) find(c *C.struct_goacp_armci_handle) *slot {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.slots[uint32(c.slot)]
	if s == nil || s.check != uint32(c.check) {
		return nil
	}
	return s
}

// enter makes an idle handle that of s.
func (h *handles) enter(c *C.struct_goacp_armci_handle, s *slot) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.slots == nil {
		h.slots, h.key = make(map[uint32]*slot), rand.Uint32()
	}
	for h.last++; h.last == 0 || h.slots[h.last] != nil; h.last++ {
	}
	s.check = (h.last*0x9e3779b9 ^ h.key) | 1 // never 0
	h.slots[h.last] = s
	c.slot, c.check = C.uint(h.last), C.uint(s.check)
}

// drop makes a handle idle, and returns its slot, or nil if it was idle.
func (h *handles) drop(c *C.struct_goacp_armci_handle) *slot {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.slots[uint32(c.slot)]
	if s != nil && s.check == uint32(c.check) {
		delete(h.slots, uint32(c.slot))
	} else {
		s = nil
	}
	c.slot, c.check = 0, 0
	return s
}

// clear makes all handles idle.
func (h *handles) clear() {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.slots)
}
