// Package rma implements the fabric over windows of MPI-3. Its operations are one-sided
// operations of the MPI library, which may leave them to the network's hardware. It needs the
// build tag mpi.
//
// # Windows
//
// The memory that the library itself publishes is one window, in which a displacement is a
// position, apart from a shift. Memory that the program registers is attached to one of a few
// dynamic windows. An MPI accepts a limited number of pieces per window, 32 with Open MPI over
// UCX. The fallback transport serves further pieces, and the members outside of the
// communicator. A member asks the owner once where registered memory lies, and remembers the
// answer.
//
// All windows are locked for shared access, by MPI_Win_lock_all without a check, as
// long as the fabric is open. MPI carries operations out in any order until a flush completes them.
// Operations of the program (fabric.Deferred) on another host return when MPI has taken them: one flush
// completes many. The program flushes when it waits, or issues an operation that has to follow. If it
// only goes on, a goroutine flushes after a few milliseconds, since another process may wait for
// what has been put. All other operations are flushed before their call returns. So is each operation
// that is not an add, a swap or a compare and swap, and needs several. A call may therefore wait for the
// MPI of the target. If the target dies, it does not return, since MPI cannot interrupt a call.
//
// Memory that is withdrawn, here or at another member, is flushed first.
//
// # Calls
//
// One thread at a time calls MPI. It holds a lock: a word in C memory that C and Go share. C
// carries out operations on memory of the library by itself (calls.h) if they need only calls of
// MPI and the target is on this host. It tries to take the lock for a moment, and otherwise leaves the operation to Go, which
// sleeps until the lock is free. The progress thread unlocks it when another thread waits for it.
//
// # Progress
//
// An MPI may carry out an operation only when the target calls MPI, which a program that
// computes does not do. So the initiator wakes the agent of the target before such an operation,
// and again from time to time while it uses the target. The agent then makes the progress thread
// call MPI for some milliseconds. The progress thread spins first, and then sleeps between its
// calls; if it shares its processor, it sleeps from the beginning. While no member needs a
// process, its progress thread sleeps.
//
// Operations on registered memory and on other hosts need that help. Whether operations on memory
// that MPI has allocated on the same host need it, the monitor of the initiator finds out: it
// checks every millisecond whether the same operation is still under way. If so, it wakes the
// target, and remembers that this kind of operation, copies or atomics, needs help.
package rma
