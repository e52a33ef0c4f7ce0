// Package segment is the memory that one member of a run publishes.
//
// The owner makes a [Space]: one memfd with a header page, the starter memory, the heap and
// the table of registered memory. A peer on the same host maps a part of it with [Attach],
// and more of it later, and gets a [View]. The peer then reaches starter memory and heap by
// loads and stores, allocates in the heap, and finds in the table where in the owner's address
// space a registered region lies.
//
// Each member of a host has a [Slot]: addresses at which all processes of the host map its memory
// if they are free.
//
// Layout of the memfd, offsets in bytes:
//
//	0                   header page, not addressable by programs
//	StarterOffset       starter memory, zero at start
//	HeapOffset()        heap, sparse
//	MetadataOffset()    metadata of the heap, not addressable by programs, sparse
//	TableOffset()       table of registered regions, not addressable, sparse
//
// Positions below UserBase are offsets in the memfd. Positions from UserBase on
// name registered memory and are translated by the table.
package segment
