package segment

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// dumped reports whether a core dump has the memory at an address.
func dumped(t *testing.T, p unsafe.Pointer) bool {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	in := false
	for line := range strings.Lines(string(text)) {
		var from, to uintptr
		if n, _ := fmt.Sscanf(line, "%x-%x ", &from, &to); n == 2 {
			in = from <= uintptr(p) && uintptr(p) < to
		}
		if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok && in {
			return !slices.Contains(strings.Fields(flags), "dd")
		}
	}
	t.Fatalf("no mapping at %p", p)
	return false
}

// TestCoreDump: a core dump has what the process publishes, without a large heap, and nothing of its
// peers.
func TestCoreDump(t *testing.T) {
	for i, size := range []uint64{64 << 20, 4 << 30} {
		for _, slot := range []Slot{{}, SlotOf(850+i, 1024)} {
			s, v := attachIn(t, size, slot)
			l := s.Layout()
			heapEnd := l.HeapOffset() + size - 1
			for pos, want := range map[uint64]bool{
				0: true, StarterOffset: true, l.HeapOffset() - 1: true,
				l.HeapOffset(): !l.large(), heapEnd: !l.large(), l.MetadataOffset(): !l.large(),
			} {
				if got := dumped(t, unsafe.Add(s.Base(), pos)); got != want {
					t.Errorf("heap of %d: byte %#x is dumped: %v", size, pos, got)
				}
			}
			first := v.Extent()
			v.Reach(32 << 20)
			for _, p := range []unsafe.Pointer{
				first.Base, v.Mapped(StarterOffset, 1), v.Mapped(l.HeapOffset()+32<<20-1, 1), v.Extent().Metadata, unsafe.Pointer(v.table.Load().head),
			} {
				if dumped(t, p) {
					t.Errorf("heap of %d: the memory of a peer at %p is dumped", size, p)
				}
			}
		}
	}
}
