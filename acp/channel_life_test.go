package acp_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// Reset and Finalize dispose of channels that were never freed, and numbering starts again.
func TestChannelReset(t *testing.T) {
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			for turn := range 3 {
				me := p.Rank()
				next, prev := (me+1)%3, (me+2)%3
				out, in := must(p.NewChannel(p.Rank(), next, acp.ChannelOptions{})), must(p.NewChannel(prev, p.Rank(), acp.ChannelOptions{}))
				if err := send(out, message(int(me), int(next), turn, 50)); err != nil {
					return err
				}
				if err := receive(in, message(int(prev), int(me), turn, 50)); err != nil {
					return err
				}
				lone := must(p.NewChannel(p.Rank(), prev, acp.ChannelOptions{})) // without another end
				left := must(lone.Send([]byte("lost")))
				open := must(in.Recv(make([]byte, 8)))
				if err := p.Reset(next); err != nil {
					return err
				}
				for _, r := range []acp.Request{left, open} {
					if _, err := r.Wait(); !errors.Is(err, acp.ErrClosed) {
						return fmt.Errorf("request of before the reset: %v", err)
					}
				}
				if _, err := out.Send(nil); !errors.Is(err, acp.ErrClosed) {
					return fmt.Errorf("send on a channel of before the reset: %v", err)
				}
			}
			must(p.NewChannel((p.Rank()+1)%3, p.Rank(), acp.ChannelOptions{}))
			return nil
		})
	})
}

// The end of the run ends the calls that wait.
func TestChannelLostRun(t *testing.T) {
	loseRun(t, func(_ context.Context, p *acp.Process) (func() error, error) {
		var r acp.Request
		switch p.Rank() { // both wait for rank 0
		case 1:
			r = must(must(p.NewChannel(0, p.Rank(), acp.ChannelOptions{})).Recv(make([]byte, 8)))
		case 2:
			r = must(must(p.NewChannel(p.Rank(), 0, acp.ChannelOptions{})).Send(make([]byte, 1<<20)))
		}
		return func() error {
			_, err := r.Wait()
			return err
		}, nil
	})
}
