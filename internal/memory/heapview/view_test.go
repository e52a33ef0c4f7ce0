package heapview

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/memory/heap"
)

// newView returns a view in memory of this test, of rank 3.
func newView(t testing.TB) *View {
	t.Helper()
	const size, from = 4 * heap.Unit, 2 * heap.Unit
	mem := make([]uint64, (from+size)/8)
	metadata := make([]uint64, heap.MetadataSize(size)/8+1)
	over := func() error { return nil }
	return New(Config{
		Base: unsafe.Pointer(&mem[0]), From: from, Size: size, Rank: 3, Over: over,
		Heap: heap.Open(heap.Config{
			Metadata: unsafe.Pointer(&metadata[0]), Base: from, Size: size, Over: over,
			Purge: func(off, n uint64) error { return nil },
		}),
	})
}

// TestMemory allocates and frees blocks, and asks for memory that is not there.
func TestMemory(t *testing.T) {
	v := newView(t)
	ga, err := v.Alloc(64)
	if err != nil {
		t.Fatal(err)
	}
	if ga>>44 != 3 || !v.Holds(ga) || v.Holds(ga+1<<44) {
		t.Errorf("address %#x of a block of rank 3", ga)
	}
	words, err := At[[8]uint64](v, ga)
	if err != nil {
		t.Fatal(err)
	}
	words[1] = 0x0102030405060708
	if b, err := v.Bytes(ga+8, 8); err != nil || b[0]*b[7] != 8 {
		t.Errorf("bytes %v, %v", b, err)
	}
	const end = 3<<44 + 6*heap.Unit
	for _, bad := range []struct{ ga, n uint64 }{
		{0, 8}, {ga + 1<<44, 8}, {ga - 1<<44, 8}, {3<<44 + 4096, 8}, {end, 1}, {end - 8, 9}, {ga, ^uint64(0)}, {^uint64(0), 1},
	} {
		if _, err := v.Bytes(bad.ga, bad.n); !errors.Is(err, ErrBadAddress) {
			t.Errorf("%d bytes at %#x: %v", bad.n, bad.ga, err)
		}
	}
	if _, err := At[uint64](v, ga+4); !errors.Is(err, ErrBadAddress) {
		t.Errorf("a word that is not aligned: %v", err)
	}
	for _, bad := range []uint64{0, ga + 16, ga + 1<<44} {
		if err := v.Free(bad); !errors.Is(err, heap.ErrNotAllocated) {
			t.Errorf("free of %#x: %v", bad, err)
		}
	}
	if err := v.Free(ga); err != nil {
		t.Error(err)
	}
}

// TestWindow: a Window has the bytes that the View has, and no others.
func TestWindow(t *testing.T) {
	v := newView(t)
	w, start, end := v.Window(), uint64(3<<44+2*heap.Unit), uint64(3<<44+6*heap.Unit)
	for _, c := range []struct{ ga, n uint64 }{{start, 1}, {start + 100, 200}, {end - 8, 8}, {end, 0}} {
		if b, err := v.Bytes(c.ga, c.n); err != nil || w.At(c.ga, c.n) != unsafe.Pointer(unsafe.SliceData(b)) {
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
