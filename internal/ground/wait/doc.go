// Package wait lets the threads of a program wait inside the library: they spin for a short
// time, and then they park.
//
// Spin checks memory that another process changes. A Cond is for operations that this process
// itself completes: while a thread spins on it, the thread makes the fabrics progress. A
// Budget says how long threads may spin, and how long the agent may poll for requests of other
// ranks before it parks. The Budget counts the parked threads: the agent may take a processor
// only while one of them is parked.
//
// A thread may spin while each rank that is awake has a processor, of the ranks that share processors
// with its own. Processors and Sharers find out which ranks these are, and a Load says how many of
// them are awake.
package wait
