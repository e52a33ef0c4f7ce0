// Package list holds the operations on doubly linked lists, in the layout of C programs: the control block is
// the sentinel of a ring. The control block and every element may lie on different ranks.
//
// A [List] is a handle of a list on any rank. [Perform] carries out the operations.
//
// An operation works on the [Heaps] of all ranks that it touches. It loads and stores memory that this
// process has mapped. For other memory it needs agents: one call reads a whole run of elements; another
// stores, frees or copies many. An agent may not wait for another one, so the Heaps of an operation that it
// runs are without agents. If such an operation needs other memory, it fails with am.ErrElsewhere and has
// changed nothing: an operation first does all its reads, then allocates, then writes, then frees.
//
// So the caller sends an operation to the rank of the control block, which in most cases has mapped all
// memory that the operation needs. Otherwise the caller runs the operation again itself, with the help of all
// agents.
//
// The library does not trust shared memory. Behind its three words a control block has a mark, so a stale
// handle gives an error, even if its memory has another use now. Operations follow links only to memory of a
// heap. They write through a link only if both links between the two elements agree. The counter of the list
// bounds every walk, and no walk continues at the control block of another list. One mistake is not detected:
// an iterator of an erased element whose memory is now an element in the middle of another list.
//
// Operations take no lock. While one rank changes a list, no other rank may use it.
package list
