package main

import (
	"errors"
	"time"

	"github.com/goacp/goacp/acp"
)

// channels measures half a round trip of 8 bytes, and a stream of messages of 1 MiB,
// between ranks 0 and 1.
func (b *bench) channels(small string, turns int, large string) error {
	other := 1 - b.p.Rank()
	out, err1 := b.p.NewChannel(b.p.Rank(), other, acp.ChannelOptions{})
	in, err2 := b.p.NewChannel(other, b.p.Rank(), acp.ChannelOptions{})
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	first := b.p.Rank() == 0
	word := make([]byte, 8)
	b.exchange(small, 2*turns, func() {
		for range turns {
			if first {
				b.await(out.Send(word))
			}
			b.await(in.Recv(word))
			if !first {
				b.await(out.Send(word))
			}
		}
	})
	message := make([]byte, megabyte)
	fill(message)
	const messages = 64
	b.exchange(large, messages, func() {
		for range messages {
			if first {
				b.await(out.Send(message))
			} else {
				b.await(in.Recv(message))
			}
		}
		b.await(acp.Request{}, b.p.Sync())
	})
	if b.err != nil {
		return b.err
	}
	o, err1 := out.BeginClose()
	i, err2 := in.BeginClose()
	b.await(o, err1)
	b.await(i, err2)
	return b.err
}

// exchange reports several means of what one of the steps of f takes, in which both
// ranks take part.
func (b *bench) exchange(name string, steps int, f func()) {
	for s := -1; s < samples; s++ {
		begin := time.Now()
		f()
		if s >= 0 && b.p.Rank() == 0 {
			report(name, float64(time.Since(begin))/float64(steps))
		}
	}
}

// await waits for a request that was just made, if there is one, and keeps the first error.
func (b *bench) await(r acp.Request, err error) {
	if err == nil && r != (acp.Request{}) {
		_, err = r.Wait()
	}
	if err != nil && b.err == nil {
		b.err = err
	}
}
