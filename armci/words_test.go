package armci_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/armci"
)

const (
	wordsTurns  = 20
	wordsPuts   = 15
	wordsExtent = 320 << 10 // bytes of the memory that these tests use
	wordsBlock  = 64 << 10  // the longest block over sockets whose words are whole
)

// TestWords: a process puts, while other processes load and get the same bytes. They find the old or
// the new value of each aligned word, for any shape and alignment of both transfers.
func TestWords(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	forEach(t, []int{3}, func(w *armci.World) error {
		memory, err := armci.Malloc[byte](w, wordsExtent)
		if err != nil {
			return err
		}
		rng := rand.New(rand.NewPCG(seed, 0)) // the same everywhere
		for turn := range wordsTurns {
			if err := wordsTurn(w, memory, randomRuns(rng), randomRuns(rng)); err != nil {
				return fmt.Errorf("seed %d, turn %d: %w", seed, turn, err)
			}
		}
		return memory.Free()
	})
}

// runs are the bytes of a transfer, all of one block length.
type runs struct {
	armci.Layout
	vector bool
}

// randomRuns returns runs at any address: a long run, some long runs or many short runs.
func randomRuns(rng *rand.Rand) runs {
	var rows, length int
	switch rng.IntN(4) {
	case 0:
		rows, length = 1, 1+rng.IntN(wordsBlock)
	case 1:
		rows, length = 1, 1+rng.IntN(100)
	case 2:
		rows, length = 1+rng.IntN(5), wordsBlock/2+rng.IntN(wordsBlock/2)
	case 3:
		rows, length = 1+rng.IntN(2000), 9+rng.IntN(90)
	}
	vector := rng.IntN(3) == 0
	if vector && rows == 1 {
		length = 1 + rng.IntN(wordsExtent/2) // it is packed
	}
	gap := 1 + rng.IntN(30) // rows without a gap are one block
	return runs{armci.Layout{Offset: rng.IntN(64), Shape: []int{rows, length}, Strides: []int{length + gap, 1}}, vector}
}

// put puts bytes of one value to the runs of the memory of process 0.
func (r runs) put(w *armci.World, memory *armci.Memory[byte], value byte) error {
	data := make([]byte, r.Len())
	for i := range data {
		data[i] = value
	}
	if r.vector {
		return armci.PutVector(w, r.segments(memory, data))
	}
	return armci.PutSection(w, armci.RemoteSection[byte]{Data: memory.On(0), Layout: r.Layout}, armci.Section[byte]{Data: data, Layout: armci.Dense(r.Shape...)})
}

// get gets the runs from the memory of process 0 to where they belong in memory like it.
func (r runs) get(w *armci.World, memory *armci.Memory[byte], here []byte) error {
	if !r.vector {
		return armci.GetSection(w, armci.Section[byte]{Data: here, Layout: r.Layout}, armci.RemoteSection[byte]{Data: memory.On(0), Layout: r.Layout})
	}
	data := make([]byte, r.Len())
	if err := armci.GetVector(w, r.segments(memory, data)); err != nil {
		return err
	}
	for row := range r.Shape[0] {
		data = data[copy(here[r.Index(row, 0):], data[:r.Shape[1]]):]
	}
	return nil
}

// segments returns the runs with their parts of data, one behind the other.
func (r runs) segments(memory *armci.Memory[byte], data []byte) (all []armci.Segment[byte]) {
	n := r.Shape[1]
	for row := range r.Shape[0] {
		at := r.Index(row, 0)
		all = append(all, armci.Segment[byte]{Remote: memory.On(0).Slice(at, at+n), Local: data[row*n : (row+1)*n]})
	}
	return all
}

// wordsTurn lets process 1 put while the other processes read.
func wordsTurn(w *armci.World, memory *armci.Memory[byte], to, from runs) error {
	if w.Proc() == 1 {
		if err := errors.Join(to.put(w, memory, 0), w.Fence(0)); err != nil {
			return err
		}
	}
	if err := w.Barrier(); err != nil {
		return err
	}
	known := to.words(to)
	if w.Proc() == 2 {
		known = to.words(from)
	}
	for i := range wordsPuts {
		if w.Proc() == 1 {
			if err := to.put(w, memory, byte(i+1)); err != nil {
				return err
			}
			continue
		}
		seen := memory.Local()
		if w.Proc() == 2 {
			seen = make([]byte, wordsExtent)
			if err := from.get(w, memory, seen); err != nil {
				return err
			}
		}
		for _, a := range known {
			if word := a.load(seen); word != word&0xff*(0x0101010101010101>>(64-8*a.size)) {
				return fmt.Errorf("put %+v, get %+v: the word of %d bytes at %d is %#x", to, from, a.size, a.at, word)
			}
		}
	}
	return w.Barrier()
}

// aligned is a word of 4 or 8 bytes.
type aligned struct{ at, size int }

// load loads the word by one instruction.
func (a aligned) load(from []byte) uint64 {
	p := unsafe.Pointer(&from[a.at])
	if a.size == 4 {
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

// words returns the aligned words that both runs cover. It leaves out words of 4 bytes that are in a
// word of 8.
func (r runs) words(other runs) (all []aligned) {
	covered := make([]int, wordsExtent)
	for _, l := range []armci.Layout{r.Layout, other.Layout} {
		for i := range l.Indices() {
			covered[i]++
		}
	}
	whole := func(a aligned) bool { return slices.Min(covered[a.at:a.at+a.size]) == 2 }
	for at := 0; at < wordsExtent; at += 8 {
		if word := (aligned{at, 8}); whole(word) {
			all = append(all, word)
			continue
		}
		for _, half := range []aligned{{at, 4}, {at + 4, 4}} {
			if whole(half) {
				all = append(all, half)
			}
		}
	}
	return all
}
