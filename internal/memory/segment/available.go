package segment

import (
	"fmt"
	"os"
	"sync"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/memlimit"
	"github.com/goacp/goacp/internal/memory/heap"
	"golang.org/x/sys/unix"
)

// availableOf returns the functions for a heap. The kernel counts memory for the process that
// touches it first, which may be this process or the owner. owner is the owner's directory in /proc.
// Control groups are looked for when the heap first asks: of most peers' heaps a process allocates
// nothing, and reading the files takes a millisecond.
func availableOf(m Memory, owner string) *heap.Available {
	limit := sync.OnceValue(func() *memlimit.Limit {
		return memlimit.New(os.DirFS("/"), m.Layout().large(), "self", owner)
	})
	from := m.Layout().HeapOffset()
	return &heap.Available{
		Left: func() (uint64, bool) {
			if l := limit(); l != nil {
				return l.Left()
			}
			return 0, false
		},
		Resident: func(off, n uint64) (uint64, error) {
			x := m.Reach(off + n)
			if x == nil {
				return 0, heap.ErrShort
			}
			return resident(unsafe.Add(x.Base, from+off), n)
		},
	}
}

// resident returns how many of the n bytes at a multiple of the size of a page are in
// memory.
func resident(at unsafe.Pointer, n uint64) (uint64, error) {
	page := uint64(os.Getpagesize())
	var pages [16 << 10]byte
	var sum uint64
	for done := uint64(0); done < n; {
		part := min(n-done, uint64(len(pages))*page)
		_, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Add(at, done)), uintptr(part), uintptr(unsafe.Pointer(&pages[0])))
		if errno != 0 {
			return 0, fmt.Errorf("asking which memory of a heap is in use: %w", errno)
		}
		for _, p := range pages[:part/page] {
			sum += uint64(p&1) * page
		}
		done += part
	}
	return sum, nil
}
