// Package mpi binds what programs in Go need of MPI-3 besides messages:
// communicators, one-sided access to windows, and processes that come and go.
//
// It is usable by itself, and beside github.com/sbromberger/gompi, which has
// point-to-point messages and collectives: both work on the one MPI of the
// process. With the build tag mpi the package is linked with an MPI library
// (Open MPI or MPICH, of which the compiler must be told, see
// docs/mpi-binding.md). Without the tag it has [Available], which is false, and the
// part that GoACP needs in order to find out; all of that answers as in a process
// where MPI does not exist.
//
// The simplest use:
//
//	if _, err := mpi.InitThread(mpi.ThreadMultiple); err != nil { … }
//	world, err := mpi.World().Dup()
//	…
//	win, memory, err := world.AllocateWin(1<<20, 1, mpi.Info{})
//	…
//	err = win.LockAll(mpi.NoCheck)
//	err = win.PutFlush([]byte("hello"), right, 0) // complete at both ends
//	err = world.Barrier()
//	fmt.Printf("%s\n", memory[:5])
//	err = errors.Join(win.UnlockAll(), win.Free(), world.Free(), mpi.Finalize())
//
// # Vocabulary and rules
//
//   - A [Comm], [Group], [Win] and [Info] is a small value that stands for an
//     object of MPI; copies are the same object. No C type leaves the package. The
//     zero values stand for none, which is an error and not a crash. A [Request] is
//     used by its address.
//   - Every call of MPI is checked; a failure is an [*Error] with the function,
//     the class, the code and MPI's text. errors.Is finds the class, such as
//     [ErrName]. Everything made here returns errors. World and Self do after
//     [InitThread], and keep the handler of a program that calls MPI_Init itself,
//     which as a rule ends the process: call Dup or [ReturnErrors] first.
//   - Bytes travel as bytes. Numbers of bytes and elements may exceed 2^31-1.
//   - MPI does not know of Go's garbage collector. Memory that it uses after a
//     call has returned (windows, and buffers of calls that do not wait) is memory
//     of C ([AllocMemory], [Comm.AllocateWin]), mapped memory, or Go memory that is
//     pinned by a runtime.Pinner meanwhile. Calls that wait take any memory. Each
//     comment says which.
//   - Who may call is a matter of the thread level that MPI was initialized
//     with, see [QueryThread]. Below ThreadMultiple all calls must come from the
//     thread that the program uses for MPI (runtime.LockOSThread).
//   - A call of MPI cannot be interrupted. Those that wait for processes of other
//     jobs, or for the launcher, take a context; they are left to themselves when
//     it ends, see [Within] for what that means.
//   - Chapters in the comments are those of the MPI standard 3.1.
//
// Where an MPI is known to do the wrong thing, the package does the right thing
// another way, or refuses with an error; docs/mpi-binding.md lists such cases.
//
// # MPI_Init is interposed
//
// The library contains functions MPI_Init and MPI_Init_thread, which the linker
// prefers to those of MPI. If this package has initialized MPI before, the
// first of these calls by the program succeeds without doing it again, and from
// then on MPI belongs to the program: errors of World and Self end it as they do
// after MPI_Init, and it ends MPI with MPI_Finalize. So it does not matter whether
// the program initializes MPI before ACP, after it or never. A program that links
// MPI before libmacp.so gets the functions of MPI and must initialize MPI first.
//
// Both also keep UCX from replacing the signal handlers of the Go runtime: if
// UCX is not loaded yet, they set UCX_ERROR_SIGNALS to the empty text unless it
// is set.
//
// # Functions of UCX are interposed
//
// With Open MPI 5 the library also stands between it and three functions of UCX. Its
// windows may be used by any thread, but it promises UCX that there is only one, at which
// a UCX with assertions (that of Debian 13) ends the process: ucp_worker_create corrects
// the promise. And MPI_Win_free may wait for ever for what it keeps from happening itself:
// in [Win.FreeAlone], ucp_ep_destroy sees to it that it happens. ucp_worker_destroy keeps
// account.
//
// # MPI_Finalize and __cxa_atexit are interposed
//
// With MPICH, if the program is one in Go. MPICH from 4.1 on tells its launcher that a
// process has finalized MPI in a function that it gives to atexit. Go programs end without
// such functions, and the launcher would kill the whole job. So those of the MPI library
// run at the end of MPI_Finalize.
package mpi
