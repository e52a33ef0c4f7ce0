// Package sequence holds vectors and deques: bytes in a row that grow and shrink. A [Sequence]
// is one of them as its users see it, on any rank. [Perform] carries out the operations, on
// memory that is mapped. Both structures have a control block and one block of storage on the
// same rank, in the layouts that C programs know.
//
// A vector's bytes begin at the beginning of its storage. A deque's storage is a ring: its
// bytes begin anywhere, and continue at the beginning of the storage when its end is reached.
// So they may lie in two parts, here called stretches. Everything else is the same for both,
// and is written once, for a ring; that of a vector begins at 0 and never wraps.
//
// Operations take no lock. While one rank changes a vector or deque, no other rank may use it.
package sequence
