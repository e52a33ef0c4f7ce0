// Package sequence holds vectors and deques: bytes in a row that grow and shrink. A [Sequence]
// is one as its users see it, on any rank. [Perform] has the operations, which run on memory
// that is mapped. Both structures have a control block and one block of storage on the same
// rank, in the layouts that C programs know.
//
// A vector's bytes begin at the beginning of its storage. A deque's storage is a ring:
// its bytes begin anywhere and go on at the beginning when the end is reached, so that
// they may be in two stretches. Everything else is the same for both, and is written
// once, for a ring; that of a vector begins at 0 and never wraps.
//
// Operations take no lock: programs that change one object from several ranks at a time
// have to take turns.
package sequence
