// Package heap is the allocator behind acp_malloc: the heap of one rank, in memory
// shared by all processes of its host, used by each of them without the help of the
// owner.
//
// The heap serves positions in a range of bytes that programs address. What the heap knows about
// them, its metadata, lies outside of the range, where copies and atomics cannot write. So a stray
// write damages the data of a program but not the heap, and Free recognises a wrong address.
//
// The range is divided into spans of 64 KiB. A span is free, part of a large block, or
// cut into equal blocks of one size class, with one bit for each block. One empty span
// may wait for blocks of its class until the heap is full. Spans above the highest ever
// used are untouched, so that a heap takes only the memory it needed at most; pages of
// large blocks go back to the system when they are freed.
//
// If the process has a memory limit, the heap gives out a block only if memory is left for it. See
// Room.
//
// One lock guards the metadata. A process holds it for some ten nanoseconds, and for a large block
// while it looks through the runs of free spans. The holder may be killed, so a process that waits
// for the lock asks from time to time whether the run is over.
package heap
