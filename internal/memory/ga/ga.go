package ga

import "github.com/goacp/goacp/internal/memory/maptable"

// Null is the global address of nothing.
const Null uint64 = 0

// MaxPos is the greatest position.
const MaxPos = 1<<maptable.RankShift - 1

// Make returns the address of a position of a rank.
func Make(rank int, pos uint64) uint64 { return uint64(rank)<<maptable.RankShift | pos }

// Rank returns the rank of an address, which may be one that the run does not have.
func Rank(ga uint64) int { return int(ga >> maptable.RankShift) }

// Pos returns the position of an address.
func Pos(ga uint64) uint64 { return ga & MaxPos }

// Span is a range of bytes in the memory of some rank.
type Span struct {
	GA uint64
	N  uint64 // bytes
}
