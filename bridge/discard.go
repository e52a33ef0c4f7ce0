package bridge

import (
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Discard gives the pages of the blobs of an exchange back to the system. The caller does not read the blobs afterwards. With many ranks
// the contacts take much memory, and a process that never allocates again would keep it: the garbage collector does not run. Discard does
// nothing if the blobs do not lie one behind the other, as those of [Dial] do, or fill no page. Does not block. Safe for concurrent use.
func Discard(blobs [][]byte) {
	var from, to uintptr
	for _, b := range blobs {
		if len(b) == 0 {
			continue
		}
		p := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
		if to != 0 && p != to {
			return
		}
		if to == 0 {
			from = p
		}
		to = p + uintptr(len(b))
	}
	page := uintptr(os.Getpagesize())
	from, to = (from+page-1)&^(page-1), to&^(page-1)
	if from < to {
		// The pages are zero afterwards. If the kernel keeps them, nothing is lost.
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED)
	}
	runtime.KeepAlive(blobs)
}
