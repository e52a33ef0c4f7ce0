package segment

import "math/bits"

// Slot is a range of addresses for the memory of one member. The member maps its memory there,
// and so do its peers on the host. So an address in that memory means the same in all of them. A
// process that has something else there maps the memory where there is room. The zero Slot holds
// no memory.
type Slot struct{ at, size uint64 }

// The slots of a host lie in slotsBegin … slotsEnd, behind a gap of 1 TiB. Nothing is there unless
// a program asks for it. The heap of Go is at a random address below, and may grow into the gap.
// The kernel's own choice begins at the top of the address space, or at a third of it (a quarter
// on arm64) if stacks are unlimited. Programs lie near address 0 or at two thirds.
const (
	slotsBegin = goHeapEnd + 1<<40
	slotsEnd   = slotsBegin + 16<<40
)

// maxSlot is the size of the slots if a host has few members. No memory is larger.
const maxSlot = UserBase

// SlotOf returns the slot of a member that is the index-th of count members of its host, counted
// from 0. All of them have slots of one size.
func SlotOf(index, count int) Slot {
	size := min(uint64(maxSlot), (slotsEnd-slotsBegin)>>bits.Len(uint(count-1)))
	return Slot{slotsBegin + uint64(index)*size, size}
}

// Size returns the number of bytes that the slot holds.
func (s Slot) Size() uint64 { return s.size }

// address returns where memory of size bytes that has the slot begins, or 0 if the slot does not
// hold it.
func (s Slot) address(size uint64) uint64 {
	if size > s.size {
		return 0
	}
	return s.at
}

// inSlots reports whether size bytes from an address on lie where slots are.
func inSlots(at, size uint64) bool {
	return at%PageSize == 0 && within(at, size, slotsBegin, slotsEnd-slotsBegin)
}
