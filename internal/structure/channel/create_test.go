package channel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
)

// Requests may be made before the other side has created its end, many of them.
func TestRequestsBeforeConnection(t *testing.T) {
	const messages = 500
	for _, late := range []string{"sender", "receiver"} {
		t.Run("late "+late, func(t *testing.T) {
			forEachMode(t, 2, func(ctx context.Context, t *testing.T, engines []*Engine) {
				queue := []func() (*queued, error){
					func() (*queued, error) { return queueSends(must(engines[0].NewSender(1)), messages) },
					func() (*queued, error) {
						return queueReceives(must(engines[1].NewReceiver(0, defaultRing)), messages)
					},
				}
				if late == "sender" {
					queue[0], queue[1] = queue[1], queue[0]
				}
				early := must(queue[0]())
				if early.requests[messages-1].Done() {
					t.Fatal("a request is finished before there is another side")
				}
				second := must(queue[1]())
				together(t, func() error { return early.finish(ctx) }, func() error { return second.finish(ctx) })
			})
		})
	}
}

// queued holds the requests that one end has queued. The last request frees the end.
type queued struct {
	requests []*Request
	bufs     [][]byte // of a receiver
}

func queueSends(c *Channel, n int) (q *queued, err error) {
	q = &queued{requests: make([]*Request, n+1)}
	for i := range n {
		if q.requests[i], err = c.Send(message(i, i*10)); err != nil {
			return nil, err
		}
	}
	q.requests[n], err = c.Free()
	return q, err
}

func queueReceives(c *Channel, n int) (q *queued, err error) {
	q = &queued{requests: make([]*Request, n+1), bufs: make([][]byte, n)}
	for i := range n {
		q.bufs[i] = make([]byte, i*10)
		if q.requests[i], err = c.Recv(q.bufs[i]); err != nil {
			return nil, err
		}
	}
	q.requests[n], err = c.Free()
	return q, err
}

// finish waits for all requests and checks what has been received.
func (q *queued) finish(ctx context.Context) error {
	if err := awaitAll(ctx, q.requests); err != nil {
		return err
	}
	for i, b := range q.bufs {
		if !bytes.Equal(b, message(i, len(b))) {
			return fmt.Errorf("message %d is not as it was sent", i)
		}
	}
	return nil
}

// Processes create channels with their peers in different orders, several with each.
func TestOrderOfCreation(t *testing.T) {
	const n, each = 4, 3
	forEachMode(t, n, func(ctx context.Context, t *testing.T, engines []*Engine) {
		functions := make([]func() error, n)
		for me, h := range engines {
			functions[me] = func() error {
				out, in, err := createAll(h, me, n, each)
				if err != nil {
					return err
				}
				return errors.Join(exchange(ctx, me, out, in), freeAll(ctx, out, in))
			}
		}
		together(t, functions...)
	})
}

// createAll makes channels from process me to each of n processes and back, in an order that depends on me.
// The channels of a process with itself are nil.
func createAll(h *Engine, me, n, each int) (out, in [][]*Channel, err error) {
	for k := range each {
		out, in = append(out, make([]*Channel, n)), append(in, make([]*Channel, n))
		for step := 1; step < n; step++ {
			other := (me + step) % n
			if me%2 == 0 {
				other = (me + n - step) % n
			}
			for _, sends := range []bool{me%3 == 0, me%3 != 0} {
				if sends {
					out[k][other], err = h.NewSender(other)
				} else {
					in[k][other], err = h.NewReceiver(other, defaultRing)
				}
				if err != nil {
					return nil, nil, err
				}
			}
		}
	}
	return out, in, nil
}

// number returns the message of channel k between two processes, different from all other messages.
func number(from, to, k int) int { return from*100 + to*10 + k }

// exchange sends a message through each channel of out and receives one from each of in.
func exchange(ctx context.Context, me int, out, in [][]*Channel) error {
	for k := range out {
		for other, c := range out[k] {
			if c == nil {
				continue
			}
			if err := send(ctx, c, message(number(me, other, k), 20)); err != nil {
				return err
			}
		}
	}
	for k := range in {
		for other, c := range in[k] {
			if c == nil {
				continue
			}
			if err := receive(ctx, c, message(number(other, me, k), 20)); err != nil {
				return fmt.Errorf("channel %d from process %d: %w", k, other, err)
			}
		}
	}
	return nil
}

// freeAll frees channels at once.
func freeAll(ctx context.Context, lists ...[][]*Channel) error {
	var freed []*Request
	for _, list := range lists {
		for _, channels := range list {
			for _, c := range channels {
				if c != nil {
					freed = append(freed, must(c.Free()))
				}
			}
		}
	}
	return awaitAll(ctx, freed)
}
