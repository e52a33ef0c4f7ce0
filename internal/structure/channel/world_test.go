package channel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/access/global/globaltest"
	"github.com/goacp/goacp/internal/network/am"
)

// deadline bounds every test of this package.
const deadline = 120 * time.Second

// open returns the Engines of a run whose processes are all in this one.
func open(t testing.TB, cfg globaltest.Config) []*Engine {
	t.Helper()
	var engines []*Engine
	cfg.Operations = func(r *globaltest.Rank) []am.Operation {
		h := NewEngine(Config{
			Mem: r.Mem, Router: r.Router, Direct: r.Direct, Budget: &r.Budget, Over: r.Over(),
			Failed: func(_ Kind, _ int, err error) error { return err },
		})
		engines = append(engines, h)
		return h.Operations()
	}
	globaltest.New(t, cfg)
	t.Cleanup(func() {
		for _, h := range engines {
			h.Stop()
		}
		for _, h := range engines {
			h.Dispose(ErrFreed)
		}
	})
	return engines
}

// forEachMode runs f as a subtest for each mode, for waiters that spin and for those that do not,
// with the Engines of a run of n processes.
func forEachMode(t *testing.T, n int, f func(ctx context.Context, t *testing.T, engines []*Engine)) {
	for _, mode := range []bridge.Mode{bridge.ModeSHM, bridge.ModeTCP} {
		for _, spin := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v/spin=%v", mode, spin), func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), deadline)
				defer cancel()
				f(ctx, t, open(t, globaltest.Config{Size: n, Mode: mode, Spin: spin}))
			})
		}
	}
}

// together runs functions at the same time and fails the test if one fails.
func together(t *testing.T, functions ...func() error) {
	t.Helper()
	errs := make([]error, len(functions))
	var all sync.WaitGroup
	for i, f := range functions {
		all.Go(func() { errs[i] = f() })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// both runs functions at the two ends of a channel, whose ring takes size bytes, and frees the
// ends. meet returns when both functions have called it.
func both(t *testing.T, size uint64, sender, receiver func(ctx context.Context, c *Channel, meet func()) error) {
	forEachMode(t, 2, func(ctx context.Context, t *testing.T, engines []*Engine) {
		out, err := engines[0].NewSender(1)
		if err != nil {
			t.Fatal(err)
		}
		in, err := engines[1].NewReceiver(0, size)
		if err != nil {
			t.Fatal(err)
		}
		toReceiver, toSender := make(chan struct{}, 1), make(chan struct{}, 1)
		meeting := func(mine, other chan struct{}) func() {
			return func() {
				other <- struct{}{}
				select {
				case <-mine:
				case <-ctx.Done():
				}
			}
		}
		together(t, func() error {
			return errors.Join(sender(ctx, out, meeting(toSender, toReceiver)), free(ctx, out))
		}, func() error {
			return errors.Join(receiver(ctx, in, meeting(toReceiver, toSender)), free(ctx, in))
		})
	})
}

// contents contains the bytes of all messages.
var contents = sync.OnceValue(func() []byte {
	b := make([]byte, 8<<20)
	_, _ = rand.NewChaCha8([32]byte{}).Read(b)
	return b
})

// message returns the i-th message, which is not to be changed. Its bytes depend on i and size.
func message(i, size int) []byte {
	at := rand.New(rand.NewPCG(uint64(i), uint64(size))).IntN(len(contents()) - size)
	return contents()[at : at+size : at+size]
}

// await waits for a request and checks its result.
func await(ctx context.Context, r *Request, err error, want int) error {
	if err != nil {
		return err
	}
	got, err := r.Wait(ctx)
	if err == nil && got != want {
		err = fmt.Errorf("result %d, expected %d", got, want)
	}
	return err
}

// awaitAll waits for requests.
func awaitAll(ctx context.Context, requests []*Request) error {
	var errs []error
	for i, r := range requests {
		if _, err := r.Wait(ctx); err != nil {
			errs = append(errs, fmt.Errorf("request %d: %w", i, err))
		}
	}
	return errors.Join(errs...)
}

func send(ctx context.Context, c *Channel, b []byte) error {
	r, err := c.Send(b)
	return await(ctx, r, err, 0)
}

func receiveInto(ctx context.Context, c *Channel, b []byte, want int) error {
	r, err := c.Recv(b)
	return await(ctx, r, err, want)
}

// receive checks that the next message is want.
func receive(ctx context.Context, c *Channel, want []byte) error {
	buf := make([]byte, len(want)+1)
	if err := receiveInto(ctx, c, buf, len(want)); err != nil {
		return err
	}
	if !bytes.Equal(buf[:len(want)], want) {
		return fmt.Errorf("%d bytes are not as they were sent", len(want))
	}
	return nil
}

func free(ctx context.Context, c *Channel) error {
	r, err := c.Free()
	return await(ctx, r, err, 0)
}

// must returns v, and ends the test binary if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
