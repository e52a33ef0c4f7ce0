package segment

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/memory/heap"
	"golang.org/x/sys/unix"
)

// TestSlotOf: slots of the members of a host do not overlap, whatever their number, and each
// holds as much as is possible.
func TestSlotOf(t *testing.T) {
	for _, count := range []int{1, 2, 3, 31, 32, 33, 100, 1000, 1024, 1025, 1 << 20} {
		size := SlotOf(0, count).Size()
		for _, i := range []int{0, 1, count / 2, count - 1} {
			s := SlotOf(min(i, count-1), count)
			if s.size != size || s.at != slotsBegin+uint64(min(i, count-1))*size || !inSlots(s.at, s.size) {
				t.Errorf("slot %d of %d: %#x, %#x bytes", i, count, s.at, s.size)
			}
		}
		if size&(size-1) != 0 || size > maxSlot || size < maxSlot && 2*size*uint64(count) <= slotsEnd-slotsBegin {
			t.Errorf("%d slots of %#x bytes", count, size)
		}
	}
	if SlotOf(0, 1).Size() < (Layout{Starter: maxPart, Heap: maxPart}).MapSize() {
		t.Error("the greatest memory has no room in the greatest slot")
	}
	for _, x := range []struct{ at, size uint64 }{{0, 1}, {slotsBegin - PageSize, PageSize}, {slotsEnd, 1}, {slotsBegin + 1, 1}, {slotsBegin, slotsEnd - slotsBegin + 1}, {slotsBegin, ^uint64(0)}} {
		if inSlots(x.at, x.size) {
			t.Errorf("%#x bytes at %#x lie in slots", x.size, x.at)
		}
	}
}

// TestMaxHeap compares the greatest heap with the layouts around it.
func TestMaxHeap(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	perUnit := heap.Unit + heap.MetadataSize(heap.Unit) - heap.MetadataSize(0)
	for i := range 20000 {
		starter, size := r.Uint64N(1<<r.IntN(34)), r.Uint64N(1<<r.IntN(42))
		if i%2 == 0 { // where a heap just fits, or just does not
			size = Layout{Starter: starter}.MapSize() + r.Uint64N(3)*heap.Unit + r.Uint64N(1<<22)*perUnit
		}
		l := Layout{Starter: starter, Heap: MaxHeap(starter, size)}
		if l.Check() != nil || l.Heap > 0 && l.MapSize() > size {
			t.Fatalf("%d bytes with %d of starter memory: a heap of %d, which takes %d", size, starter, l.Heap, l.MapSize())
		}
		larger := Layout{Starter: starter, Heap: l.Heap + 3*heap.Unit}
		if larger.Check() == nil && larger.MapSize() <= size {
			t.Fatalf("%d bytes with %d of starter memory: a heap of %d, although one of %d fits", size, starter, l.Heap, larger.Heap)
		}
	}
}

// block maps a page at an address, so that nothing else can be mapped there.
func block(t *testing.T, at uint64) (unblock func()) {
	t.Helper()
	p, err := unix.MmapPtr(-1, 0, pointer(at), PageSize, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_FIXED_NOREPLACE)
	if err != nil || uint64(uintptr(p)) != at {
		t.Fatalf("a page at %#x: %v, %v", at, p, err)
	}
	return func() {
		if err := unix.MunmapPtr(p, PageSize); err != nil {
			t.Error(err)
		}
	}
}

// attachIn returns a Space and a View of it in a slot. This process has both, so the Space is
// elsewhere, but says that it is in the slot.
func attachIn(t *testing.T, size uint64, slot Slot) (*Space, *View) {
	t.Helper()
	run := newRun()
	s, err := New(run, 3, Layout{Starter: starter, Heap: size}, Slot{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	s.header().self = slot.at
	p := peerInfo(s, run)
	p.Layout = s.Layout()
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

// TestSpaceInSlot: the memory of a process lies in its slot, unless that is too small or not free.
func TestSpaceInSlot(t *testing.T) {
	slot := SlotOf(1023, 1024)
	unblock := func() {}
	for _, c := range []struct {
		name   string
		slot   Slot
		before func()
		in     bool
	}{
		{"free", slot, func() {}, true},
		{"again", slot, func() {}, true},
		{"none", Slot{}, func() {}, false},
		{"too small", Slot{slot.at, layout.MapSize() - 1}, func() {}, false},
		{"large enough", Slot{slot.at, layout.MapSize()}, func() {}, true},
		{"not free", slot, func() { unblock = block(t, slot.at+layout.MetadataOffset()) }, false},
		{"free again", slot, func() { unblock() }, true},
	} {
		c.before()
		s, err := New(newRun(), 3, layout, c.slot)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if at := uint64(uintptr(s.Base())); (at == slot.at) != c.in || s.header().self != at {
			t.Errorf("%s: memory at %#x, which says %#x", c.name, at, s.header().self)
		}
		copy(s.Starter(), c.name)
		if err := s.Close(); err != nil {
			t.Error(c.name, err)
		}
	}
}

// TestViewBesideSlot: a peer whose slot is not free here is mapped elsewhere, as a whole.
func TestViewBesideSlot(t *testing.T) {
	const size = 64 << 20
	l := Layout{Starter: starter, Heap: size}
	for i, at := range []uint64{0, l.HeapOffset(), l.MetadataOffset(), l.TableOffset()} {
		slot := SlotOf(900+i, 1024)
		unblock := block(t, slot.at+at)
		s, v := attachIn(t, size, slot)
		unblock()
		if v.Equal() {
			t.Errorf("a page at %#x: the addresses are equal", at)
		}
		if n := len(v.maps); n != 3 {
			t.Errorf("a page at %#x: %d parts are mapped", at, n)
		}
		p := (*uint64)(v.Mapped(v.Layout().HeapOffset()+size-8, 8))
		if p == nil || inSlots(uint64(uintptr(v.Extent().Base)), 1) {
			t.Fatalf("a page at %#x: the end of the heap is at %p", at, p)
		}
		*p = 7
		if got := *(*uint64)(unsafe.Add(s.Base(), v.Layout().HeapOffset()+size-8)); got != 7 {
			t.Errorf("a page at %#x: the memory is not shared", at)
		}
	}
}

// TestViewInSlot uses a heap at random places, from both sides, while pages of others keep it from
// growing at times. What is mapped lies in the slot, is shared, and stays.
func TestViewInSlot(t *testing.T) {
	const size = 256 << 20
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 4))
		slot := SlotOf(int(600+seed), 1024)
		s, v := attachIn(t, size, slot)
		if !v.Equal() {
			t.Fatal("the addresses differ")
		}
		from, expected := v.Layout().HeapOffset(), map[uint64]uint64{}
		unblock, limit := func() {}, uint64(size)
		for range 300 {
			at := r.Uint64N(min(size, uint64(8)<<r.IntN(26))) &^ 7
			switch r.IntN(12) {
			case 0:
				unblock()
				limit = v.Extent().Heap
				if limit < size {
					limit = min(size, limit+r.Uint64N(8<<20)&^(heap.Unit-1))
				}
				unblock = func() {}
				if limit < size {
					unblock = block(t, slot.at+from+limit)
				}
			case 1:
				unblock()
				unblock, limit = func() {}, size
			default:
				p := v.Mapped(from+at, 8)
				if (p != nil) != (roundUp(at+8, heap.Unit) <= limit) {
					t.Fatalf("seed %d: the word at %#x is mapped at %p, the limit is %#x", seed, at, p, limit)
				}
				if p == nil {
					continue
				}
				if uint64(uintptr(p)) != slot.at+from+at {
					t.Fatalf("seed %d: the word at %#x is mapped at %p", seed, at, p)
				}
				if pos, ok := v.Position(uintptr(p)); !ok || pos != from+at {
					t.Fatalf("seed %d: the address of %#x is that of %#x, %v", seed, from+at, pos, ok)
				}
				if got := *(*uint64)(p); got != expected[at] {
					t.Fatalf("seed %d: the word at %#x is %#x, want %#x", seed, at, got, expected[at])
				}
				expected[at] = r.Uint64()
				*(*uint64)(unsafe.Add(s.Base(), from+at)) = expected[at]
			}
		}
		unblock()
		for at, want := range expected {
			if got := *(*uint64)(pointer(slot.at + from + at)); got != want {
				t.Errorf("seed %d: the word at %#x is %#x at the end, want %#x", seed, at, got, want)
			}
		}
		if n := len(v.maps); n != 3 {
			t.Errorf("seed %d: %d parts are mapped", seed, n)
		}
	}
}

// TestHeapInSlot uses the metadata of a heap through a View in a slot.
func TestHeapInSlot(t *testing.T) {
	s, v := attachIn(t, 256<<20, SlotOf(800, 1024))
	over := func() error { return nil }
	own, theirs := s.Heap(over), v.Heap(over)
	var blocks []uint64
	for {
		pos, err := theirs.Alloc(3 << 20)
		if err == heap.ErrFull {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, pos)
	}
	if x := v.Extent(); uint64(uintptr(x.Base)) != SlotOf(800, 1024).at || uint64(uintptr(x.Metadata)) != uint64(uintptr(x.Base))+v.Layout().MetadataOffset() {
		t.Errorf("the memory is at %p, the metadata is at %p", x.Base, x.Metadata)
	}
	if len(blocks) < 80 {
		t.Errorf("%d blocks of 3 MiB fill 256 MiB", len(blocks))
	}
	for _, pos := range blocks {
		if err := own.Free(pos); err != nil {
			t.Error(err)
		}
	}
	if n, _, err := theirs.Usage(); n != 0 || err != nil {
		t.Errorf("%d blocks are left, %v", n, err)
	}
}

// TestTableInSlot: the table of registered memory grows in a slot.
func TestTableInSlot(t *testing.T) {
	s, v := attachIn(t, 1<<20, SlotOf(801, 1024))
	mem := foreign(t, 5000*64)
	for i := range 5000 {
		at := addr(mem) + uintptr(i*64)
		key, err := s.Register(at, 8, 0)
		if err != nil {
			t.Fatal(err)
		}
		pos, err := s.Translate(key, at)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := v.lookup(pos, 8); !ok || got != uint64(at) {
			t.Fatalf("region %d: %#x, %v", i, got, ok)
		}
	}
	if at := uint64(uintptr(unsafe.Pointer(v.table.Load().head))); at != SlotOf(801, 1024).at+v.Layout().TableOffset() {
		t.Errorf("the table is at %#x", at)
	}
}
