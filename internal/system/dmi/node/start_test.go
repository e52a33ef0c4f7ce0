package node_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/goacp/goacp/internal/system/dmi/node"
)

// startRead returns the future of a read.
func startRead(n *node.Node, addr int64, b []byte, mode node.Mode) *node.Future {
	f := n.NewFuture()
	if !n.StartRead(f, addr, b, mode) {
		go func() { f.End(n.Read(addr, b, mode)) }()
	}
	return f
}

// startWrite returns the future of a write.
func startWrite(n *node.Node, addr int64, b []byte, mode node.Mode) *node.Future {
	f := n.NewFuture()
	if !n.StartWrite(f, addr, b, mode) {
		go func() { f.End(n.Write(addr, b, mode)) }()
	}
	return f
}

// TestStarted: processes start many accesses at the same time, of few bytes and of many, to pages that no process has changed, that others take
// meanwhile, and of which there are copies. Each process reads its own bytes again.
func TestStarted(t *testing.T) {
	const procs, pageSize, ranges, turns = 3, 9000, 200, 5
	forEach(t, func(t *testing.T, h hosts) {
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		together(t, procs, h, pageSize, procs*ranges, func(n *node.Node, base int64) error {
			r := rand.New(rand.NewPCG(seed, uint64(n.ID())))
			started := make([]*node.Future, ranges)
			want, got := make([][]byte, ranges), make([][]byte, ranges)
			place := func(i int) int64 { return base + int64(i*procs+n.ID())*pageSize/procs }
			for turn := range turns {
				for _, i := range r.Perm(ranges) {
					size := []int{0, 1, 8, 2000, pageSize/procs - 1}[r.IntN(5)]
					want[i] = bytes.Repeat([]byte{byte(1 + turn + i)}, size)
					started[i] = startWrite(n, place(i), want[i], changes[r.IntN(8)/7])
				}
				if err := ended(started); err != nil {
					return fmt.Errorf("writing: %w", err)
				}
				for _, i := range r.Perm(ranges) {
					got[i] = make([]byte, len(want[i]))
					mode := node.Get
					if r.IntN(8) == 0 {
						mode = []node.Mode{node.Invalidate, node.Update}[r.IntN(2)]
					}
					started[i] = startRead(n, place(i), got[i], mode)
				}
				if err := ended(started); err != nil {
					return fmt.Errorf("reading: %w", err)
				}
				for i := range got {
					if !bytes.Equal(got[i], want[i]) {
						return fmt.Errorf("turn %d: range %d of %d bytes has %.8x, expected %.8x", turn, i, len(want[i]), got[i], want[i])
					}
				}
			}
			return nil
		})
	})
}

// ended waits for accesses, whose order does not matter.
func ended(started []*node.Future) error {
	for i, f := range started {
		for i%3 == 0 && !f.Poll() {
		}
		if i%3 == 1 {
			<-f.Done()
		}
		if err := f.Wait(); err != nil {
			return fmt.Errorf("access %d: %w", i, err)
		}
		if !f.HasEnded() {
			return fmt.Errorf("access %d is awaited, and has not ended", i)
		}
	}
	return nil
}

// TestStartedFail: accesses that are started fail as others do.
func TestStartedFail(t *testing.T) {
	forEach(t, func(t *testing.T, h hosts) {
		together(t, 2, h, 8, 2, func(n *node.Node, base int64) error {
			b := make([]byte, 8)
			for name, test := range map[string]struct {
				f    *node.Future
				want error
			}{
				"read, range":         {startRead(n, base+9, b, node.Get), node.ErrRange},
				"write, range":        {startWrite(n, base+9, b, node.Put), node.ErrRange},
				"read, no space":      {startRead(n, 5, b, node.Get), node.ErrNoSpace},
				"write, no space":     {startWrite(n, -5, b, node.Put), node.ErrNoSpace},
				"read, mode":          {startRead(n, base, b, node.Put), node.ErrMode},
				"write, mode":         {startWrite(n, base, b, node.Update), node.ErrMode},
				"several pages, good": {startRead(n, base+4, b, node.Get), nil},
			} {
				if err := test.f.Wait(); !errors.Is(err, test.want) {
					return fmt.Errorf("%s: %v, expected %v", name, err, test.want)
				}
			}
			return nil
		})
	})
}
