package segment

import (
	"math"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/memory/heap"
)

// attachLarge returns a Space with a heap of size bytes and a View of it.
func attachLarge(t *testing.T, size uint64) (*Space, *View) {
	t.Helper()
	l := Layout{Starter: starter, Heap: size}
	run := newRun()
	s, err := New(run, 3, l, Slot{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	p := peerInfo(s, run)
	p.Layout = l
	v, err := Attach(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, v
}

// mappings returns how often this process has mapped memory of a rank.
func mappings(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(text), "memfd:acp")
}

// A view takes address space for what has been used of the peer's memory, and pointers
// into it stay valid when it becomes more.
func TestViewGrows(t *testing.T) {
	const size = 1 << 30
	s, v := attachLarge(t, size)
	if x := v.Extent(); x.Heap > 1<<20 {
		t.Errorf("%d bytes of the heap are mapped at first", x.Heap)
	}
	from := v.Layout().HeapOffset()
	first := (*uint64)(v.Mapped(from, 8))
	*first = 42
	for _, at := range []uint64{1<<20 - 8, 1 << 20, 5 << 20, 200 << 20, size - 8} {
		p := (*uint64)(v.Mapped(from+at, 8))
		if p == nil {
			t.Fatalf("the heap is not mapped at %d", at)
		}
		*p = at
		if got := *(*uint64)(unsafe.Add(s.Base(), from+at)); got != at {
			t.Errorf("%d is not shared: %d", at, got)
		}
		if pos, ok := v.Position(uintptr(unsafe.Pointer(p))); !ok || pos != from+at {
			t.Errorf("%d lies at position %d, %v", from+at, pos, ok)
		}
	}
	if *(*uint64)(v.Mapped(from, 8)) != 42 || *first != 42 {
		t.Error("the first word has changed")
	}
	*first = 43
	if *(*uint64)(v.Mapped(from, 8)) != 43 {
		t.Error("the first mapping is not shared any more")
	}
	if pos, ok := v.Position(uintptr(unsafe.Pointer(first))); !ok || pos != from {
		t.Errorf("the first word lies at position %d, %v", pos, ok)
	}
	if _, ok := v.Position(uintptr(unsafe.Pointer(t))); ok {
		t.Error("memory of this process has a position")
	}
	for _, n := range []uint64{size + 1, math.MaxUint64} {
		if v.Reach(n) != nil {
			t.Errorf("%d bytes of a heap of %d are mapped", n, uint64(size))
		}
	}
	if n := mappings(t); n > 20 {
		t.Errorf("the memory is mapped %d times", n)
	}
}

// TestReopen: where mremap cannot map shared memory once more, a view maps it by a new descriptor, unless the descriptor
// of the peer is that of another file.
func TestReopen(t *testing.T) {
	const size = 1 << 20
	s, v := attachLarge(t, size)
	from := v.Layout().MetadataOffset()
	mem, err := v.reopen(from, size)
	if err != nil {
		t.Fatal(err)
	}
	word := (*uint64)(unsafe.Add(s.Base(), from))
	*word = 42
	if got := *(*uint64)(unsafe.Pointer(&mem[0])); got != 42 || len(mem) != size {
		t.Errorf("%d bytes, in which %d is not 42", len(mem), got)
	}
	if err := unmap(mem); err != nil {
		t.Error(err)
	}
	v.file.inode++
	if _, err := v.reopen(from, size); err == nil || !strings.Contains(err.Error(), "has closed the descriptor") {
		t.Errorf("the memory of another file: %v", err)
	}
	v.file.inode--
}

// The heap of a peer is used by way of a view that has mapped a part of it.
func TestHeapOfView(t *testing.T) {
	s, v := attachLarge(t, 256<<20)
	over := func() error { return nil }
	own, theirs := s.Heap(over), v.Heap(over)
	var blocks []uint64
	for i := range 60 {
		h := own
		if i%2 == 0 {
			h = theirs
		}
		pos, err := h.Alloc(3 << 20)
		if err != nil {
			t.Fatal(err)
		}
		p := v.Mapped(pos, 3<<20)
		if p == nil {
			t.Fatalf("block %d is not mapped", i)
		}
		*(*uint64)(p) = pos
		blocks = append(blocks, pos)
	}
	for i, pos := range blocks {
		if got := *(*uint64)(unsafe.Add(s.Base(), pos)); got != pos {
			t.Errorf("block %d holds %#x, expected %#x", i, got, pos)
		}
		h := own
		if i%3 == 0 {
			h = theirs
		}
		if err := h.Free(pos); err != nil {
			t.Error(err)
		}
	}
	if n, _, err := theirs.Usage(); n != 0 || err != nil {
		t.Errorf("%d blocks are left, %v", n, err)
	}
	if top := theirs.Top(); top != 0 {
		t.Errorf("the empty heap has %d bytes in use", top)
	}
}

// Without address space a heap says so and stays as it is.
func TestHeapWithoutAddressSpace(t *testing.T) {
	s, v := attachLarge(t, 64<<20)
	over := func() error { return nil }
	full, err := s.Heap(over).Alloc(32 << 20)
	if err != nil {
		t.Fatal(err)
	}
	v.mu.Lock()
	maps := v.maps
	v.maps = nil // as after Close: nothing more is mapped
	v.mu.Unlock()
	theirs := v.Heap(over)
	if pos, err := theirs.Alloc(8); err != heap.ErrShort {
		t.Errorf("a block at %d, %v", pos, err)
	}
	if err := theirs.Free(full); err != heap.ErrShort {
		t.Errorf("free: %v", err)
	}
	if v.Mapped(full+16<<20, 8) != nil {
		t.Error("memory is mapped without address space")
	}
	v.mu.Lock()
	v.maps = maps
	v.mu.Unlock()
	if err := theirs.Free(full); err != nil {
		t.Errorf("free with address space: %v", err)
	}
	if n, _, err := theirs.Usage(); n != 0 || err != nil {
		t.Errorf("%d blocks are left, %v", n, err)
	}
}

// The table of registered memory is mapped as far as it has leaves.
func TestTableOfViewGrows(t *testing.T) {
	s, v := attachLarge(t, 1<<20)
	const regions = 5000
	mem := foreign(t, regions*64)
	var positions []uint64
	for i := range regions {
		key, err := s.Register(addr(mem)+uintptr(i*64), 8, 0)
		if err != nil {
			t.Fatal(err)
		}
		pos, err := s.Translate(key, addr(mem)+uintptr(i*64))
		if err != nil {
			t.Fatal(err)
		}
		positions = append(positions, pos)
		if i == 10 && v.table.Load().leaves != firstLeaves {
			t.Errorf("%d leaves are mapped for eleven regions", v.table.Load().leaves)
		}
	}
	for i, pos := range positions {
		if at, ok := v.lookup(pos, 8); !ok || at != uint64(addr(mem))+uint64(i*64) {
			t.Fatalf("region %d: %#x, %v", i, at, ok)
		}
	}
	// An impossible count leads to no other memory.
	v.table.Load().head.leaves = math.MaxUint32
	v.lookup(UserEnd-1, 1)
}
