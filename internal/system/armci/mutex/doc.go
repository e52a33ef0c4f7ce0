// Package mutex has the mutexes of ARMCI: queue locks that work near and far.
//
// A mutex lies in the memory of its owner. Its first word names the last node in its queue. Each
// thread that holds or requests a mutex has a node in the memory of its process. The thread swaps
// its node into the word. If there was another node, it writes its node into that node as the
// next, and waits until its own node is granted the mutex. To unlock, a thread takes its node out
// of the word if it is the last node. Otherwise it waits for the next node, and grants it the
// mutex. So mutexes are granted in the order of the requests; a free mutex costs one atomic; and
// each thread waits for a change of its own node.
//
// Nodes of processes that share memory are changed directly, also by C (lib/armci/mutex.c). Other
// processes get notices. A thread that waits spins for a short time, and then parks at its node.
package mutex
