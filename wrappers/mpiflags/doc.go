// Package mpiflags reads the flags out of what MPI compiler wrappers print about themselves, and
// reads and writes command lines in shell notation.
//
// The simplest use:
//
//	flags, err := mpiflags.FromShow("gcc -I/opt/mpi/include -L/opt/mpi/lib -lmpi")
//	// flags.Compile is [-I/opt/mpi/include], flags.Link is [-L/opt/mpi/lib -lmpi]
//
// Wrappers are not careful about quoting: those of MPICH are shell scripts that
// echo their variables, so that a blank in a path arrives as a blank between two
// words. [FromShow] puts such paths together again where this can be done
// without guessing.
//
// All functions are pure: they start no process and read no file.
package mpiflags
