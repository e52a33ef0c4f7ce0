// Package armci moves data between the memories of processes without the help of the process whose
// memory it is: contiguous, strided and vector transfers, accumulates, atomics and mutexes. It is the
// ARMCI API for programs in Go.
//
// A [World] is the processes that use ARMCI together. They are numbered from 0; such a number is called
// a proc. They allocate [Memory] together. A [Remote] is a slice in the memory of one process, that
// every process reads and writes:
//
//	w, err := armci.Open(p, armci.Config{})
//	m, err := armci.Malloc[float64](w, 1000)      // 1000 numbers on this process
//	err = armci.Put(w, m.On(3), []float64{1, 2})  // to the first two of process 3
//	err = armci.Acc(w, 0.5, m.On(3), row)         // m[i] += 0.5 * row[i], of process 3
//	err = w.Barrier()
//	fmt.Println(m.Local()[0])
//	err = w.Close()
//
// A [Section] and a [RemoteSection] are elements of a slice that form an array of up to eight
// dimensions, with any strides. [PutSection], [GetSection] and [AccSection] move them in one call.
// [PutVector] and its kin move a list of pieces, [Scatter] and [Gather] single elements.
//
// All transfers have an [Issuer] as their first argument. With a World they return when the memory of
// the caller may be used again. With a [Handle] they only begin, and Handle.Wait waits.
//
// A [Group] is some of the processes, in any order. They allocate memory together, and call collective
// functions: [Broadcast], [Reduce], [Select] and [Exchange]. [Send] and [Recv] carry messages.
//
// The processes may be programs in C that use libarmci, with the same world, memory, mutexes, groups and
// messages. Those
// in Go all import this package, or are not in the world.
//
// # Order and visibility
//
// A blocking transfer to a process takes effect after all blocking ones that the same goroutine has
// issued to the same process before, as far as they touch the same elements. Transfers to different
// processes are not ordered, and those that a Handle has begun are not until it has been waited for.
//
// A put or an accumulate is on the way when it returns. The owner and other processes know that it has
// arrived after [World.Fence] or [World.Barrier] of the caller, or by [SetFlag], [World.Notify] or
// [Mutexes.Unlock], which come behind it. Plain loads and stores of an owner need nothing else.
//
// Accumulates of one type lose nothing, from any process: each number, and each part of a complex
// one, is changed as a whole. They are not atomic against puts and against [FetchAdd] and [Swap].
//
// # Memory
//
// Memory comes from the heap of each process, whose size is acp.Config.HeapSize or the option
// -startermemsize-dl of the launchers. acp.UnlimitedHeap lets it grow to the memory of the host.
//
// # Errors
//
// Functions fail with an [*OpError]. Arguments are checked before anything moves, so no call reads or
// writes outside of the memory that its arguments name. A store that its owner could not carry out
// after the call has returned is an error of the next Fence, AllFence, Barrier or Close of the process
// that has issued it.
package armci
