package segment

import (
	"testing"

	"golang.org/x/sys/unix"
)

// TestPopulate: the whole pages of memory are there afterwards, and no others.
func TestPopulate(t *testing.T) {
	const pages = 64
	page := unix.Getpagesize()
	fd, err := unix.MemfdCreate("populate", unix.MFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := unix.Ftruncate(fd, int64(pages*page)); err != nil {
		t.Fatal(err)
	}
	b, err := unix.Mmap(fd, 0, pages*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(b)
	there := func() int64 {
		var s unix.Stat_t
		if err := unix.Fstat(fd, &s); err != nil {
			t.Fatal(err)
		}
		return s.Blocks * 512 / int64(page)
	}
	Populate(nil)
	Populate(b[1:page])
	Populate(b[1 : 2*page-1])
	if n := there(); n != 0 {
		t.Errorf("%d pages are there without a whole one", n)
	}
	want := int64(0)
	if unix.Madvise(b[:page], unix.MADV_POPULATE_WRITE) == nil { // the system can
		want = pages - 1 // the first one is there
	}
	Populate(b[1 : len(b)-1])
	if n := there(); n != want {
		t.Errorf("%d pages are there; expected %d", n, want)
	}
}
