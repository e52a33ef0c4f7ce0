package acp

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/goacp/goacp/internal/structure/channel"
)

// Receiver is the receiving end of a channel whose messages are values of T; see Sender. Several
// goroutines may receive at once: each value goes to one of them. Spec 4.2.
type Receiver[T any] struct {
	in  *incoming
	val codec[T]
	ctx context.Context
	err error // of the last iteration
}

// incoming is what all views of a Receiver share.
type incoming struct {
	p     *Process
	ch    *Channel
	fixed uint64 // bytes of every value; 0 if they differ

	turn chan struct{} // holds one token, which the goroutine that receives has taken

	// Guarded by the token. They outlive a Recv that returns early, so that the next Recv continues with
	// them.
	room    []byte  // for the first message of a value
	request Request // for a message that has not come yet; the zero value if there is none
	value   []byte  // the bytes received so far of a value of several messages
	left    uint64  // bytes of it still to come
	lost    uint64  // bytes still to come of a value that could not be received
}

// NewReceiver makes the receiving end of a channel from rank from, which makes a Sender of the same T. The
// ends are paired as those of NewSender, and it does not wait for the sender. Fails with ErrBadType, and as
// NewChannel does. Any rank. Does not block. Spec 4.2.2.
func NewReceiver[T any](p *Process, from Rank, opt ChannelOptions) (*Receiver[T], error) {
	val, err := codecFor[T](p, false)
	if err != nil {
		return nil, err
	}
	ch, err := p.NewChannel(from, p.Rank(), opt)
	if err != nil {
		return nil, err
	}
	in := &incoming{p: p, ch: ch, fixed: val.size, turn: make(chan struct{}, 1)}
	// Room for one byte more than a value, so that a longer message is noticed.
	in.room = make([]byte, max(val.size+1, lengthBytes+frontMax+1))
	in.turn <- struct{}{}
	return &Receiver[T]{in: in, val: val, ctx: p.ctx}, nil
}

// WithContext returns the same end. When ctx ends, blocking methods of the result return early; see
// Process.WithContext. Local. Does not block.
func (r *Receiver[T]) WithContext(ctx context.Context) *Receiver[T] {
	return &Receiver[T]{in: r.in, val: r.val, ctx: ctx}
}

// Recv returns the next value. If its context ends first, no value is lost: the next Recv returns it.
//
// Fails with ErrClosed if the sender has closed its end and no value is left, or after Close;
// with ErrBadSize for a message that is no value of T; and with ErrPeerDead when the run is
// over. Any rank. Blocks until there is a value. Spec 4.2.6.
func (r *Receiver[T]) Recv() (T, error) {
	if err := r.ctx.Err(); err != nil {
		return *new(T), r.in.failed(err)
	}
	select {
	case <-r.in.turn:
	case <-r.ctx.Done():
		return *new(T), r.in.failed(r.ctx.Err())
	}
	defer func() { r.in.turn <- struct{}{} }()
	b, err := r.in.next(r.ctx)
	if err != nil {
		return *new(T), err
	}
	v, err := r.val.value(b)
	return v, r.in.failed(err)
}

// All returns an iterator over the values that arrive, until the sender closes its end. If it ends for
// another reason, Err returns the error. Any rank. The loop blocks as Recv does.
func (r *Receiver[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		r.err = nil
		for {
			v, err := r.Recv()
			if err != nil {
				if !errors.Is(err, channel.ErrEnded) {
					r.err = err
				}
				return
			}
			if !yield(v) {
				return
			}
		}
	}
}

// Err returns why the last iteration ended before the sender had closed its end, or nil. Goroutines that
// iterate at the same time each need their own view, as WithContext returns it. Local. Does not block.
func (r *Receiver[T]) Err() error { return r.err }

// Close closes this end. It returns when the sender closes its end, too; values that nothing has received are
// lost. If its context ends first, the end goes on closing.
//
// Fails with ErrClosed if that was begun before, and with ErrPeerDead when the run is over. Any
// rank. Blocks. Spec 4.2.3.
func (r *Receiver[T]) Close() error { return r.in.ch.WithContext(r.ctx).Close() }

// failed is the error of a Recv.
func (in *incoming) failed(err error) error { return in.p.lifeError("receive", err) }

// next returns the bytes of the next value, which are valid until the next call.
func (in *incoming) next(ctx context.Context) ([]byte, error) {
	if err := in.skip(ctx); err != nil {
		return nil, err
	}
	if in.left == 0 {
		n, err := in.message(ctx, in.room)
		if err != nil {
			return nil, err
		}
		if in.fixed > 0 {
			return in.room[:n], in.checkFixed(uint64(n))
		}
		if err := in.begin(in.room[:n]); err != nil {
			return nil, err
		}
	}
	for in.left > 0 {
		if err := in.more(ctx); err != nil {
			return nil, err
		}
	}
	value := in.value
	in.value = nil
	return value, nil
}

// checkFixed checks the length of a message that is to be a value of fixed size.
func (in *incoming) checkFixed(n uint64) error {
	if n == in.fixed {
		return nil
	}
	return in.failed(fmt.Errorf("%w: a message of %d bytes for a value of %d", ErrBadSize, n, in.fixed))
}

// begin takes the first message of a value whose size is not fixed.
func (in *incoming) begin(m []byte) error {
	if len(m) < lengthBytes {
		return in.failed(fmt.Errorf("%w: a message of %d bytes, too short for a length", ErrBadSize, len(m)))
	}
	length, front := binary.LittleEndian.Uint64(m), m[lengthBytes:]
	if uint64(len(front)) != min(length, frontMax) {
		return in.failed(fmt.Errorf("%w: a message with %d bytes of a value of %d", ErrBadSize, len(front), length))
	}
	in.value, in.left = front, length-uint64(len(front))
	if in.left > 0 {
		in.value = slices.Clone(front)
	}
	return nil
}

// skip takes the messages that are left of a lost value, and drops them.
func (in *incoming) skip(ctx context.Context) error {
	for in.lost > 0 {
		want := int(min(in.lost, chunkMax))
		in.value = slices.Grow(in.value[:0], want)
		_, err := in.message(ctx, in.value[:want])
		if err != nil && !errors.Is(err, ErrUnreadable) {
			return err
		}
		in.lost -= uint64(want)
	}
	return nil
}

// more takes one more message of the value. If it fails for another reason than the end of ctx, the value is
// lost.
func (in *incoming) more(ctx context.Context) error {
	have, want := len(in.value), int(min(in.left, chunkMax))
	in.value = slices.Grow(in.value, want)
	n, err := in.message(ctx, in.value[have:have+want])
	if err == nil && n != want {
		err = in.failed(fmt.Errorf("%w: a message of %d bytes where %d of a value were expected", ErrBadSize, n, want))
	}
	switch {
	case err == nil:
		in.value, in.left = in.value[:have+want], in.left-uint64(want)
	case in.request == (Request{}):
		in.value, in.left, in.lost = nil, 0, in.left-uint64(want)
	}
	return err
}

// message receives one message into buf and returns its length. If ctx ends, the request stays and keeps its
// memory: the next call, with the same buf, waits for it.
func (in *incoming) message(ctx context.Context, buf []byte) (int, error) {
	if in.request == (Request{}) {
		request, err := in.ch.Recv(buf)
		if err != nil {
			return 0, err
		}
		in.request = request
	}
	n, err := in.request.WithContext(ctx).Wait()
	gaveUp := err != nil && errors.Is(err, ctx.Err()) // the request may have finished after that
	if !gaveUp && in.request.Done() {
		in.request = Request{}
	}
	return n, err
}
