// Package mutex has the mutexes of ARMCI: queue locks that work near and far.
//
// A mutex lies in the memory of its owner. Its first word names the last node in its queue. Each
// thread that has or wants a mutex has a node, which lies in the memory of its process. The thread
// swaps its node into the word. If there was another node, it tells that one that it is the next,
// and waits until its own node is granted the mutex. To unlock, a thread takes its node out of the
// word if it is the last one. Otherwise it waits for the next node, and grants that the mutex. So
// mutexes are granted first come, first served; a free one costs one atomic; and each thread waits
// for a change of its own node.
//
// Nodes of processes that share memory are changed there, by C too (lib/armci/mutex.c). The others
// get notices. A thread that waits spins for a short time, and then parks at its node.
package mutex
