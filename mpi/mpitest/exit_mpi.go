//go:build mpi

package mpitest

/*
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

extern int __cxa_atexit(void (*call)(void *), void *arg, void *library);

static int of_mpi = -1, of_program = -1;

static int mpi_ran(void) { return of_mpi != -1; }
static int program_ran(void) { return of_program != -1; }

static void note(void *flag) { *(int *)flag = 1; }

// MPI_Initialized is a function of the MPI library that has an effect, may be called at
// any time, and takes one pointer.
static int at_exit(void) {
  static char handles[2];
  void (*initialized)(void *) = (void (*)(void *))dlsym(RTLD_NEXT, "PMPI_Initialized");
  return initialized == NULL || __cxa_atexit(initialized, &of_mpi, &handles[0]) != 0 ||
         __cxa_atexit(note, &of_program, &handles[1]) != 0;
}
*/
import "C"

import "errors"

// AtExit registers a function of the MPI library and one of the program for the exit of
// the process. ran reports which of them have run.
func AtExit() (ran func() (ofMPI, ofProgram bool), err error) {
	if C.at_exit() != 0 {
		return nil, errors.New("functions for the exit were not registered")
	}
	return func() (bool, bool) { return C.mpi_ran() != 0, C.program_ran() != 0 }, nil
}
