package heap

import (
	"unsafe"

	"github.com/goacp/goacp/internal/ground/futex"
)

// metadata is the shared state of a heap. All-zero memory is the metadata of an empty heap.
// Spans are counted from 1; 0 is none. The spans follow.
//
//goacp:c goacp_heap_metadata
type metadata struct {
	lock futex.Mutex
	_    [60]byte

	top    uint32             // spans below are or were in use
	free   uint32             // first of the free runs
	open   [classCount]uint32 // by class: first span with a free block
	blocks uint64             // in use
	bytes  uint64             // in use, as rounded up

	taken   uint64 // spans in use
	granted uint64 // spans that may be in use before a limited process looks again
}

// spanKind is the use of a span.
type spanKind uint32

//goacp:c GOACP_
const (
	spanInner spanKind = iota // the inside of a run or of a large block, or untouched
	spanFree                  // first or last of a run of free spans
	spanLarge                 // first of a large block
	spanSmall                 // blocks of one class
)

// span describes 64 KiB. The first and the last span of a free run both know its
// length, so that neighbours are joined without a search.
//
//goacp:c goacp_span
type span struct {
	kind   spanKind
	class  uint32 // small
	length uint32 // large, free: spans of the block or run
	used   uint32 // small: blocks in use
	next   uint32 // free, or small with a free block: next in the list
	prev   uint32
	hint   uint32 // small: no free block below this word of the map
	_      uint32
	// small: one bit for each block in use; zero in all other spans
	inUse [mapWords]uint64
}

// become gives the span another use. No block of it is in use, so its map is zero already.
func (s *span) become(kind spanKind, class, length uint32) {
	s.kind, s.class, s.length = kind, class, length
	s.used, s.next, s.prev, s.hint = 0, 0, 0, 0
}

// MetadataSize returns the bytes of the metadata of a heap of size bytes, a multiple of
// Unit.
func MetadataSize(size uint64) uint64 {
	return uint64(unsafe.Sizeof(metadata{})) + size>>spanShift*uint64(unsafe.Sizeof(span{}))
}

// Unit is what the position and the size of a heap must be a multiple of.
const Unit = spanSize
