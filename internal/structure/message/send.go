package message

import "bytes"

// Buffered is the length up to which Send does not wait for the receiver, in bytes.
const Buffered = 64 << 10

// Send sends a message to a member and returns when b may be changed. It waits for the receiver if
// the message has more than Buffered bytes and is not for this member itself. b is not on the
// stack. Fails if the run is over.
func (h *Engine) Send(l Label, to int, b []byte) error {
	if err := h.enter(); err != nil {
		return err
	}
	defer h.leave()
	d, err := h.post(l, to, b, Buffered)
	if err != nil || d == nil {
		return err
	}
	return h.await(d)
}

// post begins to send a message. If it returns a direct message, b must not be changed until that is done.
// Messages of more than buffered bytes are not copied for the purpose.
func (h *Engine) post(l Label, to int, b []byte, buffered int) (*directMessage, error) {
	if to == h.self {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.keep(l, &arrival{from: to, size: uint64(len(b)), data: bytes.Clone(b)})
		return nil, nil
	}
	if err := h.checkGone(to); err != nil {
		return nil, err
	}
	s, err := h.streamTo(to)
	if err != nil {
		return nil, h.orGone(to, err)
	}
	if len(b) <= s.eager() {
		return nil, h.send(s, &record{kind: kindMessage, label: l, size: uint64(len(b))}, b)
	}
	if len(b) > buffered {
		return h.sendDirect(s, l, b, false)
	}
	if err := h.easeOff(to); err != nil {
		return nil, err
	}
	_, err = h.sendDirect(s, l, b, true)
	return nil, err
}

// keep puts a message into the queue of unexpected messages. The caller holds the lock.
func (h *Engine) keep(l Label, a *arrival) {
	h.unexpected.add(l, a)
	h.changed()
}
