// Package mutex has the mutexes of ARMCI: queue locks that work near and far.
//
// A mutex is one word in the memory of its owner: the last process in the queue, or none. A process
// that locks it swaps itself into the word. If another process was there, it tells that one that
// it waits, by a notice, and sleeps until a notice grants the mutex. A process that unlocks it
// takes itself out of the word if it is the last, and otherwise grants the mutex to the process
// behind it. So a free mutex costs one atomic, and nothing is asked again and again.
//
// Threads of one process queue in the process: it is in the queue of a mutex at most once.
package mutex
