package link

import (
	"sync/atomic"
	"unsafe"
)

// slotHead begins a slot. A message that moves to a mapped heap needs no other cache line if its values fit in here.
//
//goacp:c goacp_couple_slot
type slotHead struct {
	// number is how many messages the sender has sent with the one in the slot. The sender stores it last, and
	// the receiver stores 0 when it has taken the message. It stays 0 if the heap of the receiver is not mapped, and
	// in watched links: there the words of the flow tell.
	number uint64
	step   int64 // the number of the message, or the step of a watched link
	small  [smallBytes]uint8
}

// division is in place of small values in the head of a message of a flow that may go straight.
//
//goacp:c goacp_couple_division
type division struct {
	claim  uint64 // which post of the receiver the sender has claimed last
	packed uint64 // bytes that are in the slot; the sender has copied the others straight
}

// division returns how the values of a message are divided. There are more than fit in the head.
func (h *slotHead) division() *division { return (*division)(unsafe.Pointer(&h.small)) }

// packed returns how many bytes of the values are in a slot. claimed is which post the senders have claimed, 0 if they
// have copied nothing straight.
func (f *flow) packed(n, claimed uint64) uint64 {
	if claimed == 0 || !f.straight {
		return f.size
	}
	if d := f.slot(n).division(); d.claim == claimed {
		return min(d.packed, f.size)
	}
	return f.size
}

//goacp:c GOACP_COUPLE_
const smallBytes = 48 // of values that are in the head

// headBytes is the size of a slotHead, which is that of a cache line.
const headBytes = uint64(unsafe.Sizeof(slotHead{}))

// slotBytes returns the length of a slot.
func (f *flow) slotBytes() uint64 {
	if f.size <= smallBytes {
		return headBytes
	}
	return headBytes + (f.size+headBytes-1)&^(headBytes-1)
}

// messageBytes returns how many bytes of a slot its message has.
func (f *flow) messageBytes(n uint64) uint64 {
	switch {
	case f.size <= smallBytes:
		return headBytes
	case f.to.far:
		return headBytes + f.slot(n).division().packed
	}
	return headBytes + f.size
}

// slot returns the head of a slot, where the sender packs a message, or the receiver finds it.
func (f *flow) slot(n uint64) *slotHead {
	if f.slots != nil {
		return (*slotHead)(unsafe.Add(f.slots, n*f.slotBytes()))
	}
	return (*slotHead)(unsafe.Pointer(&f.stage.mem[n*f.slotBytes()]))
}

// values returns where the values of a message lie.
func (f *flow) values(h *slotHead) unsafe.Pointer {
	if f.size <= smallBytes {
		return unsafe.Pointer(&h.small)
	}
	return unsafe.Add(unsafe.Pointer(h), headBytes)
}

// taken reports whether the receiver has taken all messages that were in a slot. The sender packs the next one, which is
// that behind count others.
func (f *flow) taken(n, count, levels uint64) bool {
	if f.slots != nil {
		return atomic.LoadUint64(&f.slot(n).number) == 0
	}
	taken, _ := f.told()
	return count-min(taken, count) < levels && f.free(n)
}

// arrived reports whether a slot has the message behind count others.
func (f *flow) arrived(n, count uint64) bool {
	if atomic.LoadUint64(&f.slot(n).number) == count+1 {
		return true
	}
	sent, _ := f.told() // of a sender that has closed the link, too
	return sent > count
}

// fill shows the receiver the message in a slot, which has as many messages before it as count says.
func (f *flow) fill(n, count uint64) error {
	f.put(n)
	if f.slots == nil {
		return f.tell(count + 1)
	}
	atomic.StoreUint64(&f.slot(n).number, count+1)
	f.toBell.Ring()
	return nil
}

// giveBack gives a slot back to the sender, after count messages.
func (f *flow) giveBack(n, count uint64) error {
	h := f.slot(n)
	near := atomic.LoadUint64(&h.number) != 0
	atomic.StoreUint64(&h.number, 0)
	if near && f.toBell != nil {
		f.toBell.Ring()
		return nil
	}
	return f.tell(count)
}
