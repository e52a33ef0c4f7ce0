package message

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/activity"
)

// offer is a message of this process that the receiver copies from where it lies.
type offer struct {
	to    int
	world uint64
	b     []byte
	own   bool        // b is a copy
	err   error       // why the receiver cannot have it; set before done
	done  atomic.Bool // the receiver has the message, or does not want it
}

// offerTo sends an offer of b, or of a copy of it. Without a copy b must not be changed until the offer
// is done.
func (h *Hub) offerTo(s *stream, l Label, b []byte, copied bool) (*offer, error) {
	o := &offer{to: s.to, world: l.World, b: b, own: copied}
	h.mu.Lock()
	if copied {
		o.b = h.copies.of(b)
	}
	h.lastID++
	id := h.lastID
	h.offers[id] = o
	h.mu.Unlock()
	addr := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(o.b))))
	return o, h.send(s, &record{kind: kindOffer, label: l, size: uint64(len(b)), id: id, addr: addr}, nil)
}

// await waits until an offer is done.
func (h *Hub) await(o *offer) error {
	for {
		h.mu.Lock()
		err := h.drain(o.to, nil)
		arrived := h.arrived.Load()
		h.mu.Unlock()
		if err != nil {
			return err
		}
		if o.done.Load() {
			return o.err
		}
		if err := h.wait(activity.Send, o.to, func() bool { return h.arrived.Load() != arrived || h.any(o.to) }); err != nil {
			return err
		}
	}
}

// end ends an offer that another member has. It may have been forgotten with its world. The caller
// holds the lock.
func (h *Hub) end(from int, id uint64) error {
	o := h.offers[id]
	if o == nil && id <= h.lastID {
		return nil
	}
	if o == nil || o.to != from {
		return fmt.Errorf("%w: offer %d is released, which was not made", global.ErrProtocol, id)
	}
	h.drop(id, o)
	o.done.Store(true)
	h.changed()
	return nil
}

// drop takes an offer out. The caller holds the lock.
func (h *Hub) drop(id uint64, o *offer) {
	delete(h.offers, id)
	if o.own {
		h.copies.giveBack(o.b)
	}
}

// fetch copies an offered message to b, which has its size, and releases it.
func (h *Hub) fetch(a *arrival, b []byte) error {
	if h.in.Load(a.from) == nil {
		return h.fetchByCalls(a, b)
	}
	switch err := h.cfg.Memory.ReadProcess(a.from, b, a.addr); {
	case err == nil:
		return h.releaseOffer(a)
	case errors.Is(err, fabric.ErrNoPath):
		return h.fetchByCalls(a, b)
	default:
		return h.from(a.from, fmt.Errorf("message of %d bytes: %w", a.size, err))
	}
}

// releaseOffer tells the sender of an offer that its memory is not needed any more.
func (h *Hub) releaseOffer(a *arrival) error {
	s, err := h.streamTo(a.from)
	if err != nil {
		return err
	}
	return h.send(s, &record{kind: kindRelease, id: a.id}, nil)
}
