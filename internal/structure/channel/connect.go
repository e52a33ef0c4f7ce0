package channel

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/memory/ring"
	"github.com/goacp/goacp/internal/network/am"
)

// connect gives a sender its ring, and decides how the two ends reach each other. They work on the ring alone
// if each has mapped the memory of the other. The announcement contains whether the receiver has done so. If
// the sender has not, the receiver detects that by the first records that arrive at its agent.
func (c *Channel) connect(a announcement) {
	if !c.lock() {
		return
	}
	defer c.unlock()
	e := c.end()
	var r *ring.Ring
	if a.Near != 0 {
		r = c.engine.ringAt(int(e.Peer), a.Pos, a.Size)
	}
	if r != nil {
		atomic.StoreUint32(&r.SenderHandle, uint32(c.handle))
	}
	e.Set(ring.Far, r == nil)
	e.Attach(r, a.Size)
	e.PeerHandle = uint32(a.Handle)
}

// ringAt returns the ring at a position of a member, nil if its memory is not mapped.
func (h *Engine) ringAt(member int, pos, size uint64) *ring.Ring {
	view := h.mem.HeapView(member)
	if _, ok := h.notifierOf(member); view == nil || !ok {
		return nil
	}
	block := ga.Make(h.rankOf(member), pos)
	if _, err := view.Bytes(block, ring.HeadSize+size); err != nil {
		return nil
	}
	r, err := heapview.At[ring.Ring](view, block)
	if err != nil {
		return nil
	}
	return r
}

// freeRing frees the memory of a ring in the heap of a member. It does not wait for the member's agent.
func (c *Channel) freeRing(member int, r *ring.Ring) error {
	h := c.engine
	addr := uintptr(unsafe.Pointer(r))
	pos, ok := h.space.Position(addr, ring.HeadSize)
	if member != h.self() {
		v, err := h.router.View(member)
		if err != nil {
			return err
		}
		pos, ok = v.Position(addr)
	}
	if !ok {
		return fmt.Errorf("%w: a ring at %#x", global.ErrBadAddress, addr)
	}
	block := ga.Make(h.rankOf(member), pos)
	if view := h.mem.HeapView(member); view != nil {
		if err := view.Free(block); member == h.self() || !errors.Is(err, heapview.ErrShort) {
			return err
		}
	}
	call := am.Call{Op: am.OpFree, GA: block}
	c.send(member, call.Op, &oneWay{c: c, request: call.Append(nil), answer: make([]byte, call.ReplySize())})
	return nil
}
