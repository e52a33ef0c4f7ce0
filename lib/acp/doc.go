//go:build cgo

// Package libacp is the C binding of package acp. Command main, in the folder main, is built of it as an archive or a
// shared library, libacp without MPI and libmacp with the build tag mpi, for programs that include acp.h:
//
//	go build -buildmode=c-archive -o libacp.a ./lib/acp/main
//	cc program.c libacp.a
//
// The functions of acp.h are C functions of a few lines. While nothing is in flight, they carry out
// copies and atomics between mapped addresses themselves. docs/design names the other parts of
// this fast path. They reach memory of the library in windows of MPI by C functions of package rma,
// whose addresses are in the table of package internal/memory/maptable; these functions refuse what takes
// more than one call of MPI. Everything else goes to the Go function whose name begins with goacp_
// instead of acp_, by the macro GO, which ends forked children. The Go function takes these steps
// in this order: is the library initialised, convert the arguments, call the method of
// [acp.Process], turn an error into the failure value and ACP_ERRNO. A panic on the way ends the
// process with one line.
//
// What the C libraries beside libacp call is here, too: the functions goacp_gp_* are those of libgp,
// and goacp_armci_* those of libarmci.
//
// This package holds the one [acp.Process] of a C program, and so is the only one
// with state of its own.
package libacp
