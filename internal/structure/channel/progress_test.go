package channel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"
)

// A sender waits for a long message before it calls meet. The receiver has posted the receive and only waits
// for the sender.
func TestProgressOfReceiver(t *testing.T) {
	const size = 3 << 20
	both(t, defaultRing, func(ctx context.Context, c *Channel, meet func()) error {
		meet()
		err := send(ctx, c, message(7, size))
		meet()
		return err
	}, func(ctx context.Context, c *Channel, meet func()) error {
		buf := make([]byte, size)
		r, err := c.Recv(buf)
		meet()
		meet()
		if err = await(ctx, r, err, size); err == nil && !bytes.Equal(buf, message(7, size)) {
			err = errors.New("not what was sent")
		}
		return err
	})
}

// A sender has queued more than the ring holds and only waits for the receiver. The receiver waits for the
// messages first.
func TestProgressOfSender(t *testing.T) {
	const messages, size = 400, 500
	both(t, defaultRing, func(ctx context.Context, c *Channel, meet func()) error {
		var all []*Request
		for i := range messages {
			all = append(all, must(c.Send(message(i, size))))
		}
		meet()
		return awaitAll(ctx, all)
	}, func(ctx context.Context, c *Channel, meet func()) error {
		var err error
		for i := 0; i < messages && err == nil; i++ {
			err = receive(ctx, c, message(i, size))
		}
		meet()
		return err
	})
}

// Freeing is complete although neither process waits for it.
func TestProgressOfFree(t *testing.T) {
	forEachMode(t, 2, func(ctx context.Context, t *testing.T, engines []*Engine) {
		freed := []*Request{
			must(must(engines[0].NewSender(1)).Free()),
			must(must(engines[1].NewReceiver(0, defaultRing)).Free()),
		}
		for _, r := range freed {
			for !r.Done() && ctx.Err() == nil {
				time.Sleep(time.Millisecond)
			}
			if err := await(ctx, r, ctx.Err(), 0); err != nil {
				t.Error(err)
			}
		}
	})
}

// A receiver that is parked is woken by each message.
func TestParkedReceiver(t *testing.T) {
	forEachSide(t, func(ctx context.Context, engines []*Engine) error {
		out, in := must(engines[0].NewSender(1)), must(engines[1].NewReceiver(0, defaultRing))
		for i := range 5 {
			r := must(in.Recv(make([]byte, 100)))
			result := make(chan error, 1)
			go func() { result <- await(ctx, r, nil, 100) }()
			for !in.hasSleeper() && ctx.Err() == nil {
				time.Sleep(time.Millisecond)
			}
			if err := errors.Join(send(ctx, out, message(i, 100)), <-result); err != nil {
				return fmt.Errorf("message %d: %w", i, err)
			}
		}
		return awaitAll(ctx, []*Request{must(out.Free()), must(in.Free())})
	})
}

// hasSleeper reports whether a waiter is parked, or is about to. It serves nothing.
func (c *Channel) hasSleeper() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.work != nil && c.work.sleepers > 0
}
