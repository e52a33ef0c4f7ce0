package fabric_test

import (
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"golang.org/x/sys/unix"
)

// TestProbe looks at memory of three pages: one that can be written, one that can be
// read, one that is not mapped.
func TestProbe(t *testing.T) {
	page := uint64(unix.Getpagesize())
	b, err := unix.Mmap(-1, 0, int(3*page), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(b)
	for i := range b {
		b[i] = 0xa5
	}
	if err := unix.Mprotect(b[page:2*page], unix.PROT_READ); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mprotect(b[2*page:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	start := unsafe.Pointer(&b[0])
	for _, c := range []struct {
		from, n  uint64
		readable bool
		writable bool
	}{
		{0, 0, true, true},
		{0, page, true, true},
		{page - 1, 1, true, true},
		{page - 1, 2, true, false},
		{0, page + 1, true, false},
		{page, page, true, false},
		{page, 0, true, true},
		{2*page - 3, 3, true, false},
		{2*page - 3, 4, false, false},
		{0, 3 * page, false, false},
		{2 * page, 1, false, false},
		{3, ^uint64(0), false, false},
	} {
		if got := fabric.Readable(unsafe.Add(start, c.from), c.n); got != c.readable {
			t.Errorf("Readable(%d, %d) = %v", c.from, c.n, got)
		}
		if got := fabric.Writable(unsafe.Add(start, c.from), c.n); got != c.writable {
			t.Errorf("Writable(%d, %d) = %v", c.from, c.n, got)
		}
	}
	for i, v := range b[:2*page] {
		if v != 0xa5 {
			t.Fatalf("byte %d has changed to %#x", i, v)
		}
	}
}

func BenchmarkReadable(b *testing.B) { benchmarkProbe(b, fabric.Readable) }
func BenchmarkWritable(b *testing.B) { benchmarkProbe(b, fabric.Writable) }

func benchmarkProbe(b *testing.B, probe func(unsafe.Pointer, uint64) bool) {
	word := new([2]uint64)
	for range b.N {
		if !probe(unsafe.Pointer(word), 8) {
			b.Fatal("cannot be used")
		}
	}
}
