package channel

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// TestKeep: the Hub returns a request once for its handle, and once more each time it has been kept.
func TestKeep(t *testing.T) {
	forEachMode(t, 2, func(ctx context.Context, t *testing.T, hubs []*Hub) {
		ready := make(chan struct{})
		together(t, func() error {
			c := must(hubs[0].NewSender(1))
			<-ready
			return awaitAll(ctx, []*Request{must(c.Send([]byte("late"))), must(c.Free())})
		}, func() error {
			defer close(ready)
			c, got := must(hubs[1].NewReceiver(0, defaultRing)), make([]byte, 4)
			handle := must(c.Recv(got)).Handle()
			early, cancel := context.WithCancel(ctx)
			cancel()
			for range 3 {
				r := must(hubs[1].Request(handle))
				if _, err := r.Wait(early); !errors.Is(err, context.Canceled) {
					return fmt.Errorf("a wait whose context has ended: %v", err)
				}
				if _, err := hubs[1].Request(handle); !errors.Is(err, ErrNoRequest) {
					return fmt.Errorf("the second request with a handle: %v", err)
				}
				hubs[1].Keep(handle, r)
			}
			ready <- struct{}{}
			r := must(hubs[1].Request(handle))
			n, err := r.Wait(ctx)
			if err != nil || string(got[:n]) != "late" {
				return fmt.Errorf("received %q: %v", got[:n], err)
			}
			return awaitAll(ctx, []*Request{must(c.Free())})
		})
	})
}
