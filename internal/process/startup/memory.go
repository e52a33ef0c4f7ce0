package startup

import (
	"fmt"
	"math"
	"os"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/ground/memlimit"
	"github.com/goacp/goacp/internal/memory/heap"
	"github.com/goacp/goacp/internal/memory/segment"
	"golang.org/x/sys/unix"
)

// The heap of a rank takes address space up to its limit, and memory for what is in use. A
// limit below MinHeapSize is raised to it.
const (
	DefaultHeapSize = 1 << 30
	MinHeapSize     = 64 << 20

	// UnlimitedHeap in place of a limit means that memory and address space are the limit.
	UnlimitedHeap = math.MaxUint64
)

// heapSize returns the limit of a heap for which the user has asked for size bytes, or
// UnlimitedHeap. Without such a wish it is smaller where windows of MPI may be used: MPI may take,
// and keep in memory, all that the limit allows. For the same reason there is always a limit then.
func heapSize(size uint64, mode bridge.Mode, rdma bridge.RDMA, local bool) uint64 {
	windows := mode == bridge.ModeRMA || mode == bridge.ModeAuto && rdma.Usable() && !local
	switch {
	case size == UnlimitedHeap && windows:
		return DefaultHeapSize
	case size != 0:
		return size
	case windows:
		return MinHeapSize
	}
	return DefaultHeapSize
}

// bounds is what bounds the memory that a process publishes, in bytes.
type bounds struct {
	slot      uint64 // addresses that all processes of the host keep for it
	file      uint64 // the limit of file sizes
	addresses uint64 // address space that this process may still take
	host      uint64 // memory of the host
}

// boundsOf returns the bounds of this process.
func boundsOf(slot segment.Slot) (bounds, error) {
	addresses, err := segment.AddressSpace()
	if err != nil {
		return bounds{}, err
	}
	var file unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &file); err != nil {
		return bounds{}, fmt.Errorf("limit of file sizes: %w", err)
	}
	return bounds{slot: slot.Size(), file: file.Cur, addresses: addresses, host: memlimit.Host(os.DirFS("/"))}, nil
}

// heap returns the limit of an UnlimitedHeap beside so many bytes of starter memory. If address space
// is limited, half of what is left stays for the memory of other ranks.
func (b bounds) heap(starter uint64) uint64 {
	return min(b.host, segment.MaxHeap(starter, min(b.slot, b.file, b.addresses/2)))
}

// layout returns the parts of the memory of a rank. A limit that cannot be is left for
// segment.New to refuse.
func layout(starter, heapLimit uint64) segment.Layout {
	size := max(heapLimit, MinHeapSize)
	if rest := size % heap.Unit; rest != 0 && size <= math.MaxUint64-heap.Unit {
		size += heap.Unit - rest
	}
	return segment.Layout{Starter: starter, Heap: size}
}

// addressAdvice returns the end of a message about memory that cannot be mapped: what the user can do if
// address space is limited. It returns "" if it is not.
func addressAdvice(parts segment.Layout) string {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err != nil || limit.Cur == unix.RLIM_INFINITY {
		return ""
	}
	text := fmt.Sprintf("; the limit of address space is %d KiB (ulimit -v), of which the starter memory (-smemsize) takes %d KiB and the heap %d KiB",
		limit.Cur>>10, parts.Starter>>10, parts.Heap>>10)
	if parts.Heap <= MinHeapSize {
		return text + ", the least that a heap has"
	}
	return text + fmt.Sprintf("; the option -smemsize-dl 64m (%s=%d) makes the heap as small as it can be", envvar.HeapSize, MinHeapSize)
}
