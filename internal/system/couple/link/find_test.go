package link

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
	"github.com/goacp/goacp/internal/system/couple/meet"
)

// TestBadShard: if one directory cannot match points, all ranks report the reason, and none waits for ever. Then the link can be opened.
func TestBadShard(t *testing.T) {
	for _, x := range []struct {
		name   string
		tamper func(o *opening, ctx context.Context, c *connecting) error
		texts  [4]string // in the error of each rank
	}{
		{"list", (*opening).sendsNonsense, [4]string{
			"rank 1 of model from: ", "malformed list of numbers", "rank 1 of model from: ", "rank 1", // at its own points, or as the others
		}},
		{"reason", (*opening).sendsReason, [4]string{
			"rank 1 of model from: ", "rank 3: no memory", "rank 1 of model from: ", "rank 1", // at its own points, or as the others
		}},
		{"room", (*opening).fillsShards, [4]string{
			"points are not accepted: rank 1: more than 65536 links", "more than 65536 links",
			"points are not accepted: rank 1: more than 65536 links", "points are not accepted: rank 1: more than 65536 links",
		}},
	} {
		for _, hosts := range []int{1, 4} {
			t.Run(fmt.Sprintf("%s, %d hosts", x.name, hosts), func(t *testing.T) {
				extensiontest.RunOnHosts(t, 4, hosts, acp.Config{}, func(p *acp.Process) error {
					ctx := t.Context()
					c, err := newConnecting(p)
					if err == nil {
						err = c.declare(fitting)
					}
					if err != nil {
						return err
					}
					o := c.s.newOpening(c.field, c.side, meet.Moving, c.partner(), Options{})
					if err := errors.Join(o.introduce(ctx), x.tamper(o, ctx, c), p.Sync()); err != nil {
						return err
					}
					_, err = o.prepare(ctx, ctx)
					if text := x.texts[p.Rank()]; err == nil || !strings.Contains(err.Error(), text) {
						return fmt.Errorf("error %w, expected %q", err, text)
					}
					c.s.forgetMeetings() // the shards that a test has made
					return errors.Join(p.Sync(), c.nothingLeft(), p.Sync(), c.open(ctx))
				})
			})
		}
	}
}

// sendsNonsense lets rank 3 send rank 1 a list that is none.
func (o *opening) sendsNonsense(ctx context.Context, c *connecting) error {
	return o.sendsInstead(ctx, c, meet.Piece{Part: []byte{0xff}})
}

// sendsReason lets rank 3 send rank 1 the reason why it cannot send its points.
func (o *opening) sendsReason(ctx context.Context, c *connecting) error {
	return o.sendsInstead(ctx, c, meet.Piece{Why: "no memory"})
}

// sendsInstead lets rank 3 send rank 1 a piece in place of its points.
func (o *opening) sendsInstead(ctx context.Context, c *connecting, p meet.Piece) error {
	if c.p.Rank() != 3 {
		return nil
	}
	p.ID, p.Side, p.Index, p.Last = o.known.ID, o.side, o.f.model.index, true
	return o.send(ctx, 1, []meet.Piece{p})
}

// fillsShards leaves no room for the shard of rank 1.
func (o *opening) fillsShards(_ context.Context, c *connecting) error {
	if c.p.Rank() != 1 {
		return nil
	}
	c.s.shards.mu.Lock()
	defer c.s.shards.mu.Unlock()
	for id := range uint64(meet.MaxShards) {
		c.s.shards.machine.Of(o.known.ID + 1 + id)
	}
	return nil
}
