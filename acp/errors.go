package acp

import (
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/heap"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/process/collective"
	"github.com/goacp/goacp/internal/structure/channel"
	"github.com/goacp/goacp/internal/structure/segbuf"
)

// Errors that callers may test for with errors.Is.
var (
	// ErrPeerDead: another rank has died or the run has been ended.
	ErrPeerDead = fabric.ErrPeerDead
	// ErrFinalized: the Process has been finalized or never was initialised.
	ErrFinalized = global.ErrFinalized
	// ErrMisaligned: the address of an atomic is no multiple of its width.
	ErrMisaligned = errors.New("misaligned address")
	// ErrBadRank: a rank that the run does not have.
	ErrBadRank = global.ErrBadRank
	// ErrRankGone: a rank that has left or is lost, and the run goes on.
	ErrRankGone = global.ErrRankGone
	// ErrLeft: this rank has left its epoch, and may only call Finalize.
	ErrLeft = errors.New("this rank has left the run")
	// ErrStays: a rank that cannot leave its epoch, at least not now.
	ErrStays = errors.New("the rank cannot leave")
	// ErrGuests: guests have attached to the run, which use memory by the numbers of its ranks.
	ErrGuests = collective.ErrGuests
	// ErrFixed: the number of the ranks of the run is fixed.
	ErrFixed = errors.New("the ranks of the run are fixed")
	// ErrBadAddress: a null GA, or one that names no memory of its rank.
	ErrBadAddress = global.ErrBadAddress
	// ErrBadColor: a color that is not in 0 … Colors-1.
	ErrBadColor = errors.New("no such color")
	// ErrBadKey: a key that is null, unregistered, or of another process.
	ErrBadKey = segment.ErrUnknownKey
	// ErrNotLocal: the result of an atomic must be memory of the calling rank.
	ErrNotLocal = errors.New("not memory of the calling rank")
	// ErrBadSize: a size that is not possible, such as that of an empty key.
	ErrBadSize = global.ErrBadSize
	// ErrOutOfRange: bytes outside of the accessed object.
	ErrOutOfRange = global.ErrOutOfRange
	// ErrBadIterator: an iterator of another structure, or of no element.
	ErrBadIterator = am.ErrBadIterator
	// ErrDestroyed: the structure has been destroyed, by its Destroy or by Reset.
	ErrDestroyed = global.ErrDestroyed
	// ErrNotConnected: the other end is not there yet.
	ErrNotConnected = segbuf.ErrNotConnected
	// ErrConnected: this end is connected; Disconnect comes first.
	ErrConnected = segbuf.ErrConnected
	// ErrDisconnected: this end has been disconnected.
	ErrDisconnected = segbuf.ErrDisconnected
	// ErrFull: no segment is free.
	ErrFull = segbuf.ErrFull
	// ErrEmpty: there is no element, or no published segment.
	ErrEmpty = global.ErrEmpty
	// ErrDisagree: the ranks have called a collective function in different ways.
	ErrDisagree = collective.ErrDisagree
	// ErrHeapFull: the heap of the rank has no room for the block.
	ErrHeapFull = heap.ErrFull
	// ErrNotAllocated: the address is not that of a block which Malloc has returned and
	// which is in use.
	ErrNotAllocated = heap.ErrNotAllocated
	// ErrHeapDamaged: the metadata of a heap contradicts itself because a process of the run has overwritten
	// it.
	ErrHeapDamaged = heap.ErrDamaged
	// ErrNotEndpoint: the operation is for another rank, or for the other end of the channel or segmented
	// buffer.
	ErrNotEndpoint = global.ErrNotEndpoint
	// ErrClosed: this end of the channel is closed or closing, or the sender has closed its
	// end and no message is left.
	ErrClosed = channel.ErrFreed
	// ErrNoRequest: no request that may be waited for has this handle.
	ErrNoRequest = channel.ErrNoRequest
	// ErrProtocol: another rank has sent or written data that this version of the library never sends or
	// writes.
	ErrProtocol = global.ErrProtocol
	// ErrUnreadable: the memory of a message was not readable, or not writable at its receiver, when the library copied it.
	ErrUnreadable = channel.ErrUnreadable
	// ErrNotPermutation: the ranks passed to Reset are not 0 … Procs-1, each once.
	ErrNotPermutation = collective.ErrNotPermutation
)

// OpError is the error of a call. All functions and methods of this package fail with one, or with several
// joined, except functions that read a configuration.
type OpError struct {
	Op   string // "copy", "add8", "register" …
	Rank Rank   // the calling rank; -1 before it has one
	Dst  GA     // null if the operation has none
	Src  GA     // null if the operation has none
	Size uint64 // bytes
	Err  error  // the cause

	// Fabric is the fabric that reported the failure: "shm", "tcp" or "rma". It is empty if
	// the call failed without one: in this process, in the operation at the owner, or because
	// the run is over.
	Fabric string

	Operands []uint64 // of an atomic, as they were passed
	Order    Handle   // of a copy or an atomic
}

// Error implements the error interface, for example
// "acp: add8 of 8 bytes at 0x500000001040 (rank 5) by rank 2 over tcp: peer died".
func (e *OpError) Error() string {
	s := "acp: " + e.Op
	switch at := max(e.Dst, e.Src); {
	case e.Size == 0 && at != NullGA && min(e.Dst, e.Src) == NullGA:
		s += fmt.Sprintf(" at %v (rank %d)", at, at.rank())
	case e.Dst != NullGA && e.Src != NullGA:
		s += fmt.Sprintf(" of %d bytes from %v (rank %d) to %v (rank %d)", e.Size, e.Src, e.Src.rank(), e.Dst, e.Dst.rank())
	case e.Src != NullGA:
		s += fmt.Sprintf(" of %d bytes at %v (rank %d)", e.Size, e.Src, e.Src.rank())
	case e.Dst != NullGA:
		s += fmt.Sprintf(" of %d bytes to %v (rank %d)", e.Size, e.Dst, e.Dst.rank())
	case e.Size != 0:
		s += fmt.Sprintf(" of %d bytes", e.Size)
	}
	if e.Rank >= 0 {
		s += fmt.Sprintf(" by rank %d", e.Rank)
	}
	if e.Fabric != "" {
		s += " over " + e.Fabric
	}
	return fmt.Sprintf("%s: %v", s, e.Err)
}

// Unwrap returns the cause.
func (e *OpError) Unwrap() error { return e.Err }

// lifeError is the error of an operation that concerns no address.
func (p *Process) lifeError(op string, err error) error {
	if err == nil {
		return nil
	}
	return p.fail(&OpError{Op: op, Rank: p.Rank(), Err: err})
}

// fabricOf returns the name of the fabric that has reported err, or "".
func fabricOf(err error) string {
	var over *fabric.OverError
	if errors.As(err, &over) {
		return over.Fabric
	}
	return ""
}

// cause returns the error of a transport or an operation as one of this package.
func cause(err error) error { return global.Cause(err) }
