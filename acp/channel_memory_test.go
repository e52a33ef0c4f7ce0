package acp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/footprinttest"
)

// blocksLeft returns how many blocks of 1 MiB the heap of a rank has room for.
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

// TestChannelMemory: a thousand channels free all their memory.
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
			freed := make([]acp.Request, count)
			for i, c := range all {
				freed[i] = must(c.BeginClose())
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

// A large message arrives from each kind of memory: starter memory, the heap, and memory that the sender
// itself registered.
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
			return c.Close()
		})
	})
}

// TestChannelFootprint pins the memory that an idle channel takes besides its ring. It counts both ends,
// since both are in this OS process. C programs have no values of type Channel.
func TestChannelFootprint(t *testing.T) {
	const most = 256 + 2*int64(unsafe.Sizeof(acp.Channel{}))
	const count, endpoints = 20_000, 2 * 80 // outside the Go heap, see TestEndpointSize
	var before int64
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
		if err := measure(func() { before = footprinttest.InUse() }); err != nil {
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
			each := float64(footprinttest.InUse()-before)/count + endpoints
			t.Logf("%.0f bytes a channel", each)
			if each > float64(most) {
				t.Errorf("%.0f bytes a channel, at most %d are allowed", each, most)
			}
		})
		if err != nil {
			return err
		}
		freed := make([]acp.Request, count)
		for i, c := range all {
			freed[i] = must(c.BeginClose())
		}
		return acp.WaitAll(context.Background(), freed...)
	})
}
