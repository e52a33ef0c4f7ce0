package acp_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

func TestChannelMisuse(t *testing.T) {
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			me := p.Rank()
			for _, bad := range []struct {
				sender, receiver acp.Rank
				err              error
			}{
				{me, me, acp.ErrBadRank}, {me, -1, acp.ErrBadRank}, {3, me, acp.ErrBadRank},
				{(me + 1) % 3, (me + 2) % 3, acp.ErrNotEndpoint},
			} {
				if _, err := p.NewChannel(bad.sender, bad.receiver, acp.ChannelOptions{}); !errors.Is(err, bad.err) {
					return fmt.Errorf("channel from %d to %d: %v", bad.sender, bad.receiver, err)
				}
			}
			out := must(p.NewChannel(p.Rank(), (me+1)%3, acp.ChannelOptions{}))
			in := must(p.NewChannel((me+2)%3, p.Rank(), acp.ChannelOptions{}))
			if _, err := out.Recv(make([]byte, 8)); !errors.Is(err, acp.ErrNotEndpoint) {
				return fmt.Errorf("receive at the sending end: %v", err)
			}
			if _, err := in.Send(make([]byte, 8)); !errors.Is(err, acp.ErrNotEndpoint) {
				return fmt.Errorf("send at the receiving end: %v", err)
			}
			a, b := must(out.BeginClose()), must(in.BeginClose())
			if _, err := out.BeginClose(); !errors.Is(err, acp.ErrClosed) {
				return fmt.Errorf("second free: %v", err)
			}
			if err := acp.WaitAll(context.Background(), a, b); err != nil {
				return err
			}
			if _, err := out.Send(nil); !errors.Is(err, acp.ErrClosed) {
				return fmt.Errorf("send on a freed channel: %v", err)
			}
			if _, err := p.Request(12345 << 32); !errors.Is(err, acp.ErrNoRequest) {
				return fmt.Errorf("unknown request: %v", err)
			}
			return nil
		})
	})
}

// A Wait whose context ends leaves the request unchanged.
func TestChannelContext(t *testing.T) {
	both(t, acp.ChannelOptions{}, func(p *member, c *acp.Channel) error {
		if err := p.Sync(); err != nil {
			return err
		}
		return send(c, []byte("late"))
	}, func(p *member, c *acp.Channel) error {
		buf := make([]byte, 8)
		r := must(c.Recv(buf))
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		if _, err := r.WithContext(ctx).Wait(); !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("wait without a message: %v", err)
		}
		if err := p.Sync(); err != nil {
			return err
		}
		return wait(r, nil, 4)
	})
}
