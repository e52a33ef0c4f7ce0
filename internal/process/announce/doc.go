// Package announce tells the macprun of a run on the same host that a process has started, before main
// begins. A program that imports the package does that without a call.
//
// A launcher of MPI starts the process, so macprun is not its parent. macprun must hold the process before
// it can end to learn its status. The connection stays open as long as the process lives: the kernel closes it
// before the connection by which the launcher of MPI sees the end of the process. So macprun learns which
// process of a job has ended first, before the launcher kills the others.
//
// The socket of macprun is in the private directory of its run, where the token file is. macprun answers with
// one byte if the process is one of its ranks, and closes the connection otherwise. A process without the
// variable of the token file, or on another host, does nothing.
package announce
