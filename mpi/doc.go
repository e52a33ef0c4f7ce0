// Package mpi binds the part of MPI that GoACP needs.
//
// It exists beside github.com/sbromberger/gompi, which programs may use at the
// same time: both work on the one MPI of the process. With the build tag mpi
// the package is linked with an MPI library through cgo; without the tag it
// has the same functions, [Available] is false and everything else answers as
// in a process where MPI does not exist.
//
// The simplest use is
//
//	if !mpi.Initialized() {
//		_, err := mpi.InitThread(mpi.ThreadMultiple)
//		…
//	}
//	comm, err := mpi.World().Dup()
//	…
//	all, err := comm.Allgather(mine)
//	…
//	comm.Free()
//
// # Vocabulary and rules
//
//   - Handles of MPI stay inside: a [Comm] is a Go value, and no C type leaves
//     the package.
//   - Every call of MPI is checked; a failure is an [*Error] with the name of
//     the function, the class, the code and MPI's text. Communicators made
//     here return errors. The world communicator keeps the handler that the
//     program gave it, which as a rule ends the process: call Dup first.
//   - Buffers are Go memory. MPI uses them during the call only and keeps no
//     pointer, so the garbage collector needs no help.
//   - Who may call is a matter of the thread level that MPI was initialized
//     with, see [QueryThread]. Below ThreadMultiple all calls must come from the
//     thread that the program uses for MPI.
//
// # MPI_Init is interposed
//
// The library contains functions MPI_Init and MPI_Init_thread, which the linker
// prefers to those of MPI. If this package has initialized MPI before, the
// first of these calls by the program succeeds without doing it again, and from
// then on MPI belongs to the program, which ends it with MPI_Finalize. So it
// does not matter whether the program initializes MPI before ACP, after it or
// never. A program that links MPI before libmacp.so gets the functions of MPI
// and must initialize MPI first.
//
// Both also keep UCX from replacing the signal handlers of the Go runtime: if
// UCX is not loaded yet, they set UCX_ERROR_SIGNALS to the empty text unless it
// is set.
package mpi
