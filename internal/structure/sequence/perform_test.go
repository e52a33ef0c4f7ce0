package sequence

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/memory/heap"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/network/am"
)

// ground is a heap with memory of the test on both sides, which must not change.
type ground struct {
	view  *heapview.View
	heap  *heap.Heap
	words []uint64
}

const (
	from  = 2 * heap.Unit // position of the heap
	size  = 4 * heap.Unit // of the heap
	rank  = 3
	guard = 0x5ca1ab1e5ca1ab1e
)

func newGround() *ground {
	g := &ground{words: make([]uint64, (from+size+heap.Unit)/8)}
	for i := range g.words {
		g.words[i] = guard
	}
	over := func() error { return nil }
	g.heap = heap.Open(heap.Config{
		Metadata: unsafe.Pointer(&make([]uint64, heap.MetadataSize(size)/8+1)[0]), Base: from, Size: size, Over: over,
		Purge: func(off, n uint64) error { return nil },
	})
	g.view = heapview.New(heapview.Config{
		Base: unsafe.Pointer(&g.words[0]), From: from, Size: size, Rank: rank, Over: over, Heap: g.heap,
	})
	return g
}

// intact reports whether all memory outside of the heap is unchanged.
func (g *ground) intact() bool {
	for _, part := range [][]uint64{g.words[:from/8], g.words[(from+size)/8:]} {
		for _, w := range part {
			if w != guard {
				return false
			}
		}
	}
	return true
}

// anything returns a number that damaged control blocks and calls may contain.
func (g *ground) anything(r *rand.Rand) uint64 {
	const begin = rank<<44 + from
	switch r.IntN(8) {
	case 0:
		return 0
	case 1:
		return r.Uint64()
	case 2:
		return ^uint64(0) - r.Uint64N(64)
	case 3:
		return begin + 8*r.Uint64N(size/8)
	case 4:
		return begin + size - r.Uint64N(64)
	case 5:
		return r.Uint64N(2 * size)
	}
	return r.Uint64N(100)
}

// call returns a call of any operation, on control blocks that are in use.
func (g *ground) call(r *rand.Rand, blocks []uint64) *am.Call {
	c := &am.Call{Op: am.OpVector + am.Op(r.IntN(0x20)), GA: blocks[r.IntN(len(blocks))]}
	if r.IntN(2) == 0 {
		c.Op += am.OpDeque - am.OpVector
	}
	for i := range c.Args {
		if c.Args[i] = g.anything(r); r.IntN(3) == 0 {
			c.Args[i] = blocks[r.IntN(len(blocks))]
		}
	}
	c.Data, c.More, c.Out = make([]byte, r.IntN(100)), make([]byte, r.IntN(100)), make([]byte, r.IntN(100))
	return c
}

// TestDamage: whatever control blocks and calls contain, no operation accesses memory outside of the heap or
// ends the process.
func TestDamage(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	done := 0
	for range 200 {
		g := newGround()
		var blocks []uint64
		known := map[uint64]int{} // words of the control block that programs read
		for range 8 {
			op, words := am.Op(OpCreate), 3
			if r.IntN(2) == 0 {
				op, words = op+am.OpDeque-am.OpVector, 4
			}
			result, err := Perform(g.view, &am.Call{Op: op, Args: [4]uint64{64, r.Uint64N(65), 1}})
			if err != nil {
				t.Fatal(err)
			}
			blocks = append(blocks, result.Val0)
			known[result.Val0] = words
		}
		for range 400 { // half of the calls are for the other kind
			if r.IntN(3) == 0 {
				block := blocks[r.IntN(len(blocks))]
				words, err := heapview.At[[4]uint64](g.view, block)
				if err != nil {
					t.Fatal(err)
				}
				words[r.IntN(known[block])] = g.anything(r)
			}
			if _, err := Perform(g.view, g.call(r, blocks)); err == nil {
				done++
			}
		}
		if !g.intact() {
			t.Fatal("memory outside of the heap was written")
		}
	}
	// About 1090 calls succeed, 40 more or less. If far fewer succeed, the calls do not reach the operations.
	if done < 500 {
		t.Errorf("only %d operations succeeded", done)
	}
}

// TestDestroy: destroying an object twice, or memory that is no object, changes nothing.
func TestDestroy(t *testing.T) {
	g := newGround()
	for _, op := range []am.Op{OpDestroy, OpDestroy + am.OpDeque - am.OpVector} {
		made, err := Perform(g.view, &am.Call{Op: op - OpDestroy + OpCreate, Args: [4]uint64{40}})
		if err != nil {
			t.Fatal(err)
		}
		inside := made.Val0 + 8 // looks like the control block of an empty object
		words, err := heapview.At[[4]uint64](g.view, inside)
		if err != nil {
			t.Fatal(err)
		}
		*words = [4]uint64{}
		before := *words
		if _, err := Perform(g.view, &am.Call{Op: op, GA: inside}); err == nil || *words != before {
			t.Errorf("destruction of nothing: %v, words %v", err, *words)
		}
	}
	if blocks, _, err := g.heap.Usage(); err != nil || blocks != 4 {
		t.Errorf("%d blocks in use, expected 4: %v", blocks, err)
	}
}
