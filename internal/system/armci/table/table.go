// Package table has the data of an ARMCI world for Go and C: the addresses of the memory of each
// process, and the number of stores in flight to it. C needs no call into Go for a transfer between
// mapped memory while no store is in flight. The table lies outside the Go heap. C has its layout
// from lib/acp/layout.h.
package table

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/memory/lookup"
	"github.com/goacp/goacp/internal/memory/maptable"
	"golang.org/x/sys/unix"
)

// Table is the head of the table.
//
//goacp:c goacp_armci
type Table struct {
	Procs     uint64 // processes of the world
	Self      uint64 // number of this process
	sent      uint64 // stores to all processes
	confirmed uint64
	entries   unsafe.Pointer `c:"struct goacp_armci_proc *"`
	direct    unsafe.Pointer `c:"struct goacp_direct *"`        // what this process has mapped
	mutexes   unsafe.Pointer `c:"struct goacp_armci_mutexes *"` // by process; nil: there are none
	spare     unsafe.Pointer `c:"struct goacp_armci_node *"`    // a free node of this process, or nil
	// Areas has the collective areas of groups, by their numbers.
	Areas lookup.Table
}

// Proc is the entry of one process. Only the last two fields change.
//
//goacp:c goacp_armci_proc
type Proc struct {
	Base      uint64 // address of its position 0 in the process itself
	Locks     uint64 // position of its page locks
	Rank      uint64 // its rank of ACP
	sent      uint64 // stores of this process that are not carried out near
	confirmed uint64 // how many of them are visible
}

// New makes a table for procs processes; this process is self. It is never freed, since a thread of C
// may read it after the world has ended.
func New(procs, self int, d *maptable.Table) (*Table, error) {
	size := int(unsafe.Sizeof(Table{})) + procs*int(unsafe.Sizeof(Proc{}))
	mem, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return nil, fmt.Errorf("table of %d processes: %w", procs, err)
	}
	t := (*Table)(unsafe.Pointer(unsafe.SliceData(mem)))
	t.Procs, t.Self, t.direct = uint64(procs), uint64(self), unsafe.Pointer(d)
	t.entries = unsafe.Add(unsafe.Pointer(t), unsafe.Sizeof(Table{}))
	return t, nil
}

// Proc returns the entry of a process.
func (t *Table) Proc(proc int) *Proc {
	return (*Proc)(unsafe.Add(t.entries, uintptr(proc)*unsafe.Sizeof(Proc{})))
}

// SetMutexes sets the addresses of the mutexes of all processes for C; nil: there are none.
func (t *Table) SetMutexes(mutexes unsafe.Pointer) { atomic.StorePointer(&t.mutexes, mutexes) }

// SwapSpare replaces the free node of this process in the table by another node or nil, and returns
// the old node.
func (t *Table) SwapSpare(node unsafe.Pointer) unsafe.Pointer {
	return atomic.SwapPointer(&t.spare, node)
}

// Send counts a store that is going to be sent to a process.
func (t *Table) Send(proc int) {
	atomic.AddUint64(&t.Proc(proc).sent, 1)
	atomic.AddUint64(&t.sent, 1)
}

// Confirm counts a store as visible, or failed.
func (t *Table) Confirm(proc int) {
	atomic.AddUint64(&t.Proc(proc).confirmed, 1)
	atomic.AddUint64(&t.confirmed, 1)
}

// Sent returns how many stores have been sent to a process.
func (p *Proc) Sent() uint64 { return atomic.LoadUint64(&p.sent) }

// Confirmed reports whether as many stores as Sent has returned are visible.
func (p *Proc) Confirmed(sent uint64) bool { return int64(atomic.LoadUint64(&p.confirmed)-sent) >= 0 }

// Idle reports whether no store is in flight to a process.
func (p *Proc) Idle() bool {
	confirmed := atomic.LoadUint64(&p.confirmed) // first, since it is never greater
	return confirmed == p.Sent()
}

// Idle reports whether no store is in flight.
func (t *Table) Idle() bool {
	confirmed := atomic.LoadUint64(&t.confirmed)
	return confirmed == atomic.LoadUint64(&t.sent)
}
