package segment

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Populate takes the pages of memory that is about to be written as a whole. A page fault for each takes several times as long. Where the system
// cannot (before Linux 5.14), or has no pages left, Populate does nothing, and the faults follow. It does not wait for other processes.
func Populate(b []byte) {
	page := unix.Getpagesize()
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) & uintptr(page-1))
	if n := (len(b) - skip) &^ (page - 1); n > 0 {
		_ = unix.Madvise(b[skip:skip+n], unix.MADV_POPULATE_WRITE)
	}
}
