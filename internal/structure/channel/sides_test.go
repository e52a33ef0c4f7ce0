package channel

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/access/global/globaltest"
	"golang.org/x/sys/unix"
)

// sides are the ways in which two processes may fail to map each other. Process 0 sends in tests
// of one direction.
var sides = []struct {
	name    string
	refuses func(from int) bool
}{
	{"both map", func(int) bool { return false }},
	{"sender maps nothing", func(from int) bool { return from == 0 }},
	{"receiver maps nothing", func(from int) bool { return from == 1 }},
	{"neither maps the other", func(int) bool { return true }},
}

// forEachSide runs body with the Engines of two processes that share memory, for each way in which one
// fails to map the other.
func forEachSide(t *testing.T, body func(ctx context.Context, engines []*Engine) error) {
	for _, side := range sides {
		t.Run(side.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), deadline)
			defer cancel()
			engines := open(t, globaltest.Config{Size: 2, Mode: bridge.ModeSHM, Refuse: func(from, _ int) error {
				if side.refuses(from) {
					return unix.EACCES
				}
				return nil
			}})
			if err := body(ctx, engines); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// Two processes exchange messages of all kinds whichever of the two can map the other.
func TestOneSidedMapping(t *testing.T) {
	forEachSide(t, func(ctx context.Context, engines []*Engine) error {
		results := make(chan error, 2)
		for me, h := range engines {
			go func() { results <- talk(ctx, h, me) }()
		}
		return errors.Join(<-results, <-results)
	})
}

// talk uses a channel in each direction with the other process and frees both, three times.
func talk(ctx context.Context, h *Engine, me int) error {
	other := 1 - me
	for turn := range 3 {
		out, in := must(h.NewSender(other)), must(h.NewReceiver(other, defaultRing))
		for i, size := range []int{0, 8, 1000, 3000, 100_000, 1 << 20, 5} {
			const burst = 10 // more than the ring holds
			var sent []*Request
			for k := range burst {
				sent = append(sent, must(out.Send(message(me*1000+turn*100+i*burst+k, size))))
			}
			for k := range burst {
				if err := receive(ctx, in, message(other*1000+turn*100+i*burst+k, size)); err != nil {
					return fmt.Errorf("turn %d: message %d of %d bytes: %w", turn, k, size, err)
				}
			}
			if err := awaitAll(ctx, sent); err != nil {
				return err
			}
		}
		if err := awaitAll(ctx, []*Request{must(out.Free()), must(in.Free())}); err != nil {
			return err
		}
	}
	return nil
}
