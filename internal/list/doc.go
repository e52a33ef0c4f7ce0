// Package list holds the operations on doubly linked lists, in the layout that C programs
// know: the control block is the sentinel of a ring, and it and every element may lie on
// different ranks.
//
// A [List] is one as its users see it, on any rank. [Perform] has the operations.
//
// An operation works on a Memory, whatever ranks it touches. What this process has
// mapped is loaded and stored directly. For the rest a Memory needs agents: one call
// brings a whole run of elements, and one stores, frees or copies many. A Memory without
// agents, which is what an agent itself has, since it may not wait for another one,
// reports am.ErrElsewhere instead, and then nothing has been changed: an operation
// first reads everything, then allocates, then writes, then frees. So an operation goes
// to the rank of the control block, which in most cases reaches everything, and is
// repeated by its caller with the help of all agents if not.
//
// Nothing in shared memory is trusted. Behind its three words a control block has a mark,
// so that a stale handle gives an error whatever its memory is used for now. Links are
// followed only to memory of a heap, an operation writes through a link only if both links
// between the two elements agree, the counter of the list bounds every walk, and none goes
// on at the control block of another list. A stale place whose memory is an element of
// another list by now, and neither its first nor its last, is what remains undetected.
//
// Operations take no lock: programs that change one list from several ranks at a time
// have to take turns.
package list
