package channel

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// TestKeep: an engine returns a request once for its handle, and once more each time it has been kept.
func TestKeep(t *testing.T) {
	forEachMode(t, 2, func(ctx context.Context, t *testing.T, engines []*Engine) {
		ready := make(chan struct{})
		together(t, func() error {
			c := must(engines[0].NewSender(1))
			<-ready
			return awaitAll(ctx, []*Request{must(c.Send([]byte("late"))), must(c.Free())})
		}, func() error {
			defer close(ready)
			c, got := must(engines[1].NewReceiver(0, defaultRing)), make([]byte, 4)
			handle := must(c.Recv(got)).Handle()
			early, cancel := context.WithCancel(ctx)
			cancel()
			for range 3 {
				r := must(engines[1].Request(handle))
				if _, err := r.Wait(early); !errors.Is(err, context.Canceled) {
					return fmt.Errorf("a wait whose context has ended: %v", err)
				}
				if _, err := engines[1].Request(handle); !errors.Is(err, ErrNoRequest) {
					return fmt.Errorf("the second request with a handle: %v", err)
				}
				engines[1].Keep(handle, r)
			}
			ready <- struct{}{}
			r := must(engines[1].Request(handle))
			n, err := r.Wait(ctx)
			if err != nil || string(got[:n]) != "late" {
				return fmt.Errorf("received %q: %v", got[:n], err)
			}
			return awaitAll(ctx, []*Request{must(c.Free())})
		})
	})
}
