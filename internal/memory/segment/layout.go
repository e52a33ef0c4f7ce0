package segment

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/internal/memory/heap"
	"github.com/goacp/goacp/internal/memory/mailbox"
)

//goacp:c GOACP_
const (
	// PageSize is the unit in which regions get positions. It is a property of the format,
	// not of the machine: mappings are aligned to it or to more.
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

	// leafSize is how many regions a leaf of the table holds.
	leafSize = 256

	// maxLeaves is how many leaves the table has at most. Two neighbours together have more than
	// leafSize regions. While a leaf is split, there is one more.
	maxLeaves = 2*(maxEntries/(leafSize+1)) + 2
)

// maxPart keeps the library's memory below UserBase.
const maxPart = UserBase / 4

// Layout says how large the parts of a space are. The heap takes address space for
// all of it and memory for what is in use.
type Layout struct {
	Starter uint64 // bytes of starter memory
	Heap    uint64 // bytes of the heap, a multiple of heap.Unit
}

// Check returns an error if a space cannot have this layout.
func (l Layout) Check() error {
	switch {
	case l.Starter > maxPart:
		return fmt.Errorf("starter memory of %d bytes: at most %d are possible", l.Starter, uint64(maxPart))
	case l.Heap > maxPart || l.Heap%heap.Unit != 0:
		return fmt.Errorf("heap of %d bytes: it must be a multiple of %d, at most %d", l.Heap, heap.Unit, uint64(maxPart))
	}
	return nil
}

// HeapOffset returns the position of the first byte of the heap. At least a page lies
// between it and starter memory, so that no access runs from one into the other.
func (l Layout) HeapOffset() uint64 {
	return roundUp(StarterOffset+l.Starter+PageSize, heap.Unit)
}

// MetadataOffset returns where the metadata of the heap lies.
func (l Layout) MetadataOffset() uint64 { return l.HeapOffset() + l.Heap }

// TableOffset returns where the table of registered memory lies. As the parts before it,
// it begins at a multiple of every page size, so that each can be mapped by itself.
func (l Layout) TableOffset() uint64 {
	return roundUp(l.MetadataOffset()+heap.MetadataSize(l.Heap), heap.Unit)
}

// MapSize returns the bytes of address space of the whole. Most of it is never
// touched.
func (l Layout) MapSize() uint64 { return l.TableOffset() + tableSize(maxLeaves) }

// MaxHeap returns the bytes of the greatest heap that a space of size bytes has beside so much
// starter memory.
func MaxHeap(starter, size uint64) uint64 {
	// Without a heap, and what precedes the table is rounded up.
	rest := Layout{Starter: starter}.MapSize() + heap.Unit
	perUnit := heap.Unit + heap.MetadataSize(heap.Unit) - heap.MetadataSize(0)
	return min((size-min(size, rest))/perUnit*heap.Unit, maxPart)
}

// large reports whether the limit of the heap is so high that it may be beyond the memory of the
// host.
func (l Layout) large() bool { return l.Heap > 1<<30 }

// Contains reports whether the n bytes at position pos lie in starter memory or in
// the heap. No bytes at the very end of either lie in it too.
func (l Layout) Contains(pos, n uint64) bool {
	return within(pos, n, StarterOffset, l.Starter) || within(pos, n, l.HeapOffset(), l.Heap)
}

func within(pos, n, from, size uint64) bool {
	off := pos - from
	return pos >= from && off <= size && n <= size-off
}

// header is the first page of every space. The members that map it share it, so
// its layout is part of the format: fields may be added at the end only together
// with a new version.
type header struct {
	magic   uint64
	version uint32
	member  uint32
	run     [16]byte
	self    uint64 // address of this header in the owner's process
	layout  Layout
	_       [8]byte

	// Barrier of the members on this host, counted in the space of the lowest of
	// them. Arrivals and the release are on different cache lines, so that a member which
	// arrives does not disturb those that wait.
	arrived  uint32
	_        [60]byte
	released uint32
	sleepers uint32 // read after released was written
	_        [56]byte

	// How others on this host wake the owner; see Notifier.
	events  uint32
	pending uint64
	queue   uint64
	_       [40]byte

	// The sums of the marks of the members on this host; see Barrier. Most barriers only read
	// them, so they share no cache line with words that every barrier changes.
	marks [2]uint64
	_     [48]byte

	awake uint32 // see Space.Awake
	_     [60]byte

	pool poolRecord // see Pool
	_    [88]byte

	mail mailbox.Box // requests of members on this host
}

const (
	headerMagic   = 0x3130504341 // "ACP01"
	headerVersion = 10
)

// mailboxOffset is the position of the mailbox of a rank.
//
//goacp:c GOACP_
const mailboxOffset = unsafe.Offsetof(header{}.mail)

// The header must fit in its page, and the slots of the mailbox in as few cache lines as possible.
var (
	_ [PageSize - unsafe.Sizeof(header{})]byte
	_ [-(mailboxOffset % 64)]byte
)

// tableHeader precedes the index and the leaves of the table. seq is odd while the owner
// changes the table. Peers write only underWay.
//
//goacp:c goacp_regions
type tableHeader struct {
	seq      uint32
	leaves   uint32 // in the index
	epoch    uint32
	made     uint32 // leaves that have been in use at a time, the greatest number ever
	_        [16]byte
	underWay [2]uint32 // accesses, by the lowest bit of the epoch in which they began
	_        [24]byte
}

// leaf is an element of the index, which has maxLeaves of them: a group of regions. The leaves in
// use are sorted by first, and none is empty. Each has room for leafSize entries, from a multiple of
// leafSize on. Its entries are anywhere in this room, so that they can begin later when the first one
// goes.
//
//goacp:c goacp_leaf
type leaf struct {
	first uint64 // first position of its first region
	at    uint32 // index of its first entry, among those of all leaves
	count uint32 // of its entries
}

// entry is one region of registered memory. The entries of a leaf are sorted by pos. Regions do not
// overlap.
//
//goacp:c goacp_region
type entry struct {
	pos  uint64 // first position
	size uint64 // bytes
	addr uint64 // address of the first byte in the owner's process
}

// entriesAt is how many bytes behind its header the entries of a table begin.
const entriesAt = unsafe.Sizeof(tableHeader{}) + maxLeaves*unsafe.Sizeof(leaf{})

// tableSize returns the bytes of a table of so many leaves.
func tableSize(leaves uint32) uint64 {
	return uint64(entriesAt + uintptr(leaves)*leafSize*unsafe.Sizeof(entry{}))
}

func roundUp(n, unit uint64) uint64 { return (n + unit - 1) &^ (unit - 1) }

// ErrTableFull says that a process has translated more separate regions than the
// table holds.
var ErrTableFull = errors.New("too many registered regions")
