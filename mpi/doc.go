// Package mpi binds the parts of MPI-3 that programs in Go need in addition to messages:
// communicators, one-sided access to windows, and dynamic processes.
//
// It is usable by itself, and together with github.com/sbromberger/gompi, which has
// point-to-point messages and collectives: both use the MPI of the process. With the build tag
// mpi the package is linked with an MPI library, Open MPI or MPICH; docs/mpi-binding.md lists
// the flags that the compiler needs. Without the tag, [Available] returns false. The functions
// that GoACP needs exist then, too, and return [ErrUnavailable], or that MPI is not
// initialized.
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
//   - A [Comm], [Group], [Win] or [Info] is a small value that stands for an
//     object of MPI; copies are the same object. No C type leaves the package. The
//     zero values stand for no object: calls on them return errors and do not crash.
//     Use a [Request] by its address.
//   - Every call of MPI is checked; a failure is an [*Error] with the function,
//     the class, the code and MPI's text. errors.Is finds the class, such as
//     [ErrName]. Calls on objects that were made here return errors. Calls on World
//     and Self do so after [InitThread]. If the program calls MPI_Init itself, they
//     keep its error handler, which as a rule ends the process: call Dup or
//     [ReturnErrors] first.
//   - Bytes travel as bytes. Numbers of bytes and elements may exceed 2^31-1.
//   - MPI does not know of Go's garbage collector. Memory that it uses after a
//     call has returned (windows, and buffers of calls that do not wait) is memory
//     of C ([AllocMemory], [Comm.AllocateWin]), mapped memory, or Go memory that is
//     pinned by a runtime.Pinner meanwhile. Calls that wait take any memory. Each
//     comment says which.
//   - The thread level of MPI says which threads may call it, see [QueryThread].
//     Below ThreadMultiple only the thread that the program uses for MPI may call
//     this package (runtime.LockOSThread).
//   - A call of MPI cannot be interrupted. Calls that wait for processes of other
//     jobs, or for the launcher, take a context. When it ends they return, and
//     abandon the call of MPI on its thread; [Within] says what follows from that.
//   - Chapters in the comments are those of the MPI standard 3.1.
//
// If an MPI is known to have a fault, the package avoids it or returns an error;
// docs/mpi-binding.md lists these cases.
//
// # MPI_Init is interposed
//
// The library contains functions MPI_Init and MPI_Init_thread, which the linker
// prefers to those of MPI. If this package has initialized MPI before, the first of
// these calls by the program succeeds and does not initialize MPI again. From then on
// MPI belongs to the program: errors of World and Self end the program as they do
// after MPI_Init, and the program calls MPI_Finalize. So the program may initialize
// MPI before ACP, after it or never. A program that links MPI before libmacp.so gets
// the functions of MPI and must initialize MPI first.
//
// Both also keep UCX from replacing the signal handlers of the Go runtime: if
// UCX is not loaded yet, they set UCX_ERROR_SIGNALS to the empty text unless it
// is set.
//
// # Functions of UCX are interposed
//
// With Open MPI 5 the library also replaces three functions of UCX, and calls them. The
// windows of Open MPI 5 may be used by any thread, but Open MPI tells UCX that one thread
// uses them. A UCX with assertions (that of Debian 13) then ends the process, so
// ucp_worker_create tells UCX the truth. And MPI_Win_free may hold a lock while it waits for
// progress that needs the lock: in [Win.FreeAlone], ucp_ep_destroy makes the progress.
// ucp_worker_destroy notes which workers exist.
//
// # MPI_Finalize and __cxa_atexit are interposed
//
// This concerns programs in Go with MPICH. MPICH from 4.1 on tells its launcher that a
// process has finalized MPI, in a function that it registers by atexit. Go programs end
// without calling such functions, and the launcher would kill the whole job. So MPI_Finalize
// calls those of the MPI library at its end.
package mpi
