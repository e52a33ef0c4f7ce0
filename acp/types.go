package acp

import (
	"fmt"

	"github.com/goacp/goacp/internal/access/gma"
	"github.com/goacp/goacp/internal/memory/maptable"
)

// Rank is the number of a process in the run, 0 … Procs-1. It is not the rank of
// that process in any MPI communicator.
type Rank int

// GA is a global address: the rank in the upper 20 bits, the position in that
// rank's memory in the lower 44. Integer arithmetic is meaningful inside one
// region.
type GA uint64

// NullGA is the global address of nothing.
const NullGA GA = 0

// MaxProcs is the greatest number of ranks that global addresses can distinguish.
const MaxProcs = 1 << (64 - maptable.RankShift)

const posMask = 1<<maptable.RankShift - 1

func makeGA(r Rank, pos uint64) GA { return GA(uint64(r)<<maptable.RankShift | pos) }

func (g GA) rank() Rank  { return Rank(g >> maptable.RankShift) }
func (g GA) pos() uint64 { return uint64(g) & posMask }

// String returns the address in hexadecimal.
func (g GA) String() string { return fmt.Sprintf("%#x", uint64(g)) }

// Handle identifies a GMA of this process. Handles are given out in ascending
// order, never twice.
type Handle uint64

// The special handles.
const (
	HandleNull = Handle(gma.None) // no GMA; as an order: start at once
	HandleAll  = Handle(gma.All)  // all GMAs issued so far
	HandleCont = Handle(gma.Cont) // as an order: like the GMA before, which may not be overtaken
)

// Key names registered memory of this process. It is never NullKey.
type Key uint64

// NullKey is the key of no memory.
const NullKey Key = 0

// Color selects the network path of registered memory, 0 … Colors-1.
type Color int
