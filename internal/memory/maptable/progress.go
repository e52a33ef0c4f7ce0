package maptable

import (
	"encoding/binary"
	"unsafe"
)

// Progress is how far a process has got, as readers of its table see it.
type Progress struct {
	Issued   uint64 // copies and atomics that it has issued
	Pending  uint64 // those that are in flight
	Barriers uint64 // barriers that it has begun
	Rank     int    // its rank now
}

// ProgressSize is how many bytes ProgressOf needs.
const ProgressSize = int(unsafe.Sizeof(Table{}))

// ProgressOf returns the counters in the first ProgressSize bytes of the table of another process,
// and the zero Progress if they are fewer.
func ProgressOf(table []byte) Progress {
	if len(table) < ProgressSize {
		return Progress{}
	}
	// Not as a Table: its pointers are those of another process.
	at := func(offset uintptr) uint64 { return binary.NativeEndian.Uint64(table[offset:]) }
	var t Table
	return Progress{
		Issued: at(unsafe.Offsetof(t.Issued)), Pending: at(unsafe.Offsetof(t.Pending)),
		Barriers: at(unsafe.Offsetof(t.Barrier) + unsafe.Offsetof(t.Barrier.Count)),
		Rank:     int(uint32(at(unsafe.Offsetof(t.Rank)))),
	}
}
