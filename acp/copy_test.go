package acp_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// area is memory of one rank of one kind, with the address that all ranks use.
type area struct {
	kind string
	rank acp.Rank
	ga   acp.GA
	mem  []byte // of every rank: they share one OS process
}

const areaSize = 3 << 20

// publish returns starter memory and registered memory of rank p.
func publish(p *member, heap []byte) []area {
	register := func(kind string, mem []byte) area {
		key := must(p.Register(mem, 0))
		ga := must(p.QueryGA(key, unsafe.Pointer(unsafe.SliceData(mem))))
		return area{kind, p.Rank(), ga, mem}
	}
	return []area{
		{"starter", p.Rank(), must(p.StarterGA(p.Rank())), p.Starter()},
		register("registered memory", heap),
	}
}

// TestCopyMatrix copies between every kind of memory of every pair of ranks,
// initiated by rank 0, with guard bytes around the destination.
func TestCopyMatrix(t *testing.T) {
	const n = 3
	sizes := []uint64{0, 1, 4, 7, 8, 4096, 1<<20 + 3}
	forEachMode(t, []int{n}, func(t *testing.T, mode bridge.Mode, _ int) {
		heaps := make([][]byte, n)
		for i := range heaps {
			heaps[i] = foreign(t, areaSize)
		}
		shared := make([][]area, n)
		run(t, n, acp.Config{Mode: mode, StarterSize: areaSize}, func(p *member) error {
			shared[p.Rank()] = publish(p, heaps[p.Rank()])
			if err := p.Sync(); err != nil {
				return err
			}
			if p.Rank() == 0 {
				all := slices.Concat(shared...)
				for _, src := range all {
					for _, dst := range all {
						for _, size := range sizes {
							if err := checkCopy(p, src, dst, size); err != nil {
								return fmt.Errorf("%s of rank %d to %s of rank %d, %d bytes: %w",
									src.kind, src.rank, dst.kind, dst.rank, size, err)
							}
						}
					}
				}
			}
			return p.Sync()
		})
	})
}

// checkCopy copies between unaligned places that do not overlap.
func checkCopy(p *member, src, dst area, size uint64) error {
	const srcOff, dstOff, guard = 13, areaSize/2 + 5, 64
	from, to := src.mem[srcOff:srcOff+size], dst.mem[dstOff-guard:dstOff+size+guard]
	for i := range from {
		from[i] = byte(i*31 + int(size) + 1)
	}
	want := bytes.Clone(from)
	for i := range to {
		to[i] = 0xee
	}
	h, err := p.Copy(dst.ga+dstOff, src.ga+srcOff, size, acp.HandleNull)
	if err != nil {
		return err
	}
	if h == acp.HandleNull || h >= acp.HandleCont {
		return fmt.Errorf("handle %#x", h)
	}
	if err := p.Complete(h); err != nil {
		return err
	}
	clear(from) // the source may be changed now
	got := to[guard : guard+size]
	if !bytes.Equal(got, want) {
		return fmt.Errorf("wrong bytes")
	}
	for i, b := range to[:guard] {
		if b != 0xee || to[guard+int(size)+i] != 0xee {
			return fmt.Errorf("guard bytes changed")
		}
	}
	return nil
}

// TestOverlap: source and destination within one rank behave like memmove.
func TestOverlap(t *testing.T) {
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		heaps := make([][]byte, n)
		for i := range heaps {
			heaps[i] = foreign(t, areaSize)
		}
		shared := make([][]area, n)
		run(t, n, acp.Config{Mode: mode, StarterSize: areaSize}, func(p *member) error {
			shared[p.Rank()] = publish(p, heaps[p.Rank()])
			if err := p.Sync(); err != nil {
				return err
			}
			rnd := rand.New(rand.NewPCG(uint64(p.Rank()), 7))
			if p.Rank() == 0 {
				for _, r := range slices.Concat(shared...) {
					for range 8 {
						size := 1 + rnd.IntN(1<<20)
						from, to := rnd.IntN(1<<20), rnd.IntN(1<<20)
						for i := range r.mem {
							r.mem[i] = byte(i * 2654435761 >> 16)
						}
						want := bytes.Clone(r.mem)
						copy(want[to:to+size], want[from:from+size])
						h, err := p.Copy(r.ga+acp.GA(to), r.ga+acp.GA(from), uint64(size), acp.HandleNull)
						if err != nil {
							return err
						}
						if err := p.Complete(h); err != nil {
							return err
						}
						if !bytes.Equal(r.mem, want) {
							return fmt.Errorf("%s of rank %d: %d bytes from %d to %d", r.kind, r.rank, size, from, to)
						}
					}
				}
			}
			return p.Sync()
		})
	})
}

// TestAllGather is the sample of the basic-layer paper: every rank broadcasts its
// block along a binary tree, controlled by handles alone.
func TestAllGather(t *testing.T) {
	const block = 1000
	forEachMode(t, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			rank := int(p.Rank())
			for i := range block {
				p.Starter()[rank*block+i] = byte(rank*17 + i)
			}
			if err := p.Sync(); err != nil {
				return err
			}
			handle := make([]acp.Handle, n)
			for i := 1; i < n; i++ {
				dst, src := (rank+i)%n, (rank+i>>1)%n
				off := acp.GA(rank * block)
				h, err := p.Copy(must(p.StarterGA(acp.Rank(dst)))+off, must(p.StarterGA(acp.Rank(src)))+off, block, handle[src])
				if err != nil {
					return err
				}
				handle[dst] = h
			}
			if err := p.Complete(acp.HandleAll); err != nil {
				return err
			}
			if err := p.Sync(); err != nil {
				return err
			}
			for r := range n {
				for i := range block {
					if got := p.Starter()[r*block+i]; got != byte(r*17+i) {
						return fmt.Errorf("byte %d of rank %d is %d", i, r, got)
					}
				}
			}
			return nil
		})
	})
}
