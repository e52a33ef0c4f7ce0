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

// directMessage is a message of this process that the receiver copies from where it lies.
type directMessage struct {
	to    int
	id    uint64
	label Label
	b     []byte
	own   bool        // b is a copy
	err   error       // why the receiver cannot have it; set before done
	done  atomic.Bool // the receiver has the message, or has refused it
}

// sendDirect sends the record of a direct message: of b, or of a copy of it. Without a copy b must not be changed
// until the message is done.
func (h *Engine) sendDirect(s *stream, l Label, b []byte, copied bool) (*directMessage, error) {
	d := &directMessage{to: s.to, label: l, b: b, own: copied}
	h.mu.Lock()
	if copied {
		d.b = h.copies.of(b)
	}
	h.lastID++
	d.id = h.lastID
	h.direct[d.id] = d
	gone := h.checkGone(d.to)
	if gone != nil {
		h.drop(d)
	}
	h.mu.Unlock()
	if gone != nil {
		return nil, gone
	}
	addr := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(d.b))))
	return d, h.send(s, &record{kind: kindDirect, label: l, size: uint64(len(b)), id: d.id, addr: addr}, nil)
}

// await waits until a direct message is done.
func (h *Engine) await(d *directMessage) error {
	for {
		gone := h.checkGone(d.to)
		h.mu.Lock()
		err := h.drain(d.to, nil)
		arrived := h.arrived.Load()
		if ended := h.unexpected.end(d.label, d.to); ended != nil && gone == nil {
			gone = h.gone(int(ended.size))
		}
		if gone != nil {
			h.drop(d)
		}
		h.mu.Unlock()
		if err != nil {
			return err
		}
		if d.done.Load() {
			return d.err
		}
		if gone != nil {
			return gone
		}
		if err := h.wait(activity.Send, d.to, func() bool { return h.arrived.Load() != arrived || h.any(d.to) }); err != nil {
			return err
		}
	}
}

// ErrNotCopied: the receiver of a message has failed to copy it.
var ErrNotCopied = errors.New("the receiver has failed to copy the message")

// CopyError is an error about a member that has failed to copy a message. It wraps ErrNotCopied.
type CopyError struct{ Member, Rank int }

// Error names the rank.
func (e *CopyError) Error() string { return fmt.Sprintf("rank %d: %v", e.Rank, ErrNotCopied) }

// Unwrap returns ErrNotCopied.
func (e *CopyError) Unwrap() error { return ErrNotCopied }

// notCopied returns the error about a member that has failed to copy a message.
func (h *Engine) notCopied(member int) error {
	ranks := h.cfg.Memory.Ranks()
	if member >= ranks.Seats() {
		return fmt.Errorf("%w: a rank has failed to copy a message that the run does not have", global.ErrProtocol)
	}
	return &CopyError{member, ranks.Rank(member)}
}

// end ends a direct message that another member has, or has failed to copy. It may have been forgotten with its world. The caller
// holds the lock.
func (h *Engine) end(from int, id uint64, failed bool) error {
	d := h.direct[id]
	if d == nil && id <= h.lastID {
		return nil
	}
	if d == nil || d.to != from {
		return fmt.Errorf("%w: message %d is released, which was not sent", global.ErrProtocol, id)
	}
	if failed && d.err == nil {
		d.err = fmt.Errorf("message of %d bytes: %w", len(d.b), h.notCopied(from))
	}
	h.drop(d)
	d.done.Store(true)
	h.changed()
	return nil
}

// drop takes a direct message out, unless that has been done. The caller holds the lock.
func (h *Engine) drop(d *directMessage) {
	if h.direct[d.id] != d {
		return
	}
	delete(h.direct, d.id)
	if d.own {
		h.copies.giveBack(d.b)
	}
}

// fetch copies a direct message to b, which has its size, and releases it.
func (h *Engine) fetch(a *arrival, b []byte) error {
	if h.in.Load(a.from) == nil {
		return h.fetchByCalls(a, b)
	}
	switch err := h.cfg.Memory.ReadProcess(a.from, b, a.addr); {
	case err == nil:
		return h.releaseDirect(a, 0)
	case errors.Is(err, fabric.ErrNoPath):
		return h.fetchByCalls(a, b)
	case errors.Is(err, fabric.ErrPeerDead):
		return h.absence(a.from)
	default:
		return errors.Join(h.from(a.from, fmt.Errorf("message of %d bytes: %w", a.size, err)), h.releaseDirect(a, refused))
	}
}

// releaseDirect notifies the sender of a direct message that its memory is not needed any more. how is 0, or refused if it was not copied.
func (h *Engine) releaseDirect(a *arrival, how uint64) error {
	s, err := h.streamTo(a.from)
	if err != nil {
		return err
	}
	return h.send(s, &record{kind: kindRelease, id: a.id, size: how}, nil)
}
