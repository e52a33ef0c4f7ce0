package mutex

import (
	"unsafe"

	"github.com/goacp/goacp/internal/memory/segment"
)

// place is a mutex in the memory of its owner.
//
//goacp:c goacp_armci_mutex
type place struct {
	Last   uint64 // name of the last node in the queue, 0 if the mutex is free
	Holder uint64 // name of the node that has it, if its process has mapped the mutex; 0: there is none
}

// node is one thread that holds a mutex or waits for it. It takes a cache line.
//
//goacp:c goacp_armci_node
type node struct {
	Name    uint64
	Thread  uint64 // that uses the node; 0: any
	Next    uint64 // name of the node behind this one
	Queued  uint32 // whether Next is set
	Granted uint32 // whether the node has got the mutex from the one before it
	_       [32]byte
}

// entry is where the mutexes of one process are.
//
//goacp:c goacp_armci_mutexes
type entry struct {
	Count uint64
	Addr  uint64         // in the process itself
	here  unsafe.Pointer `c:"struct goacp_armci_mutex *"` // where they are mapped; nil: they are not
}

// The values of Queued and Granted, and what names consist of.
//
//goacp:c GOACP_ARMCI_
const (
	NotYet      = 0 // and no thread sleeps
	Yes         = 1
	NotYetParks = 2 // and a thread sleeps, or is about to

	NodeShift = 6                                // of a position in a name
	ProcShift = segment.PositionBits - NodeShift // of the process, and one, in a name
)

const (
	placeBytes = uint64(unsafe.Sizeof(place{}))
	nodeBytes  = uint64(unsafe.Sizeof(node{}))
)

// nameOf returns the name of the node at a position of a process.
func nameOf(proc int, pos uint64) uint64 { return uint64(proc+1)<<ProcShift | pos>>NodeShift }

// locate returns the process and the position of the node that has a name.
func locate(name uint64) (proc int, pos uint64) {
	return int(name>>ProcShift) - 1, name << NodeShift & (1<<segment.PositionBits - 1)
}
