package acp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// wait waits for a request and checks its result.
func wait(r *acp.Request, err error, want int) error {
	if err != nil {
		return err
	}
	got, err := r.Wait()
	if err == nil && got != want {
		err = fmt.Errorf("result %d, expected %d", got, want)
	}
	return err
}

func send(c *acp.Channel, b []byte) error {
	r, err := c.Send(b)
	return wait(r, err, 0)
}

func recv(c *acp.Channel, b []byte, want int) error {
	r, err := c.Recv(b)
	return wait(r, err, want)
}

// receive checks that the next message is want.
func receive(c *acp.Channel, want []byte) error {
	buf := make([]byte, len(want)+1)
	if err := recv(c, buf, len(want)); err != nil {
		return err
	}
	if !bytes.Equal(buf[:len(want)], want) {
		return fmt.Errorf("%d bytes are not as they were sent", len(want))
	}
	return nil
}

// both runs body at the two ends of a channel from rank 0 to rank 1, in every mode.
func both(t *testing.T, opt acp.ChannelOptions, sender, receiver func(p *member, c *acp.Channel) error) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			c, err := p.NewChannel(0, 1, opt)
			if err != nil {
				return err
			}
			if p.Rank() == 0 {
				err = sender(p, c)
			} else {
				err = receiver(p, c)
			}
			if err != nil {
				return err
			}
			return c.Free()
		})
	})
}

// A receiver that has less room than the message takes its beginning, and the next
// message is not affected.
func TestChannelTruncation(t *testing.T) {
	sizes := []int{1, 8, 100, 4000, 100_000}
	both(t, acp.ChannelOptions{}, func(p *member, c *acp.Channel) error {
		for i, size := range sizes {
			if err := send(c, message(0, 1, i, size)); err != nil {
				return err
			}
		}
		return send(c, []byte("end"))
	}, func(p *member, c *acp.Channel) error {
		for i, size := range sizes {
			room := size / 2
			buf := bytes.Repeat([]byte{0xee}, size)
			if err := recv(c, buf[:room], room); err != nil {
				return err
			}
			want := append(message(0, 1, i, size)[:room:room], bytes.Repeat([]byte{0xee}, size-room)...)
			if !bytes.Equal(buf, want) {
				return fmt.Errorf("message of %d bytes in a buffer of %d", size, room)
			}
		}
		return receive(c, []byte("end"))
	})
}

// Messages of all sizes around the limits of a small ring, whose records run over its
// end again and again.
func TestChannelSizes(t *testing.T) {
	const messages = 300
	both(t, acp.ChannelOptions{BufferSize: 400}, func(p *member, c *acp.Channel) error {
		for i := range messages {
			if err := send(c, message(0, 1, i, i)); err != nil {
				return err
			}
		}
		return nil
	}, func(p *member, c *acp.Channel) error {
		for i := range messages {
			if err := receive(c, message(0, 1, i, i)); err != nil {
				return fmt.Errorf("message of %d bytes: %w", i, err)
			}
		}
		return nil
	})
}

// Requests may be made before the other side has created its end, many of them.
func TestChannelBeforeConnection(t *testing.T) {
	const messages = 500
	for _, late := range []int{0, 1} {
		forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
			run(t, n, acp.Config{Mode: mode}, func(p *member) error {
				if int(p.Rank()) == late {
					if err := p.Sync(); err != nil {
						return err
					}
				}
				c, err := p.NewChannel(0, 1, acp.ChannelOptions{})
				if err != nil {
					return err
				}
				bufs := make([][]byte, messages)
				requests := make([]*acp.Request, messages)
				for i := range requests {
					if p.Rank() == 0 {
						requests[i], err = c.Send(message(0, 1, i, i*10))
					} else {
						bufs[i] = make([]byte, i*10)
						requests[i], err = c.Recv(bufs[i])
					}
					if err != nil {
						return err
					}
				}
				freed, err := c.NbFree()
				if err != nil {
					return err
				}
				if int(p.Rank()) != late {
					if requests[messages-1].Done() {
						return errors.New("a request is finished before there is another side")
					}
					if err := p.Sync(); err != nil {
						return err
					}
				}
				if err := acp.WaitAll(context.Background(), requests...); err != nil {
					return err
				}
				for i, b := range bufs {
					if !bytes.Equal(b, message(0, 1, i, len(b))) {
						return fmt.Errorf("message %d is not as it was sent", i)
					}
				}
				_, err = freed.Wait()
				return err
			})
		})
	}
}

// Ranks create channels with their peers in different orders, several with each.
func TestChannelOrderOfCreation(t *testing.T) {
	forEachMode(t, []int{4}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			const each = 3
			me := int(p.Rank())
			var out, in [each][]*acp.Channel
			for k := range each {
				out[k], in[k] = make([]*acp.Channel, n), make([]*acp.Channel, n)
				for step := 1; step < n; step++ {
					other := (me + step) % n
					if me%2 == 0 {
						other = (me + n - step) % n
					}
					for _, sends := range []bool{me%3 == 0, me%3 != 0} {
						if sends {
							out[k][other] = must(p.OpenSender(acp.Rank(other)))
						} else {
							in[k][other] = must(p.OpenReceiver(acp.Rank(other), acp.ChannelOptions{}))
						}
					}
				}
			}
			for k := range each {
				for other := range n {
					if other == me {
						continue
					}
					if err := send(out[k][other], message(me, other, k, 20)); err != nil {
						return err
					}
				}
			}
			for k := range each {
				for other := range n {
					if other == me {
						continue
					}
					if err := receive(in[k][other], message(other, me, k, 20)); err != nil {
						return fmt.Errorf("channel %d from rank %d: %w", k, other, err)
					}
				}
			}
			var freed []*acp.Request
			for k := range each {
				for other := range n {
					if other != me {
						freed = append(freed, must(out[k][other].NbFree()), must(in[k][other].NbFree()))
					}
				}
			}
			return acp.WaitAll(context.Background(), freed...)
		})
	})
}

// A sender that waits for a large message before it meets the receiver, which has asked
// for it and does nothing but wait for the sender.
func TestChannelProgressOfReceiver(t *testing.T) {
	const size = 3 << 20
	both(t, acp.ChannelOptions{}, func(p *member, c *acp.Channel) error {
		if err := p.Sync(); err != nil {
			return err
		}
		if err := send(c, message(0, 1, 7, size)); err != nil {
			return err
		}
		return p.Sync()
	}, func(p *member, c *acp.Channel) error {
		buf := make([]byte, size)
		r, err := c.Recv(buf)
		if err == nil {
			err = errors.Join(p.Sync(), p.Sync())
		}
		if err == nil {
			err = wait(r, nil, size)
		}
		if err == nil && !bytes.Equal(buf, message(0, 1, 7, size)) {
			err = errors.New("not what was sent")
		}
		return err
	})
}

// A sender that has queued more than the ring holds and does nothing but wait for the
// receiver, which waits for the messages first.
func TestChannelProgressOfSender(t *testing.T) {
	const messages, size = 400, 500
	both(t, acp.ChannelOptions{}, func(p *member, c *acp.Channel) error {
		var all []*acp.Request
		for i := range messages {
			r, err := c.Send(message(0, 1, i, size))
			if err != nil {
				return err
			}
			all = append(all, r)
		}
		if err := p.Sync(); err != nil {
			return err
		}
		return acp.WaitAll(context.Background(), all...)
	}, func(p *member, c *acp.Channel) error {
		for i := range messages {
			if err := receive(c, message(0, 1, i, size)); err != nil {
				return err
			}
		}
		return p.Sync()
	})
}

// Freeing is complete although neither side does anything but meet the other.
func TestChannelProgressOfFree(t *testing.T) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			c := must(p.NewChannel(0, 1, acp.ChannelOptions{}))
			r := must(c.NbFree())
			for deadline := time.Now().Add(deadline); !r.Done(); time.Sleep(time.Millisecond) {
				if time.Now().After(deadline) {
					return errors.New("a channel is not freed")
				}
			}
			return wait(r, nil, 0)
		})
	})
}

// What is in the channel when it is freed arrives; what nobody asks for does not hold the
// freeing up; a receive for which no message is left fails.
func TestChannelFreeWithMessages(t *testing.T) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			more, less := must(p.NewChannel(0, 1, acp.ChannelOptions{})), must(p.NewChannel(0, 1, acp.ChannelOptions{}))
			large := message(0, 1, 9, 100_000)
			if p.Rank() == 0 {
				var all []*acp.Request
				for range 3 {
					all = append(all, must(more.Send([]byte("asked for"))))
				}
				all = append(all, must(more.Send(large)), must(more.NbFree()), must(less.Send(large)), must(less.NbFree()))
				return acp.WaitAll(context.Background(), all...)
			}
			if err := receive(more, []byte("asked for")); err != nil {
				return err
			}
			freed := must(more.NbFree())
			if _, err := more.Recv(nil); !errors.Is(err, acp.ErrChannelFreed) {
				return fmt.Errorf("receive after the freeing has begun: %v", err)
			}
			if err := wait(freed, nil, 0); err != nil {
				return err
			}
			if err := receive(less, large); err != nil {
				return err
			}
			if err := recv(less, make([]byte, 8), 0); !errors.Is(err, acp.ErrChannelFreed) {
				return fmt.Errorf("receive without a message: %v", err)
			}
			return less.Free()
		})
	})
}

// heapOf returns how much of its heap a rank has in use: it fills the rest with blocks.
func blocksLeft(p *member) (int, error) {
	var blocks []acp.GA
	for {
		ga, err := p.Malloc(1<<20, p.Rank())
		if errors.Is(err, acp.ErrHeapFull) {
			break
		}
		if err != nil {
			return 0, err
		}
		blocks = append(blocks, ga)
	}
	for _, ga := range blocks {
		if err := p.Free(ga); err != nil {
			return 0, err
		}
	}
	return len(blocks), nil
}

// TestChannelMemory: a thousand channels give back what they took.
func TestChannelMemory(t *testing.T) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode, HeapSize: acp.MinHeapSize}, func(p *member) error {
			before, err := blocksLeft(p)
			if err := errors.Join(err, p.Sync()); err != nil {
				return err
			}
			const count, size = 1000, 48 << 10
			all := make([]*acp.Channel, count)
			for i := range all {
				all[i] = must(p.NewChannel(0, 1, acp.ChannelOptions{BufferSize: size}))
			}
			for i, c := range all {
				if p.Rank() == 0 {
					err = send(c, message(0, 1, i, 100))
				} else {
					err = receive(c, message(0, 1, i, 100))
				}
				if err != nil {
					return err
				}
			}
			if err := p.Sync(); err != nil {
				return err
			}
			during, err := blocksLeft(p)
			if err != nil {
				return err
			}
			if full := during < before-40; full != (p.Rank() == 1) {
				return fmt.Errorf("the heap has room for %d MiB before and %d MiB with the channels", before, during)
			}
			freed := make([]*acp.Request, count)
			for i, c := range all {
				freed[i] = must(c.NbFree())
			}
			if err := errors.Join(acp.WaitAll(context.Background(), freed...), p.Sync()); err != nil {
				return err
			}
			after, err := blocksLeft(p)
			if err == nil && after != before {
				err = fmt.Errorf("the heap has room for %d MiB before and %d MiB after", before, after)
			}
			return err
		})
	})
}

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
			out := must(p.OpenSender((me + 1) % 3))
			in := must(p.OpenReceiver((me+2)%3, acp.ChannelOptions{}))
			if _, err := out.Recv(make([]byte, 8)); !errors.Is(err, acp.ErrNotEndpoint) {
				return fmt.Errorf("receive at the sending end: %v", err)
			}
			if _, err := in.Send(make([]byte, 8)); !errors.Is(err, acp.ErrNotEndpoint) {
				return fmt.Errorf("send at the receiving end: %v", err)
			}
			a, b := must(out.NbFree()), must(in.NbFree())
			if _, err := out.NbFree(); !errors.Is(err, acp.ErrChannelFreed) {
				return fmt.Errorf("second free: %v", err)
			}
			if err := acp.WaitAll(context.Background(), a, b); err != nil {
				return err
			}
			if _, err := out.Send(nil); !errors.Is(err, acp.ErrChannelFreed) {
				return fmt.Errorf("send on a freed channel: %v", err)
			}
			if _, err := p.Request(12345 << 32); !errors.Is(err, acp.ErrNoRequest) {
				return fmt.Errorf("unknown request: %v", err)
			}
			return nil
		})
	})
}

// A wait that its context ends leaves the request as it is.
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
		if _, err := r.WaitContext(ctx); !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("wait without a message: %v", err)
		}
		if err := p.Sync(); err != nil {
			return err
		}
		return wait(r, nil, 4)
	})
}

// Reset and Finalize dispose of what was never freed, and numbering begins anew.
func TestChannelReset(t *testing.T) {
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			for turn := range 3 {
				me := p.Rank()
				next, prev := (me+1)%3, (me+2)%3
				out, in := must(p.OpenSender(next)), must(p.OpenReceiver(prev, acp.ChannelOptions{}))
				if err := send(out, message(int(me), int(next), turn, 50)); err != nil {
					return err
				}
				if err := receive(in, message(int(prev), int(me), turn, 50)); err != nil {
					return err
				}
				lone := must(p.OpenSender(prev)) // without another end
				left := must(lone.Send([]byte("lost")))
				open := must(in.Recv(make([]byte, 8)))
				if err := p.Reset(next); err != nil {
					return err
				}
				for _, r := range []*acp.Request{left, open} {
					if _, err := r.Wait(); !errors.Is(err, acp.ErrChannelFreed) {
						return fmt.Errorf("request of before the reset: %v", err)
					}
				}
				if _, err := out.Send(nil); !errors.Is(err, acp.ErrChannelFreed) {
					return fmt.Errorf("send on a channel of before the reset: %v", err)
				}
			}
			must(p.OpenReceiver((p.Rank()+1)%3, acp.ChannelOptions{}))
			return nil
		})
	})
}

// The end of the run ends the waiting.
func TestChannelLostRun(t *testing.T) {
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		w := newWorld(t, n)
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		defer cancel()
		errs := make([]error, n)
		var asked, ended sync.WaitGroup
		asked.Add(n)
		for rank := range n {
			ended.Go(func() {
				p, err := w.open(ctx, rank, acp.Config{Mode: mode})
				if err != nil {
					errs[rank] = err
					asked.Done()
					return
				}
				var r *acp.Request
				switch rank {
				case 1:
					r = must(must(p.OpenReceiver(0, acp.ChannelOptions{})).Recv(make([]byte, 8)))
				case 2:
					r = must(must(p.OpenSender(0)).Send(make([]byte, 1<<20)))
				}
				asked.Done()
				if rank == 0 { // the others wait for it
					asked.Wait()
					w.server.Abort("a test wants it")
				} else if _, err := r.Wait(); !errors.Is(err, acp.ErrPeerDead) {
					errs[rank] = fmt.Errorf("wait: %v", err)
				}
				if err := p.Finalize(); !errors.Is(err, acp.ErrPeerDead) {
					errs[rank] = errors.Join(errs[rank], fmt.Errorf("finalize: %v", err))
				}
			})
		}
		ended.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	})
}

// A large message is received where its memory is: in starter memory, in the heap and in
// memory that the sender registered itself.
func TestChannelMemoryOfMessages(t *testing.T) {
	const size = 64 << 10
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode, StarterSize: size}, func(p *member) error {
			c := must(p.NewChannel(0, 1, acp.ChannelOptions{}))
			block := must(p.Malloc(size, p.Rank()))
			inHeap := unsafe.Slice((*byte)(must(p.QueryAddress(block))), size)
			registered := make([]byte, size)
			must(p.Register(registered, 0))
			for i, mem := range [][]byte{p.Starter(), inHeap, registered} {
				if p.Rank() == 1 {
					if err := recv(c, mem, size); err != nil {
						return err
					}
					if !bytes.Equal(mem, message(0, 1, i, size)) {
						return fmt.Errorf("memory %d: not what was sent", i)
					}
					continue
				}
				copy(mem, message(0, 1, i, size))
				if err := send(c, mem); err != nil {
					return err
				}
			}
			return c.Free()
		})
	})
}

// TestChannelFootprint pins what an idle channel costs beside its ring, at both ends
// together, which both are in this OS process.
func TestChannelFootprint(t *testing.T) {
	const count, endpoints = 20_000, 2 * 80 // outside the Go heap, see TestEndpointSize
	var before uint64
	run(t, 2, acp.Config{Mode: bridge.ModeSHM}, func(p *member) error {
		all := make([]*acp.Channel, count)
		// Each rank takes its memory while the other waits.
		measure := func(then func()) error {
			if err := p.Sync(); err != nil {
				return err
			}
			if p.Rank() == 0 {
				then()
			}
			return p.Sync()
		}
		if err := measure(func() { before = heapInUse() }); err != nil {
			return err
		}
		for i := range all {
			all[i] = must(p.NewChannel(0, 1, acp.ChannelOptions{BufferSize: 256}))
		}
		for i, c := range all {
			var err error
			if p.Rank() == 0 {
				err = send(c, []byte{byte(i)})
			} else {
				err = receive(c, []byte{byte(i)})
			}
			if err != nil {
				return err
			}
		}
		err := measure(func() {
			each := float64(heapInUse()-before)/count + endpoints
			t.Logf("%.0f bytes a channel", each)
			if each > 256 {
				t.Errorf("%.0f bytes a channel, at most 256 are allowed", each)
			}
		})
		if err != nil {
			return err
		}
		freed := make([]*acp.Request, count)
		for i, c := range all {
			freed[i] = must(c.NbFree())
		}
		return acp.WaitAll(context.Background(), freed...)
	})
}
