package segment

import (
	"errors"
	"fmt"
	"unsafe"
)

const (
	// PageSize is the unit in which positions are given out. It is a property of
	// the format, not of the machine: mappings are aligned to it or more.
	PageSize = 4096

	// StarterOffset is the position of the first byte of starter memory.
	StarterOffset = PageSize

	// PositionBits is the width of a position. A rank takes the bits above it.
	PositionBits = 44

	// UserBase is the first position that registered user memory may have.
	UserBase = 1 << 40

	// UserEnd is the end of the positions.
	UserEnd = 1 << PositionBits

	// maxEntries is how many separate regions can be translated at a time.
	maxEntries = 1 << 20

	// maxStarter keeps the library's memory below UserBase.
	maxStarter = UserBase / 2
)

// header is the first page of every space. The members that map it share it, so
// its layout is part of the format: fields may be added at the end only together
// with a new version.
type header struct {
	magic       uint64
	version     uint32
	member      uint32
	run         [16]byte
	self        uint64 // address of this header in the owner's process
	starterSize uint64
	_           [16]byte

	// Barrier of the members on this host, counted in the space of the lowest of
	// them. Each word has a cache line of its own.
	arrived  uint32
	_        [60]byte
	released uint32
	_        [60]byte
}

const (
	headerMagic   = 0x3130504341 // "ACP01"
	headerVersion = 1
)

// The header must fit in its page.
var _ [PageSize - unsafe.Sizeof(header{})]byte

// tableHeader precedes the entries of the table. seq is odd while the owner
// changes the table.
type tableHeader struct {
	seq   uint32
	count uint32
	_     [56]byte
}

// entry is one region of registered memory. Entries are sorted by pos and do not
// overlap.
type entry struct {
	pos  uint64 // first position
	size uint64 // bytes
	addr uint64 // address of the first byte in the owner's process
}

const tableBytes = unsafe.Sizeof(tableHeader{}) + maxEntries*unsafe.Sizeof(entry{})

// TableOffset returns where the table lies in a space with the given number of
// bytes of starter memory.
func TableOffset(starterSize uint64) uint64 {
	return roundUp(StarterOffset+starterSize, PageSize)
}

// MapSize returns the bytes of address space that a space with the given number
// of bytes of starter memory takes. Most of it is never touched.
func MapSize(starterSize uint64) uint64 {
	return TableOffset(starterSize) + uint64(tableBytes)
}

// InStarter reports whether the n bytes at position pos lie in starter memory of
// size bytes. No bytes at its very end lie in it too.
func InStarter(pos, n, size uint64) bool {
	off := pos - StarterOffset
	return pos >= StarterOffset && off <= size && n <= size-off
}

func roundUp(n, unit uint64) uint64 { return (n + unit - 1) &^ (unit - 1) }

func checkStarterSize(n uint64) error {
	if n > maxStarter {
		return fmt.Errorf("starter memory of %d bytes: at most %d are possible", n, uint64(maxStarter))
	}
	return nil
}

// ErrTableFull says that a process has translated more separate regions than the
// table holds.
var ErrTableFull = errors.New("too many registered regions")
