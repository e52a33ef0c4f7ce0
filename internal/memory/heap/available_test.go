package heap

import (
	"errors"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// machine is a fake of limited memory: a span has memory when its blocks have been written to.
type machine struct {
	heaps   []*limitedHeap
	memory  uint64 // spans that may have memory
	limited bool
	looks   int
}

// limitedHeap is a heap on a machine.
type limitedHeap struct {
	*Heap
	on       *machine
	resident []bool // by span

}

func newLimited(t *testing.T, m *machine, spans uint64, keeps bool) *limitedHeap {
	t.Helper()
	h := &limitedHeap{on: m, resident: make([]bool, spans)}
	cfg := Config{
		Metadata: unsafe.Pointer(&pages(t, MetadataSize(spans*Unit))[0]), Base: testBase, Size: spans * Unit,
		Over: func() error { return nil },
		Available: &Available{
			Left: func() (uint64, bool) {
				m.looks++
				return (m.memory - min(m.memory, m.used())) * Unit, m.limited
			},
			Resident: func(off, n uint64) (uint64, error) { return h.holding(off, n) * Unit, nil },
		},
	}
	if !keeps {
		cfg.Purge = func(off, n uint64) error {
			clear(h.resident[off/Unit : (off+n)/Unit])
			return nil
		}
	}
	h.Heap = Open(cfg)
	m.heaps = append(m.heaps, h)
	return h
}

func (h *limitedHeap) holding(off, n uint64) (spans uint64) {
	for _, r := range h.resident[off/Unit : (off+n)/Unit] {
		if r {
			spans++
		}
	}
	return spans
}

func (m *machine) used() (spans uint64) {
	for _, h := range m.heaps {
		spans += h.holding(0, uint64(len(h.resident))*Unit)
	}
	return spans
}

// touch writes to a block of n bytes. It reports whether the limit allows it.
func (h *limitedHeap) touch(pos, n uint64) bool {
	off := pos - testBase
	for s := off / Unit; s <= (off+max(n, 1)-1)/Unit; s++ {
		h.resident[s] = true
	}
	return h.on.used() <= h.on.memory
}

// TestFullIsNoLimit: a heap whose spans are all in use is full, however much memory is left, and
// free blocks keep their memory.
func TestFullIsNoLimit(t *testing.T) {
	const spans = 10
	for _, limited := range []bool{false, true} {
		m := &machine{memory: 10 * spans, limited: limited}
		h := newLimited(t, m, spans, false)
		for range spans - 1 {
			pos, err := h.Alloc(Unit)
			if err != nil {
				t.Fatal(err)
			}
			h.touch(pos, Unit)
		}
		pos, err := h.Alloc(Unit)
		if err != nil {
			t.Fatal(err)
		}
		looks := m.looks
		for _, n := range []uint64{1, Unit, 2 * Unit} {
			if _, err := h.Alloc(n); err != ErrFull {
				t.Errorf("limited %t: %d bytes in a full heap: %v", limited, n, err)
			}
		}
		if m.looks != looks {
			t.Errorf("limited %t: a full heap has asked for memory %d times", limited, m.looks-looks)
		}
		if err := h.Free(pos); err != nil {
			t.Fatal(err)
		}
		if n := m.used(); n != spans-1 {
			t.Errorf("limited %t: %d spans have memory, want %d", limited, n, spans-1)
		}
	}
}

// TestLimit: the blocks fit in the memory that is left, whether they were written to or not, and
// freed memory serves blocks of any size.
func TestLimit(t *testing.T) {
	for _, keeps := range []bool{false, true} {
		m := &machine{memory: 100, limited: true}
		h := newLimited(t, m, 1000, keeps)
		if _, err := h.Alloc(101 * Unit); !errors.Is(err, ErrLimit) || !errors.Is(err, ErrFull) {
			t.Fatalf("more than there is: %v", err)
		}
		first := mustAlloc(t, h, 60*Unit) // not written to
		if _, err := h.Alloc(41 * Unit); !errors.Is(err, ErrLimit) {
			t.Fatalf("the memory that is left was promised already: %v", err)
		}
		second := mustAlloc(t, h, 40*Unit)
		if !h.touch(first, 60*Unit) || !h.touch(second, 40*Unit) {
			t.Fatal("killed")
		}
		if _, err := h.Alloc(1); !errors.Is(err, ErrLimit) {
			t.Fatalf("all is in use: %v", err)
		}
		mustFree(t, h, first)
		mustFree(t, h, second)
		var small []uint64
		for {
			pos, err := h.Alloc(largeSize)
			if err != nil {
				break
			}
			if small = append(small, pos); !h.touch(pos, largeSize) {
				t.Fatal("killed")
			}
		}
		if len(small) != 200 {
			t.Errorf("%d blocks of half a span in 100 spans", len(small))
		}
		for _, pos := range small {
			mustFree(t, h, pos)
		}
		if all := mustAlloc(t, h, 100*Unit); !h.touch(all, 100*Unit) {
			t.Error("killed")
		}
	}
}

// TestLimitGrant: a heap does not look before each block, and looks again when a large block has
// been freed, because another process may have taken the memory.
func TestLimitGrant(t *testing.T) {
	m := &machine{memory: 4000, limited: true}
	h, other := newLimited(t, m, 4000, false), newLimited(t, m, 4000, false)
	for range 1000 {
		mustAlloc(t, h, Unit)
	}
	if m.looks > 20 {
		t.Errorf("%d looks for 1000 spans", m.looks)
	}
	large := mustAlloc(t, h, 2500*Unit)
	mustFree(t, h, large)
	if !other.touch(mustAlloc(t, other, 2500*Unit), 2500*Unit) {
		t.Fatal("killed")
	}
	if _, err := h.Alloc(2500 * Unit); !errors.Is(err, ErrLimit) {
		t.Errorf("memory that another heap has taken: %v", err)
	}
	m.limited = false
	mustAlloc(t, h, 2500*Unit)
}

// TestLimitModel allocates, writes and frees at random at the limit.
func TestLimitModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	m := &machine{memory: 200, limited: true}
	h := newLimited(t, m, 400, false)
	var held []uint64
	refused := 0
	for range 20000 {
		if len(held) > 0 && rnd.IntN(100) < 45 {
			i := rnd.IntN(len(held))
			mustFree(t, h, held[i])
			held[i] = held[len(held)-1]
			held = held[:len(held)-1]
			continue
		}
		n := uint64(rnd.IntN(1 << rnd.IntN(22)))
		pos, err := h.Alloc(n)
		if errors.Is(err, ErrFull) {
			refused++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if held = append(held, pos); rnd.IntN(4) > 0 && !h.touch(pos, n) {
			t.Fatal("killed")
		}
	}
	check(t, h.Heap)
	if refused == 0 {
		t.Error("the limit was not reached")
	}
	for _, pos := range held {
		mustFree(t, h, pos)
	}
	if pos := mustAlloc(t, h, 200*Unit); !h.touch(pos, 200*Unit) {
		t.Error("killed")
	}
}

func mustAlloc(t *testing.T, h *limitedHeap, n uint64) uint64 {
	t.Helper()
	pos, err := h.Alloc(n)
	if err != nil {
		t.Fatalf("%d bytes: %v", n, err)
	}
	return pos
}

func mustFree(t *testing.T, h *limitedHeap, pos uint64) {
	t.Helper()
	if err := h.Free(pos); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkLarge allocates and frees a large block.
func BenchmarkLarge(b *testing.B) {
	h := newShared(b, 64<<20).open()
	for b.Loop() {
		pos, err := h.Alloc(1 << 20)
		if err == nil {
			err = h.Free(pos)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
