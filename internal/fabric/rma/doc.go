// Package rma implements the fabric over windows of MPI-3: one-sided operations are
// the MPI library's own, so that it may leave them to the network's hardware. It needs
// the build tag mpi.
//
// # Windows
//
// The memory that the library itself publishes is one window of MPI_Win_allocate, in
// which a displacement is a position. Memory that the program registers is attached to
// one of a few dynamic windows. An MPI takes a limited number of pieces per window, 32
// with Open MPI over UCX; the fallback transport carries what is beyond, and reaches the
// members outside of the communicator. A member asks the owner once where registered
// memory lies, and remembers.
//
// All windows are locked for shared access, by MPI_Win_lock_all without a check, as
// long as the fabric is open. Each operation completes by a flush of its own before the
// call returns: operations are carried out in the order of the calls. A call may
// therefore wait for the target's MPI, and does not come back if the target dies, since
// MPI offers no way to give up.
//
// # Calls
//
// One thread at a time calls MPI. It has a lock, a word in C memory that C and Go use alike. C
// carries out operations on memory of the library by itself (calls.h) if that takes nothing
// but calls of MPI. It tries the lock for a moment only, and otherwise leaves the operation to
// Go, which sleeps until the lock is free. The progress thread unlocks it when another thread
// waits for it.
//
// # Progress
//
// An MPI may carry out an operation only when the target calls MPI, which a program
// that computes does not. Before such an operation the initiator wakes the target's
// agent, and again from time to time as long as it goes on using the target. The agent
// then makes the progress thread call MPI for some milliseconds. It spins first, and then
// sleeps between the calls; if it shares its processor it sleeps from the beginning. While no
// member needs a process, its progress thread sleeps.
//
// Operations on registered memory and on other hosts need that. For memory that MPI has
// allocated on the same host, the monitor of the initiator finds out. It checks every
// millisecond whether the same operation is still under way. If so it wakes the target, and
// remembers that this kind of operation, copies or atomics, needs help.
package rma
