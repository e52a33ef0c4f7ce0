package collarea

import "unsafe"

// The sizes of slots, and how many steps there can be.
//
//goacp:c GOACP_ARMCI_
const (
	SlotBytes = 8 << 10 // bytes of an array in one operation
	MaxSteps  = 20      // for 2^20 processes
)

// slot is what one process shows to others in one step of an operation. It changes the number last.
//
//goacp:c goacp_armci_slot
type slot struct {
	Number uint32 // of the operation
	_      uint32
	Left   uint64 // bytes that the process has still to combine, with those of this operation
	Data   [SlotBytes]byte
	// Threads that are parked at the number, or about to be. The process looks here after it has changed
	// the number, whose cache line is at those that read it then.
	Parked uint32
	_      [44]byte
}

// head is the beginning of a block. The slots follow, two for each step.
type head struct {
	Gone uint32 // readers that need the slots no longer, one for each step in which they read
	_    [60]byte
}

// Step is one step of the operations of a process.
//
//goacp:c goacp_armci_step
type step struct {
	mine   *slot  // two of this process; nil: no other one reads them
	theirs *slot  // two of another process
	First  uint64 // 1: what this process has precedes what it gets
}

// table is the part of a collective area that C knows, too.
//
//goacp:c goacp_armci_area
type table struct {
	Count uint64         // operations that this process has begun
	load  unsafe.Pointer `c:"struct goacp_load *"`
	Used  uint64         // of the steps
	Group uint64         // of which C tells Go that it waits
	steps [MaxSteps]step
}

const (
	headBytes = unsafe.Sizeof(head{})
	slotBytes = unsafe.Sizeof(slot{})
)

// Size returns the bytes of a block for a number of steps.
func Size(steps int) uint64 { return uint64(headBytes) + 2*uint64(steps)*uint64(slotBytes) }

// slots returns the two slots of a step in a block.
func slots(block unsafe.Pointer, step int) *slot {
	return (*slot)(unsafe.Add(block, headBytes+2*uintptr(step)*slotBytes))
}

// of returns the one of two slots that belongs to an operation.
func (p *slot) of(number uint64) *slot {
	return (*slot)(unsafe.Add(unsafe.Pointer(p), uintptr(number%2)*slotBytes))
}
