package main

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/goacp/goacp/acp"
)

// blockSize is the greatest number of bytes of a block, maxBlocks how many a rank has.
const (
	blockSize = 64 << 10
	maxBlocks = 16
)

// blocks allocates memory on all ranks, and frees it.
type blocks struct {
	w    *world
	rnd  *rand.Rand
	live []block
}

type block struct {
	ga   acp.GA
	size int
	key  uint64 // of the bytes in it
}

func newBlocks(w *world, rnd *rand.Rand) (actor, error) { return &blocks{w: w, rnd: rnd}, nil }

func (b *blocks) step() error {
	if len(b.live) < maxBlocks && b.rnd.IntN(2) == 0 {
		return b.allocate()
	}
	if len(b.live) == 0 {
		return nil
	}
	i := b.rnd.IntN(len(b.live))
	if b.rnd.IntN(8) == 0 {
		if err := b.w.p.Free(b.live[i].ga + 16); !errors.Is(err, acp.ErrNotAllocated) {
			return fmt.Errorf("freeing the middle of a block: %v, expected %w", err, acp.ErrNotAllocated)
		}
	}
	if err := b.verify(b.live[i]); err != nil {
		return err
	}
	freed := b.live[i].ga
	b.live[i] = b.live[len(b.live)-1]
	b.live = b.live[:len(b.live)-1]
	return b.w.p.Free(freed)
}

func (b *blocks) allocate() error {
	n := block{size: 32 + b.rnd.IntN(blockSize-32)>>b.rnd.IntN(11), key: b.rnd.Uint64()}
	var err error
	if n.ga, err = b.w.p.Malloc(uint64(n.size), b.w.peer(b.rnd)); err != nil {
		return err
	}
	b.live = append(b.live, n)
	pattern(b.w.here(blockPlace, n.size), n.key)
	return b.w.complete(b.w.p.Copy(n.ga, b.w.at(b.w.rank, blockPlace), uint64(n.size), acp.HandleNull))
}

func (b *blocks) verify(n block) error {
	if err := b.w.complete(b.w.p.Copy(b.w.at(b.w.rank, blockPlace), n.ga, uint64(n.size), acp.HandleNull)); err != nil {
		return err
	}
	want := make([]byte, n.size)
	pattern(want, n.key)
	if err := differ(b.w.here(blockPlace, n.size), want); err != nil {
		return fmt.Errorf("block of %d bytes at %v: %w", n.size, n.ga, err)
	}
	return nil
}

func (b *blocks) settle() error { return nil }

func (b *blocks) check() error {
	for _, n := range b.live {
		if err := b.verify(n); err != nil {
			return err
		}
	}
	return nil
}

func (b *blocks) close() error {
	for _, n := range b.live {
		if err := b.w.p.Free(n.ga); err != nil {
			return err
		}
	}
	return nil
}
