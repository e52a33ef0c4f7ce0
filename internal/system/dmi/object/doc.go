// Package object has the objects of DMI: barriers with reduction, mutexes, condition variables, spin locks, pools of
// numbers and read-write-sets, for the threads of all processes of a run.
//
// An object is some bytes of a page of global memory. Only built-in operations change it ([Builtin]): pure functions
// that a process with the bytes of the page runs, under the lock of the page. An object has a mark for its kind, and
// memory that is all zero has none. So an operation notices an address that has no object, or one of another kind.
//
// A thread that has to wait has a slot ([Slot]), and the object, or the thread before it in a queue, has the number
// of the slot. The thread that ends the wait sends one signal to it. A slot keeps a signal that comes before the wait. If the
// run is over, all waits end with an error.
//
// A queue keeps its first threads in the object. Each later thread is chained: it sends its place to the one before it
// (queue.go). So a queue has no greatest length, and a thread that ends its wait has to do at most one thing for the
// others. If the context of a caller ends while its thread is in a queue or has arrived at a barrier, a goroutine
// does that in its place.
package object
