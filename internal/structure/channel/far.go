package channel

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/ring"
	"github.com/goacp/goacp/internal/network/am"
)

// Channels whose ends reach each other only through their agents. All words of their messages are little
// endian.
//
// The sender sends records to the receiver's agent, never more than there is room for. The answer reports the
// progress of the receiver. If the sender cannot continue, it sends a goal, and the receiver sends a credit
// when it has reached the goal.

const (
	recordsHead = 4 + 4 + 8 + 8 + 8
	reportBytes = 8 + 8 + 8
	creditBytes = 4 + 4 + reportBytes
)

// maxBatch bounds the records of one message.
const maxBatch = fabric.CallMax - recordsHead - 8

// addToBatch adds a record to the batch for the receiver's agent. If the payload cannot be read, it returns
// an error and adds nothing.
func (c *Channel) addToBatch(e *ring.Endpoint, rec ring.Record, payload []byte) error {
	w := c.work
	if len(w.batch)+int(rec.Span()) > maxBatch {
		c.sendBatch(e, ring.NoGoal)
	}
	if w.batch == nil {
		w.batch = make([]byte, recordsHead, recordsHead+rec.Span())
	}
	batch := binary.NativeEndian.AppendUint64(w.batch, uint64(rec))
	if err := fabric.Touch(func() { batch = append(batch, payload...) }); err != nil {
		return err
	}
	w.batch = append(batch, make([]byte, int(rec.Span())-8-len(payload))...)
	e.Skip(rec.Span())
	return nil
}

// flush sends the batch if it has records.
func (c *Channel) flush(e *ring.Endpoint) {
	if c.work.batch != nil {
		c.sendBatch(e, c.goal(e))
	}
}

// sendGoal sends the receiver the goal at which this end needs a credit, unless an answer that reports the
// receiver's progress is in flight.
func (c *Channel) sendGoal(e *ring.Endpoint) {
	w := c.work
	if w == nil || w.inFlight > 0 {
		return
	}
	if goal := c.goal(e); goal != ring.NoGoal && goal != w.sentGoal {
		w.batch = make([]byte, recordsHead)
		c.sendBatch(e, goal)
	}
}

// sendBatch sends the batch, which may have no record.
func (c *Channel) sendBatch(e *ring.Endpoint, goal uint64) {
	w := c.work
	b := w.batch
	w.batch, w.sentGoal = nil, goal
	w.inFlight++
	binary.LittleEndian.PutUint32(b, e.PeerHandle)
	binary.LittleEndian.PutUint32(b[4:], uint32(c.handle))
	binary.LittleEndian.PutUint64(b[8:], goal)
	binary.LittleEndian.PutUint64(b[16:], e.Pos-uint64(len(b)-recordsHead))
	binary.LittleEndian.PutUint64(b[24:], w.acknowledged)
	w.acknowledged = 0
	s := &sentBatch{c: c, request: b}
	c.engine.messages.Add(1)
	c.engine.router.Agents().Call(int(e.Peer), uint16(opDeliver), b, s.report[:], s)
}

// sentBatch handles the answer to a batch: the report of the receiver. It implements fabric.Completion.
type sentBatch struct {
	c       *Channel
	request []byte // has to stay until the answer arrives
	report  [reportBytes]byte
}

// Complete implements fabric.Completion.
func (s *sentBatch) Complete(_ uint64, err error) {
	defer s.c.engine.messages.Done()
	if err != nil {
		go s.c.fail(err) // the caller may hold the lock of the channel
		return
	}
	if !s.c.lock() {
		return
	}
	s.c.work.inFlight--
	s.c.takeReport(s.c.end(), s.report[:])
	s.c.unlock()
}

// appendReport appends the progress of a receiver and its lost messages.
func appendReport(b []byte, head uint64, l ring.Losses) []byte {
	broken := uint64(0)
	if l.Broken {
		broken = 1
	}
	for _, word := range [...]uint64{head, l.End, broken} {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return b
}

// takeReport handles a report of the receiver. Reports may overtake each other, but the first report of the
// removal of a record also reports whether its message was lost.
func (c *Channel) takeReport(e *ring.Endpoint, report []byte) {
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(report[8*i:]) }
	e.Seen = max(e.Seen, min(word(0), e.Pos))
	if c.work != nil {
		c.work.losses = ring.Losses{End: word(1), Broken: word(2) != 0}
		if c.work.losses.End == c.work.acknowledged { // the receiver has no acknowledgement of it yet
			c.work.losses.End = 0
		}
		c.confirm(e)
	}
}

// serveDeliver puts records into the ring of a receiving end and answers with its report.
func (h *Engine) serveDeliver(r fabric.Request) (int, error) {
	b := r.Body
	if len(b) < recordsHead || len(r.Reply) < reportBytes {
		return 0, am.ErrMalformed
	}
	c := h.find(ring.Handle(binary.LittleEndian.Uint32(b)))
	if c == nil || !c.lock() {
		return 0, fmt.Errorf("%w: no such channel", am.ErrMalformed)
	}
	defer c.unlock()
	e := c.end()
	if e.Has(ring.Sender) || e.Ring == nil || !e.Deliver(binary.LittleEndian.Uint64(b[16:]), b[recordsHead:]) {
		return 0, fmt.Errorf("%w: records that do not fit", am.ErrMalformed)
	}
	to := e.Ring
	to.Acknowledge(binary.LittleEndian.Uint64(b[24:]))
	e.Set(ring.Far, true)
	atomic.StoreUint32(&to.SenderHandle, binary.LittleEndian.Uint32(b[4:]))
	c.progress()
	losses := c.losses(e)
	if goal := binary.LittleEndian.Uint64(b[8:]); goal > e.Pos && !c.is(freed) {
		atomic.StoreUint64(&to.Goal, goal)
	}
	return len(appendReport(r.Reply[:0], e.Pos, losses)), nil
}

// losses returns the losses of the receiving end, whose ring may be freed already.
func (c *Channel) losses(e *ring.Endpoint) ring.Losses {
	if e.Ring == nil {
		return c.work.losses // closeReceiver has kept them
	}
	return e.Ring.Losses()
}

// sendCredit reports the progress of this end, or its freeing, to the sender.
func (c *Channel) sendCredit(e *ring.Endpoint, sender ring.Handle, r *ring.Ring, closed bool) {
	b := make([]byte, 8, creditBytes)
	binary.LittleEndian.PutUint32(b, uint32(sender))
	if closed {
		b[4] = 1
	}
	c.sendOneWay(int(e.Peer), opCredit, appendReport(b, e.Pos, r.Losses()))
}

// serveCredit handles a credit for a sending end.
func (h *Engine) serveCredit(r fabric.Request) (int, error) {
	b := r.Body
	if len(b) != creditBytes {
		return 0, am.ErrMalformed
	}
	c := h.find(ring.Handle(binary.LittleEndian.Uint32(b)))
	if c == nil || !c.lock() {
		return 0, nil // the answer to a batch has reported the same before
	}
	defer c.unlock()
	e := c.end()
	if !e.Has(ring.Sender) || !e.Has(ring.Far) {
		return 0, nil
	}
	c.takeReport(e, b[8:])
	if b[4] != 0 && c.work != nil && c.work.closing != nil {
		c.closeSender(e)
	}
	return 0, nil
}

// sendOneWay sends a message whose answer is empty.
func (c *Channel) sendOneWay(peer int, op am.Op, b []byte) {
	c.send(peer, op, &oneWay{c: c, request: b})
}

// send sends a message and does not wait for the answer.
func (c *Channel) send(peer int, op am.Op, m *oneWay) {
	c.engine.messages.Add(1)
	c.engine.router.Agents().Call(peer, uint16(op), m.request, m.answer, m)
}

// oneWay is a message whose answer only confirms its arrival. It implements fabric.Completion.
type oneWay struct {
	c       *Channel
	request []byte // has to stay until the answer arrives
	answer  []byte // is not read
}

// Complete implements fabric.Completion.
func (m *oneWay) Complete(_ uint64, err error) {
	defer m.c.engine.messages.Done()
	if err != nil {
		go m.c.fail(err) // the caller may hold the lock of the channel
	}
}
