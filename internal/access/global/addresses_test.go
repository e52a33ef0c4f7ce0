package global_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/access/global/globaltest"
	"github.com/goacp/goacp/internal/memory/heap"
	"github.com/goacp/goacp/internal/memory/segment"
	"golang.org/x/sys/unix"
)

// TestAddresses translates random addresses of all members, in starter memory, in heaps, and
// between and beside them.
func TestAddresses(t *testing.T) {
	for _, mode := range []bridge.Mode{bridge.ModeSHM, bridge.ModeTCP} {
		w := globaltest.New(t, globaltest.Config{Size: 3, Mode: mode})
		layout := segment.Layout{Starter: globaltest.Starter, Heap: globaltest.Heap}
		r := rand.New(rand.NewPCG(1, uint64(mode)))
		for range 20000 {
			from, member := w.Ranks[r.IntN(3)], r.IntN(3)
			pos, n := r.Uint64N(layout.MapSize()), r.Uint64N(1<<r.IntN(20))
			if r.IntN(8) == 0 {
				pos -= layout.MapSize() // before the memory
			}
			addr := from.Mem.WithContext(t.Context()).OwnerAddress(member, pos)
			if base := uintptr(w.Ranks[member].Space.Base()); addr != base+uintptr(pos) {
				t.Fatalf("position %#x of member %d is at %#x, its memory at %#x", pos, member, addr, base)
			}
			got, ok := from.Mem.PositionOf(member, addr, n)
			if got != pos || ok != layout.Contains(pos, n) {
				t.Fatalf("%d bytes at position %#x of member %d: position %#x, %v", n, pos, member, got, ok)
			}
		}
	}
}

// TestEqualInOneProcess: if two ranks are in one process, each has its memory at addresses of its
// own, and only its own memory has the addresses of its owner.
func TestEqualInOneProcess(t *testing.T) {
	for _, mode := range []bridge.Mode{bridge.ModeSHM, bridge.ModeTCP} {
		w := globaltest.New(t, globaltest.Config{Size: 3, Mode: mode})
		for self, r := range w.Ranks {
			for member := range w.Ranks {
				if equal := r.Mem.Equal(member); equal != (self == member) {
					t.Errorf("mode %v: the addresses of %d in %d are equal: %v", mode, member, self, equal)
				}
			}
		}
	}
}

// TestAllocZero: blocks that the owner and others allocate are zero, also if the memory was in use
// before.
func TestAllocZero(t *testing.T) {
	w := globaltest.New(t, globaltest.Config{Size: 2, Mode: bridge.ModeSHM})
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	type block struct{ ga, n uint64 }
	var blocks []block
	for range 3000 {
		view := w.Ranks[r.IntN(2)].Mem.HeapView(1)
		if len(blocks) > 0 && r.IntN(2) == 0 {
			i := r.IntN(len(blocks))
			if err := view.Free(blocks[i].ga); err != nil {
				t.Fatal(err)
			}
			blocks[i] = blocks[len(blocks)-1]
			blocks = blocks[:len(blocks)-1]
			continue
		}
		n := r.Uint64N(1 << r.IntN(19))
		ga, err := view.AllocZero(n)
		if err == heap.ErrFull {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := view.Bytes(ga, n)
		if err != nil {
			t.Fatal(err)
		}
		if i := bytes.IndexFunc(b, func(c rune) bool { return c != 0 }); i >= 0 {
			t.Fatalf("byte %d of a block of %d is %d", i, n, b[i])
		}
		for i := range b {
			b[i] = 0xa5
		}
		blocks = append(blocks, block{ga, n})
	}
	for _, b := range blocks {
		if err := w.Ranks[0].Mem.Free(b.ga); err != nil {
			t.Error(err)
		}
	}
	if n := usage(t, w); n != 0 {
		t.Errorf("%d blocks are left", n)
	}
}

// TestAllocZeroTakesNoMemory: a large block of zeros has no memory, whether the heap had memory there
// before or not.
func TestAllocZeroTakesNoMemory(t *testing.T) {
	const size = 64 << 20
	w := globaltest.New(t, globaltest.Config{Heap: 2 * size})
	view := w.Ranks[0].Mem.Own()
	taken := func() int64 {
		var st unix.Stat_t
		if err := unix.Fstat(w.Ranks[0].Space.FD(), &st); err != nil {
			t.Fatal(err)
		}
		return st.Blocks * 512
	}
	for range 2 {
		before := taken()
		ga, err := view.AllocZero(size)
		if err != nil {
			t.Fatal(err)
		}
		if n := taken(); n > before+1<<20 {
			t.Errorf("a block of %d bytes takes %d", size, n-before)
		}
		b, err := view.Bytes(ga, size)
		if err != nil {
			t.Fatal(err)
		}
		for i := range b {
			b[i] = 0xff
		}
		if n := taken(); n < size {
			t.Errorf("%d bytes that were written take %d", size, n)
		}
		if err := view.Free(ga); err != nil {
			t.Fatal(err)
		}
		if n := taken(); n > 1<<20 {
			t.Errorf("%d bytes are taken when the block is free", n)
		}
	}
}
