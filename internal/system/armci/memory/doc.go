// Package memory allocates shared memory of ARMCI: blocks of the heap of each process, whose
// addresses the processes that allocate together tell each other. Nothing is mapped, registered or
// announced for a block.
package memory
