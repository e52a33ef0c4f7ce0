// Package maptable is the table of memory that this process reaches by plain loads
// and stores, and the counters of operations in flight.
//
// Go and C read it on the hot path: a copy or an atomic between addresses that
// are in the table, while nothing is in flight, needs neither a lock nor a call
// from one language into the other. Therefore the table lies outside the Go heap: behind the
// page of the process, where readers of the page see the counters. C has its layout from
// lib/acp/layout.h, which go generate makes of this package.
package maptable

import (
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/segment"
)

// Table is the head of the table. All fields are changed atomically.
//
//goacp:c goacp_direct
type Table struct {
	Issued  uint64         // handles given out; the newest handle
	Pending uint64         // operations that have been issued and have not completed
	Procs   uint64         // ranks; 0 before initialisation and after finalisation
	Rank    uint64         // rank of this process
	peers   unsafe.Pointer `c:"struct goacp_peer *"`
	Regions uintptr        `c:"struct goacp_regions *"` // address of the segment's table of registered memory of this process
	windows unsafe.Pointer `c:"struct goacp_windows *"` // address of functions of C for memory in windows of MPI; nil if there are none
	traffic unsafe.Pointer `c:"struct goacp_traffic *"` // address of the table of package traffic; nil if this process does not count

	Barrier  Barrier
	Load     wait.Load
	Channels uintptr `c:"struct goacp_channels *"` // address of the table of package ring, 0 until there is one

	Failed uint64 // 1 if an operation has failed, and no call has reported it

	_           [16]byte        // the submission queue, which changes often, shares no cache line with what is before it
	Submissions SubmissionQueue // where threads submit GMAs while others are in flight
}

// peersAt is where the peers begin. None of them lies in two cache lines.
const peersAt = (unsafe.Sizeof(Table{}) + 63) &^ 63

// Barrier is this process's part in the barrier of the ranks of its host. The caller that is in
// the barrier, in Go or C, changes Count and Marked; the rest is set before the first.
//
//goacp:c goacp_barrier
type Barrier struct {
	Arrived  *uint32 // nil if the barrier is Go's alone
	Released *uint32
	Sleepers *uint32
	Count    uint64 // barriers begun by this process
	Group    uint32 // ranks that share the words
	_        [4]byte
	// Marks are the shared sums of the marks of all ranks, for even and odd barriers. Marked
	// are the values of the sums if all ranks bring the marks of this process. acp_sync adds 0.
	Marks  *[2]uint64
	Marked [2]uint64
}

// Peer is the entry of one rank.
//
// Base and Metadata change when more of the heap is mapped. HeapLen is written after them and
// read before them. So a reader never uses a new length with an old address. The same holds for MappedLeaves
// and what concerns the pool.
//
//goacp:c goacp_peer
type Peer struct {
	Base     unsafe.Pointer `c:"char *"` // address here of the rank's position 0; nil if not mapped
	Starter  uint64         // bytes of its starter memory, from which follows where its heap is
	Metadata unsafe.Pointer `c:"struct goacp_heap_metadata *"` // address here of the metadata of its heap
	HeapLen  uint64         // bytes of its heap that are mapped

	// Registered memory in its pool, see segment.PoolExtent.
	Pool         unsafe.Pointer `c:"char *"` // address here of the pool
	PoolAt       uint64         // address of the pool in its process
	Pages        uint32         // of the pool
	MappedLeaves uint32         // leaves of the table that are mapped; 0 if the pool is not
	Regions      unsafe.Pointer `c:"struct goacp_regions *"` // address here of its table of registered memory
}

// RankShift is the number of bits of a position; the rank stands above it.
const RankShift = segment.PositionBits

const posMask = 1<<RankShift - 1

// RankOf returns the rank that the global address ga names.
func RankOf(ga uint64) int { return int(ga >> RankShift) }

// PositionOf returns the position that the global address ga names.
func PositionOf(ga uint64) uint64 { return ga & posMask }

// Size returns the bytes of a table for procs ranks.
func Size(procs int) uintptr {
	return peersAt + uintptr(procs)*unsafe.Sizeof(Peer{})
}

// In makes a table for procs ranks in memory outside the Go heap, which is all 0 and has Size bytes. It may be the Size of
// more ranks, see SetProcs. Others may read the memory: see ProgressOf.
func In(mem unsafe.Pointer, procs int) *Table {
	t := (*Table)(mem)
	t.Procs = uint64(procs)
	t.peers = unsafe.Add(mem, peersAt)
	return t
}

// SetProcs changes the number of ranks, which is at most that of Size. It does nothing if the table is shut.
func (t *Table) SetProcs(procs int) {
	for now := atomic.LoadUint64(&t.Procs); now != 0; now = atomic.LoadUint64(&t.Procs) {
		if atomic.CompareAndSwapUint64(&t.Procs, now, uint64(procs)) {
			return
		}
	}
}

func (t *Table) peer(rank uint64) *Peer {
	return (*Peer)(unsafe.Add(t.peers, uintptr(rank)*unsafe.Sizeof(Peer{})))
}

// Map enters the memory of a rank, of which x is mapped. From then on At finds it. One
// goroutine at a time may call Map, and x is no smaller than the one before.
func (t *Table) Map(rank int, x *segment.Extent, l segment.Layout) {
	p := t.peer(uint64(rank))
	atomic.StoreUint64(&p.Starter, l.Starter)
	atomic.StorePointer(&p.Metadata, x.Metadata)
	atomic.StorePointer(&p.Base, x.Base)
	atomic.StoreUint64(&p.HeapLen, x.Heap)
	atomic.StorePointer(&p.Pool, x.Pool.Base)
	atomic.StoreUint64(&p.PoolAt, x.Pool.Addr)
	atomic.StoreUint32(&p.Pages, x.Pool.Pages)
	atomic.StorePointer(&p.Regions, x.Pool.Regions)
	atomic.StoreUint32(&p.MappedLeaves, x.Pool.MappedLeaves)
}

// Has reports whether Map has entered x for a rank.
func (t *Table) Has(rank int, x *segment.Extent) bool {
	p := t.peer(uint64(rank))
	return atomic.LoadPointer(&p.Base) == x.Base && atomic.LoadUint64(&p.HeapLen) == x.Heap && atomic.LoadUint32(&p.MappedLeaves) == x.Pool.MappedLeaves
}

// Unmap takes out the memory of a rank.
func (t *Table) Unmap(rank int) {
	p := t.peer(uint64(rank))
	atomic.StoreUint32(&p.MappedLeaves, 0)
	atomic.StoreUint64(&p.HeapLen, 0)
	atomic.StorePointer(&p.Base, nil)
}

// SetRegions tells C where the table of registered memory of this process is.
func (t *Table) SetRegions(table unsafe.Pointer) { atomic.StoreUintptr(&t.Regions, uintptr(table)) }

// SetChannels tells C where the table of channels of this process is.
func (t *Table) SetChannels(table unsafe.Pointer) { atomic.StoreUintptr(&t.Channels, uintptr(table)) }

// SetTraffic tells C where it counts transfers.
func (t *Table) SetTraffic(table unsafe.Pointer) { atomic.StorePointer(&t.traffic, table) }

// SetRank sets the rank of this process.
func (t *Table) SetRank(rank uint64) { atomic.StoreUint64(&t.Rank, rank) }

// Shut makes At and C find no memory any more.
func (t *Table) Shut() { atomic.StoreUint64(&t.Procs, 0) }

// IsOwn reports whether ga belongs to this process and the table is not shut.
func (t *Table) IsOwn(ga uint64) bool {
	return ga>>RankShift == atomic.LoadUint64(&t.Rank) && atomic.LoadUint64(&t.Procs) != 0
}

// At returns the address of the n bytes at the global address ga, or nil if they
// are not starter memory in the table.
func (t *Table) At(ga, n uint64) unsafe.Pointer {
	rank := ga >> RankShift
	if rank >= atomic.LoadUint64(&t.Procs) {
		return nil
	}
	p := t.peer(rank)
	base := atomic.LoadPointer(&p.Base)
	size := atomic.LoadUint64(&p.Starter)
	// Layout.Contains for starter memory alone, in a form that lets At be inlined: off
	// is huge for a position that lies before.
	off := ga&posMask - segment.StarterOffset
	if base == nil || off > size || n > size-off {
		return nil
	}
	return unsafe.Add(base, ga&posMask)
}

// HeapAt is At for the heap.
func (t *Table) HeapAt(ga, n uint64) unsafe.Pointer {
	rank := ga >> RankShift
	if rank >= atomic.LoadUint64(&t.Procs) {
		return nil
	}
	p := t.peer(rank)
	size := atomic.LoadUint64(&p.HeapLen)
	base := atomic.LoadPointer(&p.Base)
	off := ga&posMask - segment.Layout{Starter: atomic.LoadUint64(&p.Starter)}.HeapOffset()
	if base == nil || off > size || n > size-off {
		return nil
	}
	return unsafe.Add(base, ga&posMask)
}

// Pooled is At for registered memory in the pool of a rank. It returns nil, too, while the owner
// changes its table.
func (t *Table) Pooled(ga, n uint64) unsafe.Pointer {
	rank := ga >> RankShift
	if rank >= atomic.LoadUint64(&t.Procs) {
		return nil
	}
	p := t.peer(rank)
	x := segment.PoolExtent{MappedLeaves: atomic.LoadUint32(&p.MappedLeaves)}
	if x.MappedLeaves == 0 {
		return nil
	}
	x.Regions, x.Pages = atomic.LoadPointer(&p.Regions), atomic.LoadUint32(&p.Pages)
	x.Addr, x.Base = atomic.LoadUint64(&p.PoolAt), atomic.LoadPointer(&p.Pool)
	return x.At(ga&posMask, n)
}

// windowCalls is the beginning of what windows points to: functions of C. A function carries
// out one operation on memory of the library and returns 1; or it does nothing and returns 0,
// and Go carries the operation out. If atomic is not 0, it does all atomics, also those on
// mapped memory.
//
//goacp:c goacp_windows
type windowCalls struct {
	copy   uintptr `c:"int (*%)(struct goacp_windows *w, uint64_t ga, void *here, uint64_t n, int get)"`
	atomic uintptr `c:"int (*%)(struct goacp_windows *w, int op, int width, uint64_t ga, uint64_t operand, uint64_t compare, uint64_t *old)"`
}

// FarAtomics reports whether atomics are left to a fabric, also on memory in the table.
func (t *Table) FarAtomics() bool {
	w := atomic.LoadPointer(&t.windows)
	return w != nil && (*windowCalls)(w).atomic != 0
}

// SetWindows tells C by which functions it reaches memory in windows of MPI, and leaves
// atomics to that fabric, if there is a function for them.
func (t *Table) SetWindows(functions unsafe.Pointer) {
	atomic.StorePointer(&t.windows, functions)
}

// Idle reports whether nothing is in flight, so that every order is satisfied.
func (t *Table) Idle() bool { return atomic.LoadUint64(&t.Pending) == 0 }

// Quiet reports whether nothing is in flight and no failure has to be reported.
func (t *Table) Quiet() bool { return t.Idle() && atomic.LoadUint64(&t.Failed) == 0 }

// SetFailed notes whether there are failures that no call has reported. It is called while the operation that has failed is still pending, so a
// thread that finds nothing pending sees the note.
func (t *Table) SetFailed(failed bool) {
	var word uint64
	if failed {
		word = 1
	}
	atomic.StoreUint64(&t.Failed, word)
}

// Next gives out a handle.
func (t *Table) Next() uint64 { return atomic.AddUint64(&t.Issued, 1) }
