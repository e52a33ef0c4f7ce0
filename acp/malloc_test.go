package acp_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// TestMallocModel lets all ranks allocate and free on all ranks at random, with a pattern in every block that
// is written and checked by copies. Afterwards a block of full size fits into every heap.
func TestMallocModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	steps := map[bridge.Mode]int{bridge.ModeSHM: 20000, bridge.ModeTCP: 1200}
	forEachMode(t, []int{1, 3}, func(t *testing.T, mode bridge.Mode, n int) {
		runHeapUsers(t, mode, n, steps[mode], seed)
	})
}

// TestMallocCrowd is TestMallocModel with a million operations of 8 ranks.
func TestMallocCrowd(t *testing.T) {
	const ranks, operations = 8, 1_000_000
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	runHeapUsers(t, bridge.ModeSHM, ranks, operations/ranks, seed)
}

func runHeapUsers(t *testing.T, mode bridge.Mode, n, steps int, seed uint64) {
	cfg := acp.Config{Mode: mode, StarterSize: 1 << 16, HeapSize: acp.MinHeapSize}
	run(t, n, cfg, func(p *member) error {
		u := &heapUser{p: p, rnd: rand.New(rand.NewPCG(seed, uint64(p.Rank()))), own: must(p.StarterGA(p.Rank()))}
		for range steps {
			if err := u.step(); err != nil {
				return err
			}
		}
		for len(u.held) > 0 {
			if err := u.release(len(u.held) - 1); err != nil {
				return err
			}
		}
		if err := p.Sync(); err != nil {
			return err
		}
		next := acp.Rank((int(p.Rank()) + 1) % n)
		all, err := p.Malloc(acp.MinHeapSize, next)
		if err != nil {
			return fmt.Errorf("the heap of rank %d is not whole: %w", next, err)
		}
		if _, err := p.Malloc(1, next); !errors.Is(err, acp.ErrHeapFull) {
			return fmt.Errorf("one byte more: %v", err)
		}
		return p.Free(all)
	})
}

// heapUser is one rank of TestMallocModel.
type heapUser struct {
	p    *member
	rnd  *rand.Rand
	own  acp.GA
	held []heapBlock
}

type heapBlock struct {
	ga   acp.GA
	size int
	fill byte
}

func (u *heapUser) step() error {
	if len(u.held) > 0 && (u.rnd.IntN(2) == 0 || len(u.held) > 100) {
		return u.release(u.rnd.IntN(len(u.held)))
	}
	b := heapBlock{size: u.rnd.IntN(1 << u.rnd.IntN(13)), fill: byte(u.rnd.Uint32())}
	rank := acp.Rank(u.rnd.IntN(u.p.Procs()))
	var err error
	if b.ga, err = u.p.Malloc(uint64(b.size), rank); err != nil {
		return err
	}
	if got := must(u.p.QueryRank(b.ga)); got != rank || b.ga%16 != 0 {
		return fmt.Errorf("block %v for rank %d", b.ga, rank)
	}
	copy(u.p.Starter(), bytes.Repeat([]byte{b.fill}, b.size))
	u.held = append(u.held, b)
	return u.p.move(b.ga, u.own, b.size)
}

// release checks that the block is as it was written, and frees it.
func (u *heapUser) release(i int) error {
	b := u.held[i]
	u.held = slices.Delete(u.held, i, i+1)
	clear(u.p.Starter()[:b.size])
	if err := u.p.move(u.own, b.ga, b.size); err != nil {
		return err
	}
	for _, got := range u.p.Starter()[:b.size] {
		if got != b.fill {
			return fmt.Errorf("block %v of %d bytes was changed", b.ga, b.size)
		}
	}
	return u.p.Free(b.ga)
}

func TestMallocErrors(t *testing.T) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode, HeapSize: 1}, func(p *member) error {
			for _, rank := range []acp.Rank{-1, 2} {
				if _, err := p.Malloc(8, rank); !errors.Is(err, acp.ErrBadRank) {
					return fmt.Errorf("on rank %d: %v", rank, err)
				}
			}
			for _, size := range []uint64{acp.MinHeapSize + 1, ^uint64(0)} {
				if _, err := p.Malloc(size, 1-p.Rank()); !errors.Is(err, acp.ErrHeapFull) {
					return fmt.Errorf("%d bytes: %v", size, err)
				}
			}
			ga, err := p.Malloc(100, 1-p.Rank())
			if err != nil {
				return err
			}
			if err := p.Free(ga + 16); !errors.Is(err, acp.ErrNotAllocated) {
				return fmt.Errorf("free of the inside: %v", err)
			}
			if err := p.Free(must(p.StarterGA(1 - p.Rank()))); !errors.Is(err, acp.ErrNotAllocated) {
				return fmt.Errorf("free of starter memory: %v", err)
			}
			if err := p.Free(acp.NullGA); !errors.Is(err, acp.ErrBadAddress) {
				return fmt.Errorf("free of null: %v", err)
			}
			if err := p.Free(ga); err != nil {
				return err
			}
			var op *acp.OpError
			if err := p.Free(ga); !errors.Is(err, acp.ErrNotAllocated) || !errors.As(err, &op) || op.Src != ga {
				return fmt.Errorf("free twice: %v", err)
			}
			return nil
		})
	})
}

// TestHeapMemory: blocks can be used like other memory, for atomics and after a reset.
func TestHeapMemory(t *testing.T) {
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			own := must(p.StarterGA(p.Rank()))
			for range 2 {
				next := acp.Rank((int(p.Rank()) + 1) % n)
				ga, err := p.Malloc(8, next)
				if err != nil {
					return err
				}
				for i := range uint64(10) {
					order := acp.HandleNull
					if i == 0 {
						if order, err = p.Swap8(own, ga, 100, order); err != nil {
							return err
						}
					}
					if _, err := p.Add8(own, ga, i, order); err != nil {
						return err
					}
				}
				if _, err := p.Copy(own, ga, 8, acp.HandleAll); err != nil {
					return err
				}
				if err := p.Complete(acp.HandleAll); err != nil {
					return err
				}
				if got := binary.NativeEndian.Uint64(p.Starter()); got != 145 {
					return fmt.Errorf("the block holds %d", got)
				}
				if err := p.Reset(next); err != nil {
					return err
				}
				if err := p.Free(ga); !errors.Is(err, acp.ErrNotAllocated) {
					return fmt.Errorf("free of a block from before the reset: %v", err)
				}
				if err := p.Sync(); err != nil { // before another rank allocates again
					return err
				}
				own = must(p.StarterGA(p.Rank()))
			}
			return nil
		})
	})
}
