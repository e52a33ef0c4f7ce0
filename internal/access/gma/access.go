package gma

import (
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
)

// Access is one GMA as the program issues it: a copy, or an atomic.
type Access struct {
	IsCopy bool
	Loaded bool          // a copy of up to 8 bytes from memory of this process, which Atomic.Operand has
	Atomic fabric.Atomic // unless it is a copy
	Dst    uint64        // GA; that of an atomic is memory of this process
	Src    uint64        // GA
	Size   uint64        // bytes
	Order  uint64        // a handle, None, All or Cont
}

// Orders that are no handles. All is also what Wait and Inquire take for everything that has
// been issued.
const (
	None uint64 = 0          // start at once
	All  uint64 = ^uint64(0) // start after everything that has been issued
	Cont uint64 = All - 1    // like the GMA before, which may not be overtaken
)

// Name returns the operation as users know it, for example "add8".
func (a *Access) Name() string {
	if a.IsCopy {
		return "copy"
	}
	if a.Atomic.Width == 4 {
		return a.Atomic.Op.String() + "4"
	}
	return a.Atomic.Op.String() + "8"
}

// Operands returns the operands of an atomic in the order in which the program passed them.
func (a *Access) Operands() []uint64 {
	switch {
	case a.IsCopy:
		return nil
	case a.Atomic.Op == fabric.OpCas:
		return []uint64{a.Atomic.Compare, a.Atomic.Operand}
	}
	return []uint64{a.Atomic.Operand}
}

// StoreResult stores the value that an atomic of width bytes found at its destination.
func StoreResult(dst unsafe.Pointer, width uint8, found uint64) {
	if width == 4 {
		atomic.StoreUint32((*uint32)(dst), uint32(found))
	} else {
		atomic.StoreUint64((*uint64)(dst), found)
	}
}
