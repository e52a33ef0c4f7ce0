package startup

import (
	"crypto/sha256"
	"math"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/fabric/segment"
	"github.com/goacp/goacp/internal/heap"
)

// The heap of a rank takes address space up to its limit, and memory for what is in use. A
// limit below MinHeapSize is raised to it.
const (
	DefaultHeapSize = 1 << 30
	MinHeapSize     = 64 << 20
)

// heapSize returns the limit of a heap for which the user has asked for size bytes. Without
// such a wish it is smaller where windows of MPI may be used: MPI may take, and keep in memory,
// all that the limit allows.
func heapSize(size uint64, mode bridge.Mode, rdma bridge.RDMA, local bool) uint64 {
	switch {
	case size != 0:
		return size
	case mode == bridge.ModeRMA, mode == bridge.ModeAuto && rdma.Usable() && !local:
		return MinHeapSize
	}
	return DefaultHeapSize
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

// runOf derives the public identity of the run from its secret.
func runOf(t bridge.Token) segment.Run {
	sum := sha256.Sum256(append([]byte("acp run "), t[:]...))
	return segment.Run(sum[:16])
}
