package acp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/acptest/race"
)

// TestChannelAllPairs sends messages between all pairs of ranks at once. Senders and
// receivers draw the sizes from the same sequence.
func TestChannelAllPairs(t *testing.T) {
	forEachMode(t, []int{8}, func(t *testing.T, mode bridge.Mode, n int) {
		messages := race.Cases(2000, 400)
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			me := int(p.Rank())
			errs := make([]error, 2*n)
			var wg sync.WaitGroup
			for other := range n {
				if other == me {
					continue
				}
				wg.Go(func() { errs[other] = sendMany(p, me, other, messages) })
				wg.Go(func() { errs[n+other] = receiveMany(p, other, me, messages) })
			}
			wg.Wait()
			return errors.Join(errs...)
		})
	})
}

func sizesOf(from, to int) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(from), uint64(to)))
}

// pipeline is how many requests a side keeps under way.
const pipeline = 5

func sendMany(p *member, me, to, messages int) error {
	c, err := p.NewChannel(p.Rank(), acp.Rank(to), acp.ChannelOptions{})
	if err != nil {
		return err
	}
	sizes := sizesOf(me, to)
	var open []acp.Request
	for i := range messages {
		r, err := c.Send(message(me, to, i, length(sizes, longest)))
		if err != nil {
			return err
		}
		if open = append(open, r); len(open) == pipeline {
			if _, err := open[0].Wait(); err != nil {
				return err
			}
			open = open[1:]
		}
	}
	if err := acp.WaitAll(context.Background(), open...); err != nil {
		return err
	}
	return c.Close()
}

func receiveMany(p *member, from, me, messages int) error {
	c, err := p.NewChannel(acp.Rank(from), p.Rank(), acp.ChannelOptions{})
	if err != nil {
		return err
	}
	sizes := sizesOf(from, me)
	depth := 1 + (from+me)%pipeline
	bufs := make([][]byte, depth)
	open := make([]acp.Request, depth)
	post := func(i int) (err error) {
		if bufs[i%depth] == nil {
			bufs[i%depth] = make([]byte, longest)
		}
		open[i%depth], err = c.Recv(bufs[i%depth])
		return err
	}
	for i := range min(depth, messages) {
		if err := post(i); err != nil {
			return err
		}
	}
	for i := range messages {
		got, err := open[i%depth].Wait()
		if err != nil {
			return err
		}
		want := message(from, me, i, length(sizes, longest))
		if !bytes.Equal(bufs[i%depth][:got], want) {
			return fmt.Errorf("message %d from rank %d: %d bytes that are not the %d expected", i, from, got, len(want))
		}
		if i+depth < messages {
			if err := post(i + depth); err != nil {
				return err
			}
		}
	}
	return c.Close()
}
