// Package thread is the processes and the threads of DMI.
//
// The processes of a run have ids, which are their ranks. Process 0 takes part from the start. It keeps the states of all
// processes, and carries out what concerns several of them: it lets processes take part, reports their requests, and runs the
// phases of DMI_rescale, one at a time. A phase has two steps. First the processes make their threads, which wait. If all have
// made theirs, the threads run; otherwise they end, and nothing has run.
//
// Every process keeps its own threads. What concerns a thread is a request to its process; the answer to a join comes when the
// thread has ended. How a thread comes to be is a function of [Config]: a pthread for programs in C, a goroutine for programs
// in Go.
package thread
