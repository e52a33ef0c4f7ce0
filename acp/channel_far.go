package acp

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"github.com/goacp/goacp/internal/am"
	"github.com/goacp/goacp/internal/channel"
	"github.com/goacp/goacp/internal/fabric"
)

// Channels whose ends reach each other through their agents alone.
//
// The sender's agent learns where the ring is, sends records to the receiver's agent,
// never more than there is room for, and learns from the answer how far the receiver has
// got. When it cannot go on it says at which point it wants to be told, and the
// receiver's agent does. All words of these messages are little endian.
const (
	opAnnounce = am.OpChannel + iota // a ring for a sender
	opPush                           // records for a receiver
	opCredit                         // how far a receiver has got
)

// announcement tells a sender of the ring that its receiver has made. It is a letter on
// one host and a message otherwise.
type announcement struct {
	Next uint64 // position of the letter posted before
	From uint64 // member
	Seq  uint64 // number of the channel among those between the two
	Name uint64 // of the receiver's endpoint
	Pos  uint64 // of the ring
	Size uint64 // bytes of its data
	Near uint64 // 1: the receiver reaches the sender without the help of an agent
}

const (
	announceBytes = 6 * 8
	pushHead      = 4 + 4 + 8 + 8 + 8
	reportBytes   = 8 + 8 + 8
	creditBytes   = 4 + 4 + reportBytes
)

// maxBatch bounds the records of one message.
const maxBatch = fabric.CallMax - pushHead - 8

// batch adds a record to those that are to be sent.
func (c *Channel) batch(e *channel.Endpoint, rec channel.Record, payload []byte) {
	w := c.work
	if len(w.batch)+int(rec.Span()) > maxBatch {
		c.push(e, channel.NoGoal)
	}
	if w.batch == nil {
		w.batch = make([]byte, pushHead, pushHead+rec.Span())
	}
	w.batch = binary.NativeEndian.AppendUint64(w.batch, uint64(rec))
	w.batch = append(w.batch, payload...)
	w.batch = append(w.batch, make([]byte, int(rec.Span())-8-len(payload))...)
	e.Skip(rec.Span())
}

// flush sends the records of the batch.
func (c *Channel) flush(e *channel.Endpoint) {
	if c.work.batch != nil {
		c.push(e, c.goal(e))
	}
}

// tellGoal tells the receiver when to report, unless an answer is on its way that says
// how far it has got.
func (c *Channel) tellGoal(e *channel.Endpoint) {
	w := c.work
	if w == nil || w.calls > 0 {
		return
	}
	if goal := c.goal(e); goal != channel.NoGoal && goal != w.told {
		w.batch = make([]byte, pushHead)
		c.push(e, goal)
	}
}

// push sends the batch, which may hold no record.
func (c *Channel) push(e *channel.Endpoint, goal uint64) {
	w := c.work
	b := w.batch
	w.batch, w.told = nil, goal
	w.calls++
	binary.LittleEndian.PutUint32(b, e.PeerSlot)
	binary.LittleEndian.PutUint32(b[4:], uint32(c.name))
	binary.LittleEndian.PutUint64(b[8:], goal)
	binary.LittleEndian.PutUint64(b[16:], e.Pos-uint64(len(b)-pushHead))
	binary.LittleEndian.PutUint64(b[24:], w.noticed)
	w.noticed = 0
	call := &pushed{c: c, request: b}
	c.p.channels.calls.Add(1)
	c.p.net.Agents().Call(int(e.Peer), uint8(opPush), b, call.report[:], call)
}

// pushed learns from the answer to a push how far the receiver has got.
type pushed struct {
	c       *Channel
	request []byte // has to stay until the answer is there
	report  [reportBytes]byte
}

// Complete implements fabric.Completion.
func (d *pushed) Complete(_ uint64, err error) {
	defer d.c.p.channels.calls.Done()
	if err != nil {
		go d.c.fail(err) // the caller may hold the lock of the channel
		return
	}
	if !d.c.lock() {
		return
	}
	d.c.work.calls--
	d.c.hear(d.c.end(), d.report[:])
	d.c.unlock()
}

// appendReport appends how far a receiver has got and which messages it could not have.
func appendReport(b []byte, head uint64, l channel.Losses) []byte {
	broken := uint64(0)
	if l.Broken {
		broken = 1
	}
	for _, word := range [...]uint64{head, l.End, broken} {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return b
}

// losses returns the losses of the receiving end, whose ring may be freed already.
func (c *Channel) losses(e *channel.Endpoint) channel.Losses {
	if e.Ring == nil {
		return c.work.losses // which release has left
	}
	return e.Ring.Losses()
}

// hear takes what the receiver reports. Reports may overtake each other, but the first one
// that says that a record has been taken out also says whether its message was lost.
func (c *Channel) hear(e *channel.Endpoint, report []byte) {
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(report[8*i:]) }
	e.Seen = max(e.Seen, min(word(0), e.Pos))
	if c.work != nil {
		c.work.losses = channel.Losses{End: word(1), Broken: word(2) != 0}
		if c.work.losses.End == c.work.noticed { // the receiver does not know that yet
			c.work.losses.End = 0
		}
		c.confirm(e)
	}
}

// servePush puts records into the ring of this process and answers how far it has got.
func (s *channels) servePush(r fabric.Request) (int, error) {
	b := r.Body
	if len(b) < pushHead || len(r.Reply) < reportBytes {
		return 0, am.ErrMalformed
	}
	c := s.find(channel.Name(binary.LittleEndian.Uint32(b)))
	if c == nil || !c.lock() {
		return 0, fmt.Errorf("%w: no such channel", am.ErrMalformed)
	}
	defer c.unlock()
	e := c.end()
	if e.Has(channel.Sender) || e.Ring == nil || !e.Deliver(binary.LittleEndian.Uint64(b[16:]), b[pushHead:]) {
		return 0, fmt.Errorf("%w: records that do not fit", am.ErrMalformed)
	}
	ring := e.Ring
	ring.Noticed(binary.LittleEndian.Uint64(b[24:]))
	e.Set(channel.Far, true)
	atomic.StoreUint32(&ring.SendSlot, binary.LittleEndian.Uint32(b[4:]))
	c.step()
	losses := c.losses(e)
	if goal := binary.LittleEndian.Uint64(b[8:]); goal > e.Pos && !c.dead {
		atomic.StoreUint64(&ring.Goal, goal)
	}
	return len(appendReport(r.Reply[:0], e.Pos, losses)), nil
}

// credit tells the sender how far this side has got, or that it has freed its end.
func (c *Channel) credit(e *channel.Endpoint, sender channel.Name, ring *channel.Ring, closed bool) {
	b := make([]byte, 8, creditBytes)
	binary.LittleEndian.PutUint32(b, uint32(sender))
	if closed {
		b[4] = 1
	}
	c.tell(int(e.Peer), opCredit, appendReport(b, e.Pos, ring.Losses()))
}

// tell sends a message that needs no answer.
func (c *Channel) tell(peer int, op am.Op, b []byte) {
	c.p.channels.calls.Add(1)
	c.p.net.Agents().Call(peer, uint8(op), b, nil, &told{c: c, request: b})
}

// told ends a message whose answer says nothing of interest.
type told struct {
	c       *Channel
	request []byte // has to stay until it has arrived
	answer  []byte // which is not looked at
}

// Complete implements fabric.Completion.
func (d *told) Complete(_ uint64, err error) {
	defer d.c.p.channels.calls.Done()
	if err != nil {
		go d.c.fail(err) // the caller may hold the lock of the channel
	}
}

// serveCredit tells a sending end what the receiver has said.
func (s *channels) serveCredit(r fabric.Request) (int, error) {
	b := r.Body
	if len(b) != creditBytes {
		return 0, am.ErrMalformed
	}
	c := s.find(channel.Name(binary.LittleEndian.Uint32(b)))
	if c == nil || !c.lock() {
		return 0, nil // it was told before in another way
	}
	defer c.unlock()
	e := c.end()
	if !e.Has(channel.Sender) || !e.Has(channel.Far) {
		return 0, nil
	}
	c.hear(e, b[8:])
	if b[4] != 0 && c.work != nil && c.work.closing != nil {
		c.closed(e)
	}
	return 0, nil
}

// announceFar tells a sender that only its agent reaches of a ring.
func (c *Channel) announceFar(peer int, a announcement) {
	b := make([]byte, 0, announceBytes)
	for _, word := range [...]uint64{a.From, a.Seq, a.Name, a.Pos, a.Size, a.Near} {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	c.tell(peer, opAnnounce, b)
}

func (s *channels) serveAnnounce(r fabric.Request) (int, error) {
	b := r.Body
	if len(b) != announceBytes {
		return 0, am.ErrMalformed
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	return 0, s.arrive(announcement{
		From: word(0), Seq: word(1), Name: word(2), Pos: word(3), Size: word(4), Near: word(5),
	})
}

// operations returns what the agent of this process does for channels.
func (s *channels) operations() []am.Operation {
	return []am.Operation{
		{Op: opAnnounce, Name: "announcement of a channel", Serve: s.serveAnnounce},
		{Op: opPush, Name: "records of a channel", Serve: s.servePush},
		{Op: opCredit, Name: "report of a channel", Serve: s.serveCredit},
	}
}
