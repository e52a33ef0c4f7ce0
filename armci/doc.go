// Package armci moves data between the memories of processes without the help of the process whose
// memory it is: contiguous, strided and vector transfers, accumulates, atomics and mutexes. It is the
// ARMCI API for programs in Go.
//
// A [World] is the set of processes that use ARMCI together. They are numbered from 0; such a number is
// called a proc. They allocate [Memory] together. A [Remote] is a slice in the memory of one process
// that every process can read and write:
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
// [PutVector], [GetVector] and [AccVector] move a list of pieces, [Scatter] and [Gather] single
// elements.
//
// All transfers have an [Issuer] as their first argument. With a World they return when the memory of
// the caller may be used again. With a [Handle] they only begin, and Handle.Wait waits.
//
// A [Group] is some of the processes, in any order. They allocate memory together, and call collective
// functions: [Broadcast], [Reduce], [Select] and [Exchange]. [Send] and [Recv] carry messages.
//
// The processes may be programs in C that use libarmci, with the same world, memory, mutexes, groups and
// messages. Programs in Go have to import this package; otherwise their processes are not in the world.
//
// # Order and visibility
//
// A blocking transfer to a process takes effect after all earlier blocking transfers of the same
// goroutine to the same process that touch the same elements. Transfers to different processes are not
// ordered. Transfers of a Handle are not ordered until Wait of the Handle has returned.
//
// When a put or an accumulate returns, its data may still be in flight. It has arrived after
// [World.Fence] or [World.Barrier] of the caller, and before a later [SetFlag], [World.Notify] or
// [Mutexes.Unlock] takes effect. Plain loads and stores of an owner need nothing else.
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
// writes outside of the memory that its arguments name. If the owner cannot execute a store after the
// call has returned, the next Fence, AllFence, Barrier or Close of the issuing process returns the
// error.
package armci
