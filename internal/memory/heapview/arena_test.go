package heapview

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/memory/heap"
)

// newArena returns an arena in memory of this test, of rank 3.
func newArena(t testing.TB) *Arena {
	t.Helper()
	const size, from = 4 * heap.Unit, 2 * heap.Unit
	mem := make([]uint64, (from+size)/8)
	books := make([]uint64, heap.BooksSize(size)/8+1)
	over := func() error { return nil }
	return New(Config{
		Base: unsafe.Pointer(&mem[0]), From: from, Size: size, Rank: 3, Over: over,
		Heap: heap.Open(heap.Config{
			Books: unsafe.Pointer(&books[0]), Base: from, Size: size, Over: over,
			Purge: func(off, n uint64) error { return nil },
		}),
	})
}

// TestMemory allocates and frees blocks, and asks for memory that is not there.
func TestMemory(t *testing.T) {
	a := newArena(t)
	ga, err := a.Alloc(64)
	if err != nil {
		t.Fatal(err)
	}
	if ga>>44 != 3 || !a.Holds(ga) || a.Holds(ga+1<<44) {
		t.Errorf("address %#x of a block of rank 3", ga)
	}
	words, err := At[[8]uint64](a, ga)
	if err != nil {
		t.Fatal(err)
	}
	words[1] = 0x0102030405060708
	if b, err := a.Bytes(ga+8, 8); err != nil || b[0]*b[7] != 8 {
		t.Errorf("bytes %v, %v", b, err)
	}
	const end = 3<<44 + 6*heap.Unit
	for _, bad := range []struct{ ga, n uint64 }{
		{0, 8}, {ga + 1<<44, 8}, {ga - 1<<44, 8}, {3<<44 + 4096, 8}, {end, 1}, {end - 8, 9}, {ga, ^uint64(0)}, {^uint64(0), 1},
	} {
		if _, err := a.Bytes(bad.ga, bad.n); !errors.Is(err, ErrBadAddress) {
			t.Errorf("%d bytes at %#x: %v", bad.n, bad.ga, err)
		}
	}
	if _, err := At[uint64](a, ga+4); !errors.Is(err, ErrBadAddress) {
		t.Errorf("a word that is not aligned: %v", err)
	}
	for _, bad := range []uint64{0, ga + 16, ga + 1<<44} {
		if err := a.Free(bad); !errors.Is(err, heap.ErrNotAllocated) {
			t.Errorf("free of %#x: %v", bad, err)
		}
	}
	if err := a.Free(ga); err != nil {
		t.Error(err)
	}
}

// TestWindow: a Window has the bytes that the Arena has, and no others.
func TestWindow(t *testing.T) {
	a := newArena(t)
	w, start, end := a.Window(), uint64(3<<44+2*heap.Unit), uint64(3<<44+6*heap.Unit)
	for _, c := range []struct{ ga, n uint64 }{{start, 1}, {start + 100, 200}, {end - 8, 8}, {end, 0}} {
		if b, err := a.Bytes(c.ga, c.n); err != nil || w.At(c.ga, c.n) != unsafe.Pointer(unsafe.SliceData(b)) {
			t.Errorf("%d bytes at %#x: %p, want %p, %v", c.n, c.ga, w.At(c.ga, c.n), b, err)
		}
	}
	for _, c := range []struct{ ga, n uint64 }{
		{0, 8}, {start - 1, 1}, {start + 1<<44, 8}, {start - 1<<44, 8}, {end, 1}, {end - 8, 9}, {start, ^uint64(0)}, {^uint64(0), 1},
	} {
		if p := w.At(c.ga, c.n); p != nil {
			t.Errorf("%d bytes at %#x: %p", c.n, c.ga, p)
		}
		if p := (Window{}).At(c.ga, c.n); p != nil {
			t.Errorf("%d bytes at %#x of nothing: %p", c.n, c.ga, p)
		}
	}
}
