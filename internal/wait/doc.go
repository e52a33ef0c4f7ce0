// Package wait is how the threads of a program wait inside the library: they spin for a
// short time, and then they park.
//
// Spin looks at memory that another process changes. A Cond is for what this process itself
// completes, such as operations in flight: while a thread spins on it, the thread makes the
// fabrics progress. A Budget says how long threads may spin, and how long the agent may poll
// for requests of other ranks in place of parking. It counts the threads that are parked:
// only while one is, the agent may take its processor. A rank may spin if every rank of its
// host has a processor; Processors and Suffice tell.
package wait
