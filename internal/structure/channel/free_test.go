package channel

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// Messages in the channel still arrive after a Free. Messages without a receive do not delay the freeing. A
// receive for which no message is left fails.
func TestFreeWithMessages(t *testing.T) {
	forEachMode(t, 2, func(ctx context.Context, t *testing.T, engines []*Engine) {
		long := message(9, 100_000)
		together(t, func() error {
			more, less := must(engines[0].NewSender(1)), must(engines[0].NewSender(1))
			var all []*Request
			for range 3 {
				all = append(all, must(more.Send([]byte("asked for"))))
			}
			all = append(all, must(more.Send(long)), must(more.Free()), must(less.Send(long)), must(less.Free()))
			return awaitAll(ctx, all)
		}, func() error {
			more, less := must(engines[1].NewReceiver(0, defaultRing)), must(engines[1].NewReceiver(0, defaultRing))
			if err := receive(ctx, more, []byte("asked for")); err != nil {
				return err
			}
			freed := must(more.Free())
			if _, err := more.Recv(nil); !errors.Is(err, ErrFreed) {
				return fmt.Errorf("receive after the freeing has begun: %v", err)
			}
			if err := await(ctx, freed, nil, 0); err != nil {
				return err
			}
			if err := receive(ctx, less, long); err != nil {
				return err
			}
			if err := receiveInto(ctx, less, make([]byte, 8), 0); !errors.Is(err, ErrFreed) {
				return fmt.Errorf("receive without a message: %v", err)
			}
			return free(ctx, less)
		})
	})
}
