// Package heap is the allocator behind acp_malloc: the heap of one rank, in memory
// shared by all processes of its host, used by each of them without the help of the
// owner.
//
// The heap serves positions in a range of bytes that programs address. What it knows
// about them, its books, lies apart from the range, where programs cannot reach it:
// a stray write damages a program's data but not the heap, and a wrong address passed
// to Free is recognised.
//
// The range is divided into spans of 64 KiB. A span is free, part of a large block, or
// cut into equal blocks of one size class, with one bit for each block. One empty span
// may wait for blocks of its class until the heap is full. Spans above the highest ever
// used are untouched, so that a heap takes only the memory it needed at most; pages of
// large blocks go back to the system when they are freed.
//
// Where a memory limit is known, no block is given out for which no memory is left. See
// Room.
//
// One lock guards the books. It is held for some ten nanoseconds, and for a large
// block as long as it takes to look at the runs of free spans. The holder may be
// killed: those who wait for the lock ask from time to time whether the run is over.
package heap
