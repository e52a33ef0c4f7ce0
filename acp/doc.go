// Package acp is the Advanced Communication Primitives library, specification
// 2.1: one address space over all processes of a run, one-sided copies between
// any two of them, and atomics on any of them.
//
// # Simplest use
//
//	p, err := acp.Init(ctx)
//	…
//	next := acp.Rank((int(p.Rank()) + 1) % p.Procs())
//	dst, err := p.StarterGA(next)
//	src, err := p.StarterGA(p.Rank())
//	h, err := p.Copy(dst, src, 8, acp.HandleNull)
//	err = p.Complete(h)
//	err = p.Sync()
//	err = p.Finalize()
//
// Programs are started by acprun, by macprun together with MPI jobs, by mpirun
// alone, or on their own, which makes a run of one process.
//
// # Vocabulary
//
//   - rank: number of a process in the run, 0 … Procs-1.
//   - global address (GA): 64 bits that name a byte of any rank. Adding n to a GA
//     names the byte n further in the same region. 0 is null.
//   - starter memory: memory that every rank has from the start, zero at first,
//     the same way addressable by all.
//   - registered memory: memory of the program that a rank has announced; its key
//     translates addresses to GAs.
//   - GMA: global memory access, one copy or one atomic. Every GMA has a handle.
//
// # Operations
//
// Copy moves bytes from one GA to another; either may be on any rank, also both on other ranks than the
// caller's. The atomics, in 4 and 8 bytes, replace the integer x at src and write the value it had before to
// dst in memory of the caller:
//
//	Add:   x = x + value, modulo 2^32 or 2^64
//	Cas:   if x == old { x = new }
//	Swap:  x = value
//	And:   x = x & value
//	Or:    x = x | value
//	Xor:   x = x ^ value
//
// They are atomic with respect to each other and to CPU atomics of the same width
// which the owner executes on that memory.
//
// # Structures
//
// Malloc allocates memory on any rank. On top of it there are structures that any rank uses without the help
// of the ranks that hold them: Vector, Deque and List, Set, Multiset and Map, Workspace, and Channel and
// SegBuf between two ranks. Structures with a type parameter hold Go values. They are built on ByteVector,
// ByteMap and so on, which hold bytes; C programs share these with Go programs. Sender and Receiver are the
// ends of a Channel that carries Go values.
//
// A verb means the same for all of them: New makes a structure, and a function such as MapAt returns a
// structure that another rank has made, by its Address. Destroy frees a structure for all ranks, Close gives
// up this rank's end of a Channel or SegBuf. Len counts elements. Load and Store are for one element. Insert
// and Push add; Erase removes by position, Remove by value or key, Pop at an end. All is for range loops, and
// Err returns the error that ended the last loop early.
//
// # Order and completion
//
// A GMA starts at once when its order is HandleNull; after the GMA of a handle and
// all issued before it when its order is that handle; after everything issued so
// far when it is HandleAll. HandleCont continues the previous GMA: if both ranks
// are the same as there, it starts under the same condition but does not overtake
// it; otherwise it means HandleAll.
//
// Completion is in order of issue: when a handle is complete, everything issued
// before it by this process is complete too. GMAs make progress without the help of any rank: a rank that
// computes still serves requests of other ranks.
//
// # Errors
//
// Calls return errors of type *OpError, which name the operation, the ranks, the address and the fabric that
// failed, or several of them joined. Only Workspace.ReadAt returns io.EOF as it is, and functions that read a
// configuration return plain errors. Errors that show only later, such as a GA whose memory was never
// registered, are returned by Complete. errors.Is finds ErrPeerDead, ErrFinalized, ErrMisaligned and the
// other sentinel errors in them.
//
// # Contexts
//
// Functions that block take a context: Init, Open and WaitAll. Methods that block have a variant with one:
// every type that has such methods has WithContext. It returns the same object for calls that return early
// when the context ends, with an *OpError that wraps the error of the context:
//
//	n, err := vector.WithContext(ctx).Len()
//	err = p.WithContext(ctx).Sync()
//
// Objects that are made from such an object use the same context.
//
// # Concurrency
//
// Several goroutines may call methods of Process at once, except if the comment of a method forbids it. Only
// one goroutine at a time may call collective methods. One OS process may hold several Process values, one
// for each rank of a test.
package acp
