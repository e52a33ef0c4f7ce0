package acp

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/goacp/goacp/internal/structure/channel"
)

// A value of fixed size is one message with the bytes that it has in memory. A string or a slice of bytes is
// one message with its length, in 8 bytes, little endian, and its first frontMax bytes. If it is longer,
// messages of chunkMax bytes follow, the last of which is shorter. So the receiver allocates no memory for
// bytes that have not arrived.
const (
	lengthBytes = 8
	frontMax    = 1024 - lengthBytes
	chunkMax    = 1 << 20
)

// Sender is the sending end of a channel whose messages are values of T. T is a string type,
// a slice of bytes, or of fixed size without pointers. A value of fixed size is one message
// with its bytes, which C programs receive as a struct. Several goroutines may use a Sender
// at once. Spec 4.2.
type Sender[T any] struct {
	out *outgoing
	val codec[T]
	ctx context.Context
}

// outgoing is what all views of a Sender share.
type outgoing struct {
	p  *Process
	ch *Channel

	mu   sync.Mutex // held while the messages of one value are queued
	room []byte     // for a short message; nil while a request uses it
}

// NewSender makes the sending end of a channel to rank to, which makes a Receiver of the same
// T. The n-th end on one side belongs to the n-th on the other, as with NewChannel. It does not
// wait for the other side.
//
// Fails with ErrBadType, and as NewChannel does. Any rank. Does not block. Spec 4.2.2.
func NewSender[T any](p *Process, to Rank) (*Sender[T], error) {
	val, err := codecFor[T](p, false)
	if err != nil {
		return nil, err
	}
	ch, err := p.NewChannel(p.Rank(), to, ChannelOptions{})
	if err != nil {
		return nil, err
	}
	return &Sender[T]{out: &outgoing{p: p, ch: ch}, val: val, ctx: p.ctx}, nil
}

// WithContext returns the same end. When ctx ends, blocking methods of the result return early; see
// Process.WithContext. Local. Does not block.
func (s *Sender[T]) WithContext(ctx context.Context) *Sender[T] {
	return &Sender[T]{out: s.out, val: s.val, ctx: ctx}
}

// Send sends v. It returns when the channel has taken v: at once if v is short and the buffer of the receiver
// has room, otherwise when the receiver asks for it. If its context ends first, v still arrives.
//
// Fails with ErrClosed after Close, and with ErrPeerDead when the run is over. Any rank. Blocks.
// Spec 4.2.5.
func (s *Sender[T]) Send(v T) error {
	if err := s.ctx.Err(); err != nil {
		return s.out.p.lifeError("send", err)
	}
	b := s.val.bytes(&v)
	if s.val.kind == codecBytes && len(b) > frontMax && s.ctx.Done() != nil {
		b = slices.Clone(b) // if Send returns early, the program may change its bytes
	}
	return s.out.send(s.ctx, b, s.val.kind == codecFixed)
}

// send sends the messages of one value. b does not change until send returns or, if ctx ends,
// until they are sent.
func (o *outgoing) send(ctx context.Context, b []byte, fixed bool) error {
	requests, err := o.queue(b, fixed)
	for _, r := range requests {
		if _, failed := r.WithContext(ctx).Wait(); err == nil {
			err = failed
		}
		if err != nil && ctx.Err() != nil {
			break
		}
	}
	return err
}

// queue queues the messages of one value and returns their requests that are not finished, also
// if it fails.
func (o *outgoing) queue(b []byte, fixed bool) (requests []Request, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	front := o.room[:0]
	if !fixed {
		front = binary.LittleEndian.AppendUint64(front, uint64(len(b)))
	}
	n := len(b)
	if !fixed {
		n = min(n, frontMax)
	}
	front = append(front, b[:n]...)
	r, err := o.ch.Send(front)
	if err != nil {
		return nil, err
	}
	if r.Done() && cap(front) <= 2*(lengthBytes+frontMax) {
		o.room = front
		if _, err := r.Wait(); err != nil {
			return nil, err
		}
	} else {
		o.room = nil
		requests = append(requests, r)
	}
	for chunk := range slices.Chunk(b[n:], chunkMax) {
		if r, err = o.ch.Send(chunk); err != nil {
			return requests, err
		}
		requests = append(requests, r)
	}
	return requests, nil
}

// Close closes this end. Values sent before still arrive. Close returns when the receiver closes its end,
// too. If its context ends first, the end goes on closing.
//
// Fails with ErrClosed if that was begun before, and with ErrPeerDead when the run is over. Any
// rank. Blocks. Spec 4.2.3.
func (s *Sender[T]) Close() error {
	if err := s.ctx.Err(); err != nil {
		return s.out.p.channelFailed(channel.Free, 0, err)
	}
	r, err := s.out.beginClose()
	if err == nil {
		_, err = r.WithContext(s.ctx).Wait()
	}
	return err
}

// beginClose begins to close the channel, not between the messages of one value.
func (o *outgoing) beginClose() (Request, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.ch.BeginClose()
}
