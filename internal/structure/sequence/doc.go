// Package sequence holds vectors and deques: sequences of bytes that grow and shrink. A [Sequence] is a
// handle of one of them on any rank. [Perform] carries out the operations on mapped memory. Both structures
// have a control block and one block of storage on the same rank, in the layouts of C programs.
//
// A vector's bytes begin at the beginning of its storage. A deque's storage is a ring: its bytes begin
// anywhere, and continue at the beginning of the storage when its end is reached. So they may lie in two
// parts, here called stretches. The code for both is the same and treats the storage as a ring; the ring of a
// vector begins at 0 and never wraps.
//
// Operations take no lock. While one rank changes a vector or deque, no other rank may use it.
package sequence
