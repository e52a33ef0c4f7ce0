package link

import (
	"errors"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/system/couple/flow"
)

// packed returns how many bytes of the values are in a slot. epoch is which zero copy the senders have committed, 0 if they have
// packed all values.
func (f *stream) packed(n, epoch uint64) uint64 {
	if epoch == 0 || !f.zeroCopy {
		return f.size
	}
	if d := f.slot(n).Division(); d.Reserved == epoch {
		return min(d.Packed, f.size)
	}
	return f.size
}

// slotBytes returns the length of a slot.
func (f *stream) slotBytes() uint64 { return flow.SlotBytes(f.size) }

// messageBytes returns how many bytes of a slot its message has.
func (f *stream) messageBytes(n uint64) uint64 {
	if f.to.Way == flow.Remote {
		return flow.MessageBytes(f.size, f.slot(n).Division().Packed)
	}
	return flow.MessageBytes(f.size, f.size)
}

// slot returns the head of a slot, where the sender packs a message, or the receiver finds it.
func (f *stream) slot(n uint64) *flow.Slot {
	if f.slots != nil {
		return (*flow.Slot)(unsafe.Add(f.slots, n*f.slotBytes()))
	}
	return (*flow.Slot)(unsafe.Pointer(&f.stage.mem[n*f.slotBytes()]))
}

// values returns where the values of a message lie.
func (f *stream) values(h *flow.Slot) unsafe.Pointer {
	return h.Values(f.size)
}

// taken reports whether the receiver has taken all messages that were in a slot. The sender packs the next message,
// after count earlier messages.
func (f *stream) taken(n, count, levels uint64) bool {
	if f.slots != nil {
		return atomic.LoadUint64(&f.slot(n).Number) == 0
	}
	taken, _ := f.reported()
	return count-min(taken, count) < levels && f.free(n)
}

// arrived reports whether a slot has the message after count earlier messages.
func (f *stream) arrived(n, count uint64) bool {
	if atomic.LoadUint64(&f.slot(n).Number) == count+1 {
		return true
	}
	sent, _ := f.reported() // of a sender that has closed the link, too
	return sent > count
}

// fill publishes the message in a slot to the receiver. count messages came before it.
func (f *stream) fill(n, count uint64) error {
	f.put(n)
	if f.slots == nil {
		return f.tell(count + 1)
	}
	atomic.StoreUint64(&f.slot(n).Number, count+1)
	f.toEvents.Notify()
	return nil
}

// giveBack gives a slot back to the sender, after count messages. A sender that is gone needs none.
func (f *stream) giveBack(n, count uint64) error {
	h := f.slot(n)
	near := atomic.LoadUint64(&h.Number) != 0
	atomic.StoreUint64(&h.Number, 0)
	if near && f.toEvents != nil {
		f.toEvents.Notify()
		return nil
	}
	if err := f.tell(count); !errors.Is(global.Cause(err), global.ErrRankGone) {
		return err
	}
	return nil
}
