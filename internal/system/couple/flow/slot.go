package flow

import "unsafe"

// Slot begins the memory of a message. A message that moves to a mapped heap needs no other cache line if its values fit in here.
//
//goacp:c goacp_couple_slot
type Slot struct {
	// Number is the number of messages that the sender has sent, including the message in the slot. The sender
	// stores it last, and the receiver stores 0 when it has taken the message. It stays 0 if the heap of the
	// receiver is not mapped, and in watched links: there the words of the flow have this information.
	Number uint64
	Step   int64 // the number of the message, or the step of a watched link
	small  [smallBytes]uint8
}

// Division replaces small values in the slot of a flow with zero copy.
//
//goacp:c goacp_couple_division
type Division struct {
	Reserved uint64 // which epoch of the receiver's Ready the sender has reserved last
	Packed   uint64 // bytes that are in the slot; all other bytes are already in the array of the receiver
}

//goacp:c GOACP_COUPLE_
const smallBytes = 48 // of values that are in the head

// HeadBytes is the size of a Slot without large values, which is one cache line.
const HeadBytes = uint64(unsafe.Sizeof(Slot{}))

// Division returns how the values of a message are divided. They do not fit in the head.
func (s *Slot) Division() *Division { return (*Division)(unsafe.Pointer(&s.small)) }

// Values returns where the values of a message with size bytes of them lie.
func (s *Slot) Values(size uint64) unsafe.Pointer {
	if size <= smallBytes {
		return unsafe.Pointer(&s.small)
	}
	return unsafe.Add(unsafe.Pointer(s), HeadBytes)
}

// SlotBytes returns the length of a slot for size bytes of values.
func SlotBytes(size uint64) uint64 {
	if size <= smallBytes {
		return HeadBytes
	}
	return HeadBytes + (size+HeadBytes-1)&^(HeadBytes-1)
}

// MessageBytes returns the number of bytes in the slot of a message with size bytes of values, of which packed are
// packed.
func MessageBytes(size, packed uint64) uint64 {
	if size <= smallBytes {
		return HeadBytes
	}
	return HeadBytes + packed
}
