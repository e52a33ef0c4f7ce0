package message

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/activity"
)

// A receiver that cannot read the memory of the sender asks the sender's agent for pieces of the
// message. The request for the last one releases the message.

const (
	pieceMax     = fabric.CallMax
	piecesAtOnce = 8
	fetchBytes   = 3 * 8
)

// piece is a part of a message on its way. It implements fabric.Completion.
type piece struct {
	engine  *Engine
	request [fetchBytes]byte
	b       []byte // where it goes
	n       uint64
	err     error
	done    atomic.Bool
}

// Complete implements fabric.Completion.
func (p *piece) Complete(n uint64, err error) {
	p.n, p.err = n, err
	p.done.Store(true)
	p.engine.mu.Lock()
	defer p.engine.mu.Unlock()
	p.engine.changed()
}

// fetchByCalls copies a direct message to b, piece by piece, and so releases it.
func (h *Engine) fetchByCalls(a *arrival, b []byte) error {
	var under []*piece
	for at := 0; at < len(b); at += pieceMax {
		if len(under) == piecesAtOnce {
			if err := h.arrive(a, under[0]); err != nil {
				return err
			}
			under = under[1:]
		}
		under = append(under, h.startFetch(a, b[at:min(at+pieceMax, len(b))], at, at+pieceMax >= len(b)))
	}
	for _, p := range under {
		if err := h.arrive(a, p); err != nil {
			return err
		}
	}
	return nil
}

// startFetch asks for the bytes of a message from at on.
func (h *Engine) startFetch(a *arrival, b []byte, at int, last bool) *piece {
	p := &piece{engine: h, b: b}
	binary.LittleEndian.PutUint64(p.request[:], a.id)
	binary.LittleEndian.PutUint64(p.request[8:], uint64(at))
	if last {
		p.request[16] = 1
	}
	h.cfg.Messenger.Call(a.from, uint16(h.cfg.Op(opFetch)), p.request[:], b, p)
	return p
}

// arrive waits for a piece.
func (h *Engine) arrive(a *arrival, p *piece) error {
	if err := h.waitForAgent(activity.Receive, a.from, p.done.Load); err != nil {
		return err
	}
	if p.err == nil && p.n != uint64(len(p.b)) {
		return h.from(a.from, fmt.Errorf("%w: %d of %d bytes of a message", global.ErrProtocol, p.n, len(p.b)))
	}
	return p.err
}

// serveFetch answers with a piece of a direct message.
func (h *Engine) serveFetch(r fabric.Request) (int, error) {
	if len(r.Body) != fetchBytes {
		return 0, fmt.Errorf("%w: a request for a piece has %d bytes", global.ErrProtocol, len(r.Body))
	}
	id, at := binary.LittleEndian.Uint64(r.Body), binary.LittleEndian.Uint64(r.Body[8:])
	last := r.Body[16] != 0
	h.mu.Lock()
	defer h.mu.Unlock()
	d := h.direct[id]
	if d == nil || d.to != r.From || at > uint64(len(d.b)) || last && uint64(len(r.Reply)) < uint64(len(d.b))-at {
		return 0, fmt.Errorf("%w: a request for message %d from byte %d on", global.ErrProtocol, id, at)
	}
	var n int
	if err := fabric.Touch(func() { n = copy(r.Reply, d.b[at:]) }); err != nil {
		d.err = fmt.Errorf("message of %d bytes: %w", len(d.b), err)
		return 0, errors.Join(d.err, h.end(r.From, id, true))
	}
	if last {
		return n, h.end(r.From, id, false)
	}
	return n, nil
}
