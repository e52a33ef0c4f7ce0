package channel

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/memory/ring"
	"github.com/goacp/goacp/internal/network/am"
)

// announcement gives a sender the ring that its receiver has made. Between processes that share memory it is
// a block in the heap of the sender's process, in the announcement queue. Otherwise it is a message.
type announcement struct {
	Next   uint64 // position of the announcement that was added to the queue before
	From   uint64 // member of the receiver
	Number uint64 // of the channel among the channels between the two processes
	Handle uint64 // of the receiver's endpoint
	Pos    uint64 // of the ring
	Size   uint64 // bytes of its data
	Near   uint64 // 1: the receiver reaches the sender without the help of an agent
}

// announcementBytes is the length of an announcement as a message, which has no Next.
const announcementBytes = 6 * 8

// encode returns the announcement as a message.
func (a *announcement) encode() []byte {
	b := make([]byte, 0, announcementBytes)
	for _, word := range [...]uint64{a.From, a.Number, a.Handle, a.Pos, a.Size, a.Near} {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return b
}

// decodeAnnouncement returns the announcement that is a message.
func decodeAnnouncement(b []byte) (announcement, error) {
	if len(b) != announcementBytes {
		return announcement{}, am.ErrMalformed
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	return announcement{
		From: word(0), Number: word(1), Handle: word(2), Pos: word(3), Size: word(4), Near: word(5),
	}, nil
}

// announce announces a ring to peer: by its announcement queue, or through its agent.
func (h *Engine) announce(c *Channel, peer int, a announcement) {
	if notifier, ok := h.notifierOf(peer); ok && h.enqueue(peer, a) == nil {
		notifier.Wake()
		return
	}
	c.sendOneWay(peer, opAnnounce, a.encode())
}

// enqueue adds an announcement to the queue of peer.
func (h *Engine) enqueue(peer int, a announcement) error {
	to := h.mem.HeapView(peer)
	if to == nil {
		return am.ErrElsewhere
	}
	notifier, _ := h.notifierOf(peer)
	block, err := to.Alloc(uint64(unsafe.Sizeof(a)))
	if err != nil {
		return err
	}
	queued, err := heapview.At[announcement](to, block)
	if err != nil {
		return err
	}
	*queued = a
	notifier.Enqueue(ga.Pos(block), func(next uint64) { queued.Next = next })
	return nil
}

// takeAnnouncements connects the senders named by the announcements in the queue of this process, and reports
// whether there were any.
func (h *Engine) takeAnnouncements() bool {
	pos := h.space.Notifier().TakeQueue()
	if pos == 0 {
		return false
	}
	own := h.mem.Own()
	for pos != 0 {
		block := ga.Make(h.mem.Ranks().Own(), pos)
		queued, err := heapview.At[announcement](own, block)
		if err != nil {
			break // this library never writes such a position
		}
		a := *queued
		if own.Free(block) != nil {
			break // nor such an announcement: the queue may be a cycle
		}
		_ = h.arrive(a) // a rank that writes an invalid announcement does not wait for an answer
		pos = a.Next
	}
	return true
}

// arrive connects the sender that an announcement is for, or keeps the announcement. It fails with
// global.ErrProtocol.
func (h *Engine) arrive(a announcement) error {
	if err := h.checkAnnouncement(a); err != nil {
		return err
	}
	c, err := h.match(a)
	if c != nil {
		c.connect(a)
	}
	return err
}

// checkAnnouncement checks an announcement as far as that is possible without its sender.
func (h *Engine) checkAnnouncement(a announcement) error {
	if procs := h.mem.Ranks().Seats(); a.From >= uint64(procs) {
		return fmt.Errorf("%w: a channel of rank %d in a run of %d", global.ErrProtocol, a.From, procs)
	}
	switch {
	case int(a.From) == h.self(),
		a.Near > 1, a.Near == 1 && !h.router.Shares(int(a.From)),
		a.Handle == 0 || a.Handle > math.MaxUint32,
		!ring.IsData(a.Size) || !h.inHeap(int(a.From), a.Pos, ring.HeadSize+a.Size):
		return fmt.Errorf("%w: a channel of rank %d with %d bytes at %#x", global.ErrProtocol, h.rankOf(int(a.From)), a.Size, a.Pos)
	}
	return nil
}

// inHeap reports whether the n bytes at a position of a member, a multiple of 16, lie in its heap.
func (h *Engine) inHeap(member int, pos, n uint64) bool {
	l := h.router.Layout(member)
	from := l.HeapOffset()
	return pos%16 == 0 && pos >= from && pos-from <= l.Heap && n <= l.Heap-(pos-from)
}

// serveAnnounce handles an announcement that has come as a message.
func (h *Engine) serveAnnounce(r fabric.Request) (int, error) {
	a, err := decodeAnnouncement(r.Body)
	if err == nil {
		err = h.arrive(a)
	}
	return 0, err
}
