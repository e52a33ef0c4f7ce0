// Package rma implements the fabric over windows of MPI-3: one-sided operations are
// the MPI library's own, so that it may leave them to the network's hardware. It needs
// the build tag mpi.
//
// # Windows
//
// The memory that the library itself publishes is one window of MPI_Win_allocate, in
// which a displacement is a position. Memory that the program registers is attached to
// one of a few dynamic windows. An MPI takes a limited number of pieces per window, 32
// with Open MPI over UCX; what is beyond is left to the fabric below, as is memory of
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
// One thread at a time calls MPI: it has the turn, a word in C memory that C and Go take
// alike. C itself carries out operations on memory of the library (calls.h), as long as
// nothing but a call of MPI is to be done about them; it looks for the turn only a moment,
// and otherwise leaves the operation to Go, which sleeps until it is free. Who has the
// turn only to make progress gives it away when it is wanted.
//
// # Progress
//
// An MPI may carry out an operation only when the target calls MPI, which a program
// that computes does not. Before such an operation the initiator wakes the target's
// agent, and again from time to time as long as it goes on using the target. The agent
// then calls MPI in a goroutine of its own for some milliseconds: first without a
// pause, then with sleeps; with sleeps from the beginning if it finds that it shares its
// processor. A process that nobody needs spends nothing.
//
// Which operations need that is known of registered memory and of other hosts. For memory
// that MPI has allocated on the same host, the keeper of the initiator finds out: it looks
// every millisecond whether the same operation is still under way, wakes the target if it
// is, and remembers that its kind, copies or atomics, needs help.
package rma
