// Package memory allocates shared memory of ARMCI: blocks of the heap of each process. The
// processes that allocate together exchange the addresses. Nothing is mapped, registered or
// announced for a block.
package memory
