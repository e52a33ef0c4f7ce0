package hashed

import (
	"encoding/binary"
	"errors"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/memory/heap"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/network/am"
)

const (
	testBase = heap.Unit // position of the heap
	testHeap = 16 * heap.Unit

	lostMembers = 100
)

// newView returns a view in memory of this test, and its heap. Members from lostMembers on are gone.
func newView(over func() error) (*heapview.View, []uint64, *heap.Heap) {
	mem := make([]uint64, (testBase+testHeap)/8)
	metadata := make([]uint64, heap.MetadataSize(testHeap)/8+1)
	h := heap.Open(heap.Config{
		Metadata: unsafe.Pointer(&metadata[0]), Base: testBase, Size: testHeap, Over: over,
		Purge: func(off, n uint64) error { return nil },
	})
	return heapview.New(heapview.Config{
		Base: unsafe.Pointer(&mem[0]), From: testBase, Size: testHeap, Rank: 3, Over: over, Heap: h,
		Gone: func(member int) bool { return member >= lostMembers },
	}), mem[testBase/8:], h
}

func alive() error { return nil }

// newTable makes a table of kind with elements.
func newTable(t testing.TB, s *heapview.View, kind Kind, slots uint32, keys ...string) *Table {
	t.Helper()
	table := &Table{Directory: 3<<44 + 1<<30, Ranks: 1, Slots: slots}
	do := func(op Op, slot uint32, c am.Call) uint64 {
		table.Address(&c, kind, op, slot)
		r, err := Perform(s, &c)
		if err != nil {
			t.Fatal(err)
		}
		return r.Val0
	}
	table.GA = do(Create, 0, am.Call{})
	for _, key := range keys {
		_, slot := SlotOf([]byte(key), 1, slots)
		if do(Insert, slot, am.Call{Data: []byte(key), More: []byte("value"), Args: [4]uint64{3: 1}}) != 1 {
			t.Fatalf("%q was there", key)
		}
	}
	return table
}

func TestSlotOf(t *testing.T) {
	for _, test := range []struct {
		ranks, slots, table, slot uint32
	}{{1, 1, 0, 0}, {3, 7, 0, 0}, {5, 1000, 0, 0}, {1 << 30, 1 << 30, 0, 0}} {
		const h = 0x995dc9bbdf1939fa >> 16 // check value of the code
		test.table = uint32(h / uint64(test.slots) % uint64(test.ranks))
		test.slot = uint32(h % uint64(test.slots))
		table, slot := SlotOf([]byte("123456789"), test.ranks, test.slots)
		if table != test.table || slot != test.slot {
			t.Errorf("slot %d of table %d, expected %+v", slot, table, test)
		}
	}
}

// TestGone: a table that is not the expected one is not touched.
func TestGone(t *testing.T) {
	s, _, h := newView(alive)
	good := *newTable(t, s, Map, 4, "a", "b", "c")
	for what, change := range map[string]func(b *Table){
		"directory": func(b *Table) { b.Directory += 8 },
		"index":     func(b *Table) { b.Index++ },
		"ranks":     func(b *Table) { b.Ranks++ },
		"slots":     func(b *Table) { b.Slots-- },
		"address":   func(b *Table) { b.GA += 32 },
		"misplaced": func(b *Table) { b.GA += 4 },
		"rank":      func(b *Table) { b.GA += 1 << 44 },
		"null":      func(b *Table) { b.GA = 0 },
	} {
		bad := good
		change(&bad)
		for op := Destroy; op < ops; op++ {
			c := am.Call{Data: []byte("a"), Out: make([]byte, 100)}
			bad.Address(&c, Map, op, 0)
			if _, err := Perform(s, &c); !errors.Is(err, am.ErrGone) {
				t.Errorf("other %s: operation %d: %v", what, op, err)
			}
		}
	}
	var c am.Call
	good.Address(&c, Set, Count, 0)
	if _, err := Perform(s, &c); !errors.Is(err, am.ErrGone) {
		t.Errorf("other kind: %v", err)
	}
	good.Address(&c, Map, Destroy, 0)
	if _, err := Perform(s, &c); err != nil {
		t.Error(err)
	}
	if blocks, _, err := h.Usage(); blocks != 0 || err != nil {
		t.Errorf("%d blocks are left, %v", blocks, err)
	}
	if _, err := Perform(s, &c); !errors.Is(err, am.ErrGone) {
		t.Errorf("destroyed twice: %v", err)
	}
}

// TestFullHeap: an operation for which the heap has no room changes nothing.
func TestFullHeap(t *testing.T) {
	s, _, h := newView(alive)
	table := newTable(t, s, Map, 1, "a")
	before, _, _ := h.Usage()
	c := am.Call{Data: []byte("b"), More: make([]byte, testHeap)}
	table.Address(&c, Map, Insert, 0)
	if _, err := Perform(s, &c); !errors.Is(err, heap.ErrFull) {
		t.Error(err)
	}
	c = am.Call{Data: []byte("a"), More: make([]byte, testHeap), Args: [4]uint64{3: 1}}
	table.Address(&c, Map, Insert, 0)
	if _, err := Perform(s, &c); !errors.Is(err, heap.ErrFull) {
		t.Error(err)
	}
	out := make([]byte, 10)
	c = am.Call{Data: []byte("a"), Out: out}
	table.Address(&c, Map, Find, 0)
	r, err := Perform(s, &c)
	if after, _, _ := h.Usage(); err != nil || string(out[:r.N]) != "value" || after != before {
		t.Errorf("value %q, %d blocks, %v", out[:r.N], after-before, err)
	}
}

// FuzzDamage carries out operations on memory that programs have overwritten: they may fail, but they end,
// and they write only to the heap.
func FuzzDamage(f *testing.F) {
	f.Add(uint8(Find), uint8(Map), uint64(0), []byte("a"), []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
	f.Add(uint8(Export), uint8(Set), uint64(3), []byte{}, []byte{8, 0, 8, 0, 0, 0, 0, 0, 3, 0})
	f.Add(uint8(Clear), uint8(Multiset), uint64(0), []byte("c"), []byte{4, 1, 1, 0, 1, 0, 0, 0, 3, 0, 12, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	calls := 0
	f.Fuzz(func(t *testing.T, op, kind uint8, arg uint64, data, damage []byte) {
		calls = 0
		s, mem, _ := newView(func() error { // called in the wait for a damaged lock
			if calls++; calls > 2 {
				return errors.New("over")
			}
			return nil
		})
		k := Kind(kind % uint8(kinds))
		table := newTable(t, s, k, 3, "a", "b", "c", "d", "e", "f")
		used := mem[:4096]
		for ; len(damage) >= 10; damage = damage[10:] {
			at := int(binary.LittleEndian.Uint16(damage)) % len(used)
			if v := binary.LittleEndian.Uint64(damage[2:]); v < 1<<16 { // likely an address
				used[at] = table.GA + v
			} else {
				used[at] = v
			}
		}
		c := am.Call{Data: data, Out: make([]byte, 64), Args: [4]uint64{3: arg}}
		if arg < 1<<12 {
			c.Args[3] = table.GA + arg
		}
		table.Address(&c, k, Op(op%uint8(ops)), uint32(arg%3))
		r, err := Perform(s, &c)
		if err == nil && r.N > len(c.Out) {
			t.Errorf("%d bytes in %d", r.N, len(c.Out))
		}
	})
}
