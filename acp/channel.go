package acp

import (
	"context"
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/structure/channel"
)

// DefaultChannelSize is the default size of the buffer of a channel in the heap of its receiver, in bytes.
const DefaultChannelSize = 4096

// ChannelOptions are properties of one end of a channel. The zero value stands for the
// defaults.
type ChannelOptions struct {
	// BufferSize is the bytes of the buffer, which lies in the heap of the receiver. The receiver alone
	// chooses it. Somewhat more than a hundred bytes hold metadata. A message that takes more than half of
	// the rest, or more than 32 KiB, is copied straight from the sender's memory to the receiver's.
	// BufferSize is rounded to 16 and brought into the range from 256 B to 1 GiB. 0: Config.ChannelSize.
	BufferSize uint64
}

// Channel is one end of a one-way channel between two ranks. Messages arrive whole and
// in order. Its methods may be called by several goroutines at once.
type Channel struct {
	c   *channel.Channel
	ctx context.Context
}

// WithContext returns the same end. When ctx ends, Close of the result and Wait of its requests return early;
// see Process.WithContext. Local. Does not block.
func (c *Channel) WithContext(ctx context.Context) *Channel { return &Channel{c.c, ctx} }

// NewChannel makes the calling rank's end of a channel from sender to receiver. The other rank makes its own
// end. Of the ends with the same sender and receiver, the n-th on one rank connects to the n-th on the other.
// NewChannel does not wait for the other rank; sends and receives are possible at once.
//
// Fails with ErrBadRank, also if both are the same rank; with ErrNotEndpoint if the
// caller is neither; with ErrHeapFull; and with ErrPeerDead when the run is over. Any
// rank. Does not block. Spec 4.2.2.
func (p *Process) NewChannel(sender, receiver Rank, opt ChannelOptions) (*Channel, error) {
	c, err := p.newChannel(sender, receiver, opt)
	if err != nil {
		return nil, p.lifeError(fmt.Sprintf("channel from rank %d to rank %d", sender, receiver), err)
	}
	return &Channel{c, p.ctx}, nil
}

func (p *Process) newChannel(sender, receiver Rank, opt ChannelOptions) (*channel.Channel, error) {
	if err := p.alive(); err != nil {
		return nil, err
	}
	for _, r := range []Rank{sender, receiver} {
		if err := p.mem.CheckRank(int(r)); err != nil {
			return nil, fmt.Errorf("%w: %d", err, r)
		}
	}
	if sender == receiver {
		return nil, fmt.Errorf("%w: a channel from a rank to itself", ErrBadRank)
	}
	switch p.Rank() {
	case sender:
		return p.channels.NewSender(p.member(receiver))
	case receiver:
		size := opt.BufferSize
		if size == 0 {
			size = p.cfg.ChannelSize
		}
		return p.channels.NewReceiver(p.member(sender), size)
	}
	return nil, ErrNotEndpoint
}

// Send queues one message. It does not wait; data must not change until the request is
// finished, which may have to wait for the receiver to ask for the message. An empty
// message is a message.
//
// Fails with ErrNotEndpoint at the receiving end, with ErrClosed after BeginClose, and
// with ErrPeerDead when the run is over. Does not block. Spec 4.2.5.
func (c *Channel) Send(data []byte) (Request, error) {
	r, err := c.c.Send(data)
	return Request{r, c.ctx}, err
}

// Recv queues a receive of one message into buf. A longer message is cut, and the rest
// of it is lost. It does not wait; buf belongs to the library until the request is
// finished. Requests of one end are served in the order in which they were made.
//
// Fails with ErrNotEndpoint at the sending end, with ErrClosed after BeginClose, and
// with ErrPeerDead when the run is over. Does not block. Spec 4.2.6.
func (c *Channel) Recv(buf []byte) (Request, error) {
	r, err := c.c.Recv(buf)
	return Request{r, c.ctx}, err
}

// BeginClose begins to close this end. The end accepts no further requests and serves those made before. Then
// the returned request finishes as soon as the other side closes its end, too. Messages that a receiver has
// not asked for are lost.
//
// Fails with ErrClosed if that was begun before, and with ErrPeerDead when the run is over.
// Does not block. Spec 4.2.4.
func (c *Channel) BeginClose() (Request, error) {
	r, err := c.c.Free()
	return Request{r, c.ctx}, err
}

// Close calls BeginClose and waits for the request. If its context ends first, the end continues to close.
// Blocks until the other rank closes its end, too. Spec 4.2.3.
func (c *Channel) Close() error { return c.c.Close(c.ctx) }

// channelFailed returns the error of a request of this kind and of size bytes that has failed
// with err.
func (p *Process) channelFailed(kind channel.Kind, size int, err error) error {
	e := &OpError{Op: kind.String(), Rank: p.Rank(), Size: uint64(size), Err: err}
	if errors.Is(err, channel.ErrEnded) {
		return e // not reported: it marks the end of the messages for a receiver
	}
	return p.fail(e)
}

// channelByHandle is Channel of package binding.
func (p *Process) channelByHandle(handle uint64) (*channel.Channel, error) {
	c, err := p.channels.Find(handle)
	return c, p.lifeError("channel", err)
}
