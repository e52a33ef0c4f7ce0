package fabric

import "unsafe"

// Limits of a Series. With a position of 8 bytes for each item, the request of the largest one is no longer than that of
// a Call.
const (
	SeriesItems = 240 // items at most
	SeriesBytes = 256 // bytes that one item moves at most
)

// SeriesKind is what each item of a Series is.
type SeriesKind uint8

// The kinds of series.
const (
	SeriesPut SeriesKind = iota + 1
	SeriesGet
	SeriesAtomic
	seriesEnd
)

// Series is several small operations on the memory of one member that differ in nothing but addresses and values. A
// Messenger carries them out by one request. The owner carries the items out one after the other, each whether or
// not others have failed.
type Series struct {
	Kind SeriesKind
	Op   Op     // of atomics
	Size uint64 // bytes that each item moves; of atomics the width

	Items []Item
	Data  []byte // of puts of more than WordMax bytes: those of all items, one after the other

	// Failed has the items that have failed, if the Completion of the series gets no error. An item may be there twice.
	Failed []ItemError
}

// Item is one operation of a Series.
type Item struct {
	Pos uint64 // position in the memory of the owner

	Addr unsafe.Pointer // of a get: where it stores; nil: its bytes are dropped

	// Word has the bytes of a put of up to WordMax bytes, as they lie in memory. Of an atomic it is the operand, and
	// afterwards the value found.
	Word    uint64
	Compare uint64 // OpCas only
}

// ItemError is the failure of an item of a Series.
type ItemError struct {
	Index int // in Items
	Err   error
}

// MayHave reports whether a series of this kind and size may have n items. It does not look at the items.
func (s *Series) MayHave(n int) bool {
	if s.Kind == 0 || s.Kind >= seriesEnd || n <= 0 || n > SeriesItems || s.Size == 0 || s.Size > SeriesBytes {
		return false
	}
	return s.Kind != SeriesAtomic || Atomic{Op: s.Op, Width: uint8(s.Size)}.Valid(0)
}

// Atomic returns the atomic with these operands.
func (s *Series) Atomic(operand, compare uint64) Atomic {
	return Atomic{Op: s.Op, Width: uint8(s.Size), Operand: operand, Compare: compare}
}

// Fail records that an item has failed.
func (s *Series) Fail(index int, err error) { s.Failed = append(s.Failed, ItemError{index, err}) }
