// Package heapview gives data structures the memory on which they work: the global heap of one
// rank, reached by plain loads and stores.
//
// An [View] is that heap as one process has mapped it. The rank and every other process of its
// host that uses the heap have one. It allocates and frees blocks, and checks every address
// before it becomes a pointer. Addresses are global addresses as in package acp, of type uint64.
package heapview
