package channel

import (
	"errors"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/memory/ring"
)

// NewSender makes the sending end of a channel to a member. Fails if the process has as many
// channels as it can. Does not block.
func (h *Engine) NewSender(peer int) (*Channel, error) {
	c, a, announced, err := h.addSender(peer)
	switch {
	case err != nil:
		return nil, err
	case announced:
		c.connect(a)
	default:
		h.takeAnnouncements()
	}
	h.check(c, peer)
	return c, nil
}

// check ends a new channel if the member at the other end has gone meanwhile: Gone may have come before the channel was entered.
func (h *Engine) check(c *Channel, peer int) {
	if err := h.mem.CheckMember(peer); errors.Is(err, global.ErrRankGone) {
		c.fail(err)
	}
}

// addSender enters a sender, and returns its announcement if that has come.
func (h *Engine) addSender(peer int) (c *Channel, a announcement, announced bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err = h.open(); err != nil {
		return nil, a, false, err
	}
	flags := ring.Sender
	if !h.router.Shares(peer) {
		flags |= ring.Far // otherwise the announcement says that
	}
	if c, err = h.enter(peer, flags); err != nil {
		return nil, a, false, err
	}
	p := h.pair(pairKey{peer, true})
	p.made++
	a, announced = p.expect(p.made, c)
	return c, a, announced, nil
}

// NewReceiver makes the receiving end of a channel from a member. Its ring takes size bytes,
// rounded to 16 and brought into the range from ring.MinRing to ring.MaxRing. Fails with
// global.ErrFull, and if the process has as many channels as it can. Does not block.
func (h *Engine) NewReceiver(peer int, size uint64) (*Channel, error) {
	size = min(max(size+15, ring.MinRing), ring.MaxRing) &^ 15
	own := h.mem.Own()
	block, err := own.Alloc(size)
	if err != nil {
		return nil, err
	}
	r, err := heapview.At[ring.Ring](own, block)
	if err != nil {
		return nil, err
	}
	r.Clear(ring.Data(size))
	a := announcement{From: uint64(h.self()), Pos: ga.Pos(block), Size: ring.Data(size)}
	flags := ring.Far
	if _, ok := h.notifierOf(peer); ok {
		a.Near, flags = 1, 0
		if h.readsDirectly(peer) {
			r.Direct = 1
		}
	}
	c, number, err := h.addReceiver(peer, r, a.Size, flags)
	if err != nil {
		_ = own.Free(block) // it was allocated just now
		return nil, err
	}
	a.Number, a.Handle = number, uint64(c.handle)
	h.announce(c, peer, a)
	h.check(c, peer)
	return c, nil
}

// addReceiver enters a receiver and returns it with its number in the pair.
func (h *Engine) addReceiver(peer int, r *ring.Ring, size uint64, flags uint32) (*Channel, uint64, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.open(); err != nil {
		return nil, 0, err
	}
	c, err := h.enter(peer, flags)
	if err != nil {
		return nil, 0, err
	}
	e := c.end()
	e.Attach(r, size)
	e.Set(ring.FastPath, true)
	p := h.pair(pairKey{peer, false})
	p.made++
	return c, p.made, nil
}
