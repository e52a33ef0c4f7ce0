package heap

import (
	"encoding/binary"
	"errors"
	"testing"
	"unsafe"
)

// FuzzMetadata allocates and frees with metadata that a process has overwritten: each call
// succeeds with a block of the heap or fails, and ends.
func FuzzMetadata(f *testing.F) {
	word := func(b []byte, at uint16, v uint32) []byte {
		b = binary.LittleEndian.AppendUint16(b, at)
		return binary.LittleEndian.AppendUint32(b, v)
	}
	const firstOpen = 18 // word of the metadata
	class := uint16(classOf(64))
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8}, []byte{})
	f.Add([]byte{4, 0x84, 4}, word(nil, firstOpen+class, 1<<31))          // a class leads nowhere
	f.Add([]byte{9, 9, 0x89, 9}, word(nil, 17, 3))                        // a free run that is not free
	f.Add([]byte{4, 4, 0x84, 0x84}, word(nil, 16, ^uint32(0)))            // the top is beyond the heap
	f.Add([]byte{4, 4, 4}, word(word(nil, 68+6, 64), firstOpen+class, 1)) // a hint behind the map
	f.Fuzz(func(t *testing.T, calls, damage []byte) {
		const spans = 8
		mem := make([]uint64, MetadataSize(spans*Unit)/8+1)
		h := Open(Config{
			Metadata: unsafe.Pointer(&mem[0]), Base: testBase, Size: spans * Unit,
			Over: func() error { return errors.New("over") },
			Purge: func(off, n uint64) error {
				if off > spans*Unit || n > spans*Unit-off || n == 0 {
					t.Errorf("%d bytes from %d on are given back", n, off)
				}
				return nil
			},
		})
		sizes := []uint64{0, 1, 16, 100, 64, 1000, 5000, largeSize, largeSize + 1, Unit, 3 * Unit, 8 * Unit}
		var blocks []uint64
		metadata := unsafe.Slice((*uint32)(unsafe.Pointer(&mem[0])), 2*len(mem))
		for _, c := range calls {
			if len(damage) >= 6 {
				at := 1 + int(binary.LittleEndian.Uint16(damage))%(len(metadata)-1) // not the lock
				metadata[at] = binary.LittleEndian.Uint32(damage[2:])
				damage = damage[6:]
			}
			if c >= 0x80 && len(blocks) > 0 {
				_ = h.Free(blocks[int(c)%len(blocks)]) // which may fail in any way
				continue
			}
			n := sizes[int(c)%len(sizes)]
			pos, err := h.Alloc(n)
			if err != nil {
				if !errors.Is(err, ErrFull) && !errors.Is(err, ErrDamaged) {
					t.Error(err)
				}
				continue
			}
			if pos < testBase || pos-testBase > spans*Unit || n > spans*Unit-(pos-testBase) || pos%alignment != 0 {
				t.Errorf("%d bytes at %d of a heap from %d on", n, pos, uint64(testBase))
			}
			blocks = append(blocks, pos)
		}
	})
}

// TestEndlessLists: lists of spans that lead back into themselves give an error.
func TestEndlessLists(t *testing.T) {
	for name, damage := range map[string]func(h *Heap){
		"free runs": func(h *Heap) { (*h.spans.Load())[1].next = 2 },
		"spans of a class": func(h *Heap) {
			h.metadata.free = 0
			h.metadata.top = uint32(h.total)
			h.metadata.open[0] = 3
			(*h.spans.Load())[2].used, (*h.spans.Load())[2].next = 1, 3
		},
	} {
		h := newShared(t, 16*Unit).open()
		var blocks []uint64
		for range 8 {
			pos, err := h.Alloc(Unit)
			if err != nil {
				t.Fatal(err)
			}
			blocks = append(blocks, pos)
		}
		if err := h.Free(blocks[1]); err != nil {
			t.Fatal(err)
		}
		damage(h)
		if _, err := h.Alloc(4 * Unit); name == "free runs" && !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := h.Alloc(16 * Unit); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
