package segment

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// maxMapping is the greatest number of bytes of one mapping.
const maxMapping = 1 << 46

// mapShared maps size bytes of a descriptor from offset from on, a multiple of all page sizes.
// If at is not 0 it maps them at that address, and fails if something else is mapped there.
func mapShared(fd int, from, size, at uint64) ([]byte, error) {
	if size > maxMapping {
		return nil, fmt.Errorf("mapping of %d bytes: at most %d are possible", size, uint64(maxMapping))
	}
	flags := unix.MAP_SHARED | unix.MAP_NORESERVE
	if at != 0 {
		flags |= unix.MAP_FIXED_NOREPLACE
	}
	p, err := unix.MmapPtr(fd, int64(from), pointer(at), uintptr(size), unix.PROT_READ|unix.PROT_WRITE, flags)
	if err != nil {
		return nil, fmt.Errorf("mapping %d bytes of shared memory: %w", size, err)
	}
	mem := unsafe.Slice((*byte)(p), size)
	if at != 0 && uint64(uintptr(p)) != at { // to a kernel before Linux 4.17 it is a wish
		return nil, errors.Join(fmt.Errorf("mapping %d bytes of shared memory: %#x is not free", size, at), unmap(mem))
	}
	return mem, nil
}

// leaveOut keeps a mapping out of core dumps. For a dump the kernel reads all of it, and that takes
// memory for what never had any. A kernel that refuses makes larger dumps.
func leaveOut(mem []byte) { _ = unix.Madvise(mem, unix.MADV_DONTDUMP) }

// removes reports whether MADV_REMOVE takes pages of shared memory back, so that they are 0 afterwards. The user mode of
// QEMU succeeds and does nothing.
var removes = sync.OnceValue(func() bool {
	page, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANONYMOUS)
	if err != nil {
		return false
	}
	defer func() { _ = unix.Munmap(page) }()
	page[0] = 1
	return unix.Madvise(page, unix.MADV_REMOVE) == nil && page[0] == 0
})

// duplicate maps the memory that is mapped at p once more, size bytes of it, at another address.
func duplicate(p unsafe.Pointer, size uint64) ([]byte, error) {
	at, err := remap(p, 0, size, unix.MREMAP_MAYMOVE)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(at), size), nil
}

// widen makes a mapping size bytes long. It fails if something else is mapped behind it.
func widen(mem []byte, size uint64) ([]byte, error) {
	at, err := remap(unsafe.Pointer(unsafe.SliceData(mem)), uint64(len(mem)), size, 0)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(at), size), nil
}

func remap(p unsafe.Pointer, from, to uint64, flags uintptr) (unsafe.Pointer, error) {
	at, _, errno := unix.Syscall6(unix.SYS_MREMAP, uintptr(p), uintptr(from), uintptr(to), flags, 0, 0)
	if errno != 0 {
		return nil, fmt.Errorf("mapping %d bytes of shared memory: %w", to, errno)
	}
	return pointer(uint64(at)), nil
}

// unmap unmaps memory. Unlike unix.Munmap, it also accepts mappings that package unix has not
// made.
func unmap(mem []byte) error {
	return unix.MunmapPtr(unsafe.Pointer(unsafe.SliceData(mem)), uintptr(len(mem)))
}
