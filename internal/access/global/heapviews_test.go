package global_test

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/access/global/globaltest"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/memory/heap"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/network/am"
	"golang.org/x/sys/unix"
)

// nowhere returns an address of a rank at which no memory is registered.
func nowhere(rank int) uint64 { return ga.Make(rank, segment.UserBase+4096) }

// TestHeapViews: a rank has its own heap, and those that it maps, by member and by rank.
func TestHeapViews(t *testing.T) {
	forEachWay(t, func(t *testing.T, w *globaltest.World, maps func(self, other int) bool) {
		for _, ranks := range [][]uint32{{0, 1, 2}, {1, 2, 0}} {
			w.Renumber(t, ranks)
			for self, r := range w.Ranks {
				for member := range w.Ranks {
					rank := r.Numbers.Rank(member)
					view := r.Mem.HeapView(member)
					if (view != nil) != maps(self, member) {
						t.Fatalf("rank %d has the heap of rank %d: %v", r.Numbers.Own(), rank, view != nil)
					}
					byRank, err := r.Mem.HeapViewOf(uint64(rank))
					if byRank != view || view == nil && err != am.ErrElsewhere {
						t.Errorf("heap %p of member %d, %p of rank %d, %v", view, member, byRank, rank, err)
					}
					if view == nil {
						continue
					}
					if block, err := view.Alloc(64); err != nil || ga.Rank(block) != rank {
						t.Errorf("a block of rank %d: %#x, %v", rank, block, err)
					}
				}
				if r.Mem.Own() != r.Mem.HeapView(self) {
					t.Errorf("the own heap of rank %d is another one", r.Numbers.Own())
				}
				if _, err := r.Mem.HeapViewOf(3); !errors.Is(err, heapview.ErrBadAddress) {
					t.Errorf("the heap of no rank: %v", err)
				}
			}
		}
	})
}

// TestHeaps allocates and frees blocks of all ranks, near and far.
func TestHeaps(t *testing.T) {
	forEachWay(t, func(t *testing.T, w *globaltest.World, _ func(self, other int) bool) {
		for _, r := range w.Ranks {
			for member := range w.Ranks {
				block, err := r.Mem.Alloc(member, 1000)
				if err != nil || r.Mem.Member(block) != member || block%16 != 0 {
					t.Fatalf("a block of member %d: %#x, %v", member, block, err)
				}
				if _, err := r.Mem.Alloc(member, globaltest.Heap); !errors.Is(err, global.ErrFull) {
					t.Errorf("a block as long as the heap: %v", err)
				}
				if err := r.Mem.Free(block + 16); !errors.Is(err, heap.ErrNotAllocated) {
					t.Errorf("free of the middle of a block: %v", err)
				}
				if err := r.Mem.Free(block); err != nil {
					t.Error(err)
				}
				if err := r.Mem.Free(block); !errors.Is(err, heap.ErrNotAllocated) {
					t.Errorf("free of a block that is free: %v", err)
				}
			}
			if err := r.Mem.Free(ga.Null); !errors.Is(err, global.ErrBadAddress) {
				t.Errorf("free of nothing: %v", err)
			}
		}
		if n := usage(t, w); n != 0 {
			t.Errorf("%d blocks are left", n)
		}
	})
}

// withoutAddressSpace runs f while this process cannot map more memory of others.
func withoutAddressSpace(t *testing.T, f func()) {
	t.Helper()
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &before); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var pages uint64
	if _, err := fmt.Sscan(string(text), &pages); err != nil {
		t.Fatal(err)
	}
	// Mappings leave half a GiB to the rest of the process.
	limit := unix.Rlimit{Cur: pages*uint64(os.Getpagesize()) + 512<<20, Max: before.Max}
	if err := unix.Setrlimit(unix.RLIMIT_AS, &limit); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.Setrlimit(unix.RLIMIT_AS, &before); err != nil {
			t.Error(err)
		}
	}()
	f()
}

// TestShortHeapView: if there is no address space for the heap of another rank, its agent carries
// out what needs it.
func TestShortHeapView(t *testing.T) {
	const large = 256 << 20
	w := globaltest.New(t, globaltest.Config{Size: 2, Heap: large, Operations: operations})
	near, owner := w.Ranks[0].Mem, w.Ranks[1].Mem
	first, err := near.Alloc(1, 64) // so that the beginning of the heap is mapped
	if err != nil || near.HeapView(1) == nil {
		t.Fatal(near.HeapView(1), err)
	}
	withoutAddressSpace(t, func() {
		short := near.HeapView(1)
		block, err := near.Alloc(1, large/2)
		if err != nil {
			t.Fatalf("a block that is not mapped: %v", err)
		}
		if _, err := short.Bytes(block, large/2); !errors.Is(err, heapview.ErrBadAddress) {
			t.Errorf("the block is mapped: %v", err)
		}
		if near.HeapView(1) != nil {
			t.Error("the heap counts as mapped")
		}
		if _, err := near.HeapViewOf(1); err != am.ErrElsewhere {
			t.Errorf("the heap of rank 1: %v", err)
		}
		text := []byte("beyond what is mapped")
		got := make([]byte, len(text))
		if err := errors.Join(near.Put(block+large/2-100, text), owner.Get(got, block+large/2-100)); err != nil || string(got) != string(text) {
			t.Errorf("got %q, %v", got, err)
		}
		if _, err := near.Alloc(1, large); !errors.Is(err, global.ErrFull) {
			t.Errorf("a block as long as the heap: %v", err)
		}
		if err := errors.Join(near.Free(block), near.Free(first)); err != nil {
			t.Error(err)
		}
	})
	if near.HeapView(1) == nil {
		t.Error("with address space the heap is not mapped")
	}
	if n := usage(t, w); n != 0 {
		t.Errorf("%d blocks are left", n)
	}
}

// TestFinal: if the caller has no address space for an operation, that says nothing about it,
// unless the memory is its own.
func TestFinal(t *testing.T) {
	m := globaltest.New(t, globaltest.Config{Size: 2}).Ranks[0].Mem
	for _, c := range []struct {
		member int
		err    error
		final  bool
	}{{1, nil, true}, {1, heapview.ErrFull, true}, {1, heapview.ErrShort, false}, {0, heapview.ErrShort, true}} {
		if m.Final(c.member, c.err) != c.final {
			t.Errorf("%v at member %d is final: %v", c.err, c.member, !c.final)
		}
	}
}
