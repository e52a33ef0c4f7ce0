package message

import (
	"bytes"
	"fmt"
)

// drain takes records out of the ring from a member, or out of all rings, until they are empty or
// the message of m is there. m may be nil. The caller holds the lock.
func (h *Engine) drain(from int, m *matching) error {
	if from != anyMember {
		if r := h.in.Load(from); r != nil {
			return h.drainRing(r, m)
		}
		return nil
	}
	for _, r := range *h.readers.Load() {
		if err := h.drainRing(r, m); err != nil || m.done() {
			return err
		}
	}
	return nil
}

// drainRing is drain for one ring. If another process has damaged the ring, nothing comes any more.
func (h *Engine) drainRing(r *reader, m *matching) error {
	for !m.done() {
		rec, payload, ok, err := r.next()
		if err == nil && !ok {
			return nil
		}
		if err == nil && m.wants(&rec) {
			err = m.find(r.from, &rec, payload)
			r.take(&rec)
			return err
		}
		if err == nil {
			err = h.file(r.from, &rec, payload)
			r.take(&rec)
		}
		if err != nil {
			err = h.from(r.from, err)
			h.failLocked(err)
			return err
		}
	}
	return nil
}

// from adds the rank of a member to an error about what it has sent.
func (h *Engine) from(member int, err error) error {
	return fmt.Errorf("from rank %d: %w", h.cfg.Memory.Ranks().Rank(member), err)
}

// find takes the message that m wants.
func (m *matching) find(from int, r *record, payload []byte) error {
	m.from = from
	if r.kind == kindMessage {
		m.taken = true
		return m.t.take(payload)
	}
	m.waiting = arrivalOf(from, r)
	return nil
}

// file puts a record that has come from a member where it belongs. The caller holds the lock.
func (h *Engine) file(from int, r *record, payload []byte) error {
	switch r.kind {
	case kindRelease:
		return h.end(from, r.id, r.size == refused)
	case kindDirect, kindEnded, kindLacking:
		h.keep(r.label, arrivalOf(from, r))
	default:
		h.keep(r.label, &arrival{from: from, size: r.size, data: bytes.Clone(payload)})
	}
	return nil
}

// arrivalOf returns the arrival of a direct message, or of an end.
func arrivalOf(from int, r *record) *arrival {
	a := &arrival{from: from, size: r.size, direct: r.kind == kindDirect, id: r.id, addr: r.addr}
	if !a.direct {
		a.ended = r.kind
	}
	return a
}
