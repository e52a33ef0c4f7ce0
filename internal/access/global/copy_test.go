package global_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/access/global/globaltest"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/memory/segment"
)

// area is a piece of memory of some rank and what it should hold.
type area struct {
	what  string
	rank  int
	at    uint64
	mem   []byte // as its owner sees it
	model []byte
}

// areaBytes is more than a page, so that no page is like another.
const areaBytes = 3*4096 + 5

// areas returns memory of each kind of each rank.
func areas(t *testing.T, w *globaltest.World) (all []*area) {
	for rank, r := range w.Ranks {
		add := func(what string, at uint64, mem []byte) {
			all = append(all, &area{what, rank, at, mem, make([]byte, areaBytes)})
		}
		add("the end of starter memory", r.Starter(globaltest.Starter-areaBytes), r.Space.Starter()[globaltest.Starter-areaBytes:])
		block, err := r.Mem.Alloc(rank, areaBytes)
		if err != nil {
			t.Fatal(err)
		}
		mem, err := r.Mem.Own().Bytes(block, areaBytes)
		if err != nil {
			t.Fatal(err)
		}
		clear(mem)
		add("a block", block, mem)
		mem = foreign(t, areaBytes)
		_, at := register(t, r, mem)
		add("registered memory", at, mem)
	}
	return all
}

// TestCopiesModel copies random bytes between all kinds of memory of three ranks, by all
// functions, also between ranges that overlap, and compares all memory with a model.
func TestCopiesModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	forEachWay(t, func(t *testing.T, w *globaltest.World, _ func(self, other int) bool) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		all := areas(t, w)
		for step := range 600 {
			what, err := copyAny(rnd, w.Ranks[rnd.IntN(3)].Mem, all)
			if err != nil {
				t.Fatalf("step %d: %s: %v", step, what, err)
			}
			for _, a := range all {
				if !bytes.Equal(a.mem, a.model) {
					t.Fatalf("step %d: %s: %s of rank %d is not as it should be", step, what, a.what, a.rank)
				}
			}
		}
	})
}

// length returns a random number of bytes, often one that is copied as a word.
func length(rnd *rand.Rand) int {
	switch rnd.IntN(4) {
	case 0:
		return []int{0, 1, 2, 4, 8}[rnd.IntN(5)]
	case 1:
		return rnd.IntN(areaBytes)
	}
	return rnd.IntN(200)
}

// copyAny lets one rank make one copy, and the model make it, too.
func copyAny(rnd *rand.Rand, m *global.Memory, all []*area) (what string, err error) {
	n := length(rnd)
	dst, src := all[rnd.IntN(len(all))], all[rnd.IntN(len(all))]
	to, from := rnd.IntN(areaBytes-n+1), rnd.IntN(areaBytes-n+1)
	if rnd.IntN(3) == 0 {
		to, from = to&^7, from&^7
	}
	span := ga.Span{GA: src.at + uint64(from), N: uint64(n)}
	want := bytes.Clone(src.model[from : from+n])
	switch rnd.IntN(4) {
	case 0:
		for i := range want {
			want[i] = byte(rnd.Uint32())
		}
		copy(dst.model[to:], want)
		return fmt.Sprintf("put of %d bytes to byte %d of %s of rank %d", n, to, dst.what, dst.rank), m.Put(dst.at+uint64(to), want)
	case 1:
		what = fmt.Sprintf("get of %d bytes from byte %d of %s of rank %d", n, from, src.what, src.rank)
		got := make([]byte, n)
		if err = m.Get(got, span.GA); err == nil && !bytes.Equal(got, want) {
			err = fmt.Errorf("got %.20x…, expected %.20x…", got, want)
		}
		return what, err
	case 2:
		what = fmt.Sprintf("load of %d bytes from byte %d of %s of rank %d", n, from, src.what, src.rank)
		got, err := m.Load(span)
		if err == nil && !bytes.Equal(got, want) {
			err = fmt.Errorf("got %.20x…, expected %.20x…", got, want)
		}
		return what, err
	}
	copy(dst.model[to:], want)
	return fmt.Sprintf("move of %d bytes from byte %d of %s of rank %d to byte %d of %s of rank %d",
		n, from, src.what, src.rank, to, dst.what, dst.rank), m.Move(dst.at+uint64(to), span)
}

// TestCopiesFail: a copy that begins or ends outside of memory is an error, and moves no byte
// of memory that this process reaches.
func TestCopiesFail(t *testing.T) {
	forEachWay(t, func(t *testing.T, w *globaltest.World, _ func(self, other int) bool) {
		all := areas(t, w)
		good := w.Ranks[0].Starter(0)
		for _, r := range w.Ranks {
			for _, a := range all {
				if a.what == "a block" {
					continue // what follows it is memory of the heap, too
				}
				end := a.at + areaBytes
				for name, at := range map[string]uint64{"runs over the end": end - 4, "begins at the end": end} {
					fails(t, r.Mem, fmt.Sprintf("%s of rank %d %s", a.what, a.rank, name), good, ga.Span{GA: at, N: 8})
				}
			}
			heapEnd := r.Space.Layout().HeapOffset() + globaltest.Heap
			for name, at := range map[string]uint64{
				"null": ga.Null, "below starter memory": segment.StarterOffset - 8, "no rank": ga.Make(3, segment.StarterOffset),
				"the last rank": math.MaxUint64 &^ 7, "the end of a heap": ga.Make(1, heapEnd-4), "behind a heap": ga.Make(2, heapEnd),
				"registered by nothing": ga.Make(1, segment.UserEnd-64),
			} {
				fails(t, r.Mem, name, good, ga.Span{GA: at, N: 8})
			}
			for _, n := range []uint64{globaltest.Heap + 1, 1 << 43, math.MaxUint64} {
				if _, err := r.Mem.Load(ga.Span{GA: ga.Make(1, segment.UserBase), N: n}); !errors.Is(err, global.ErrFull) {
					t.Errorf("load of %d bytes: %v", n, err)
				}
			}
		}
		for _, r := range w.Ranks {
			if b := r.Space.Starter(); !bytes.Equal(b, make([]byte, len(b))) {
				t.Errorf("starter memory of rank %d has changed", r.Numbers.Own())
			}
		}
	})
}

// fails checks that each copy to and from bad is an error.
func fails(t *testing.T, m *global.Memory, what string, good uint64, bad ga.Span) {
	t.Helper()
	b := bytes.Repeat([]byte{0xff}, int(bad.N))
	_, load := m.Load(bad)
	for name, err := range map[string]error{
		"put": m.Put(bad.GA, b), "get": m.Get(b, bad.GA), "load": load,
		"move to it": m.Move(bad.GA, ga.Span{GA: good, N: bad.N}), "move from it": m.Move(good, bad),
	} {
		if !errors.Is(err, global.ErrBadAddress) {
			t.Errorf("%s: %s: %v", what, name, err)
		}
	}
}

// TestNothingToCopy: no bytes are at every address, since nothing touches them.
func TestNothingToCopy(t *testing.T) {
	w := globaltest.New(t, globaltest.Config{})
	m := w.Ranks[0].Mem
	b, err := m.Load(ga.Span{})
	if err := errors.Join(err, m.Put(ga.Null, nil), m.Get(nil, ga.Null), m.Move(ga.Null, ga.Span{})); err != nil || len(b) != 0 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}

// TestWithdrawnMemory: memory that is not registered any more is reached by no rank.
func TestWithdrawnMemory(t *testing.T) {
	forEachWay(t, func(t *testing.T, w *globaltest.World, _ func(self, other int) bool) {
		owner := w.Ranks[1]
		key, at := register(t, owner, foreign(t, 4096))
		for _, r := range w.Ranks {
			if err := r.Mem.Put(at, []byte{1}); err != nil {
				t.Error(err)
			}
		}
		gone, last, err := owner.Space.Withdraw(key)
		if err != nil || !last {
			t.Fatal(last, err)
		}
		if err := owner.Router.Withdraw(gone, owner.Mem.Alive); err != nil {
			t.Fatal(err)
		}
		for _, r := range w.Ranks {
			if err := r.Mem.Put(at, []byte{1}); !errors.Is(err, global.ErrBadAddress) {
				t.Errorf("rank %d: %v", r.Numbers.Own(), err)
			}
		}
	})
}
