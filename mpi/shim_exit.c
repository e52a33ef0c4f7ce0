//go:build mpi && !clibrary

// Functions that MPI registers for the end of the process. From 4.1 on, MPICH notifies its launcher in a
// function for atexit that MPI is finalized. Without this notification the launcher kills the job when the
// process ends. Programs in C run such functions in exit. Programs in Go end without calling exit of C, so
// that MPI_Finalize has to run them.

#define _GNU_SOURCE // dladdr, RTLD_NEXT

#include "shim.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

#if defined(MPICH_VERSION)

static atomic_bool in_go; // the process ends without exit
static void *_Atomic left; // handle under which MPI has registered its functions

void goacp_mpi_ends_in_go(void) { atomic_store(&in_go, 1); }

// The library that a function is in, NULL if that is unknown.
static const void *home(const void *function) {
  Dl_info info;
  return function && dladdr(function, &info) ? info.dli_fbase : NULL;
}

typedef int at_exit(void (*call)(void *), void *arg, void *library);

// atexit of every library calls this function. It is weak because programs may be linked with
// the C library statically.
__attribute__((weak, visibility("default"))) int
__cxa_atexit(void (*call)(void *), void *arg, void *library) {
  static at_exit *_Atomic next;
  at_exit *f = atomic_load(&next);
  if (!f) {
    f = (at_exit *)dlsym(RTLD_NEXT, "__cxa_atexit");
    atomic_store(&next, f);
  }
  const void *mpi = home(dlsym(RTLD_NEXT, "PMPI_Init"));
  if (mpi && home((const void *)call) == mpi)
    atomic_store(&left, library);
  return f ? f(call, arg, library) : -1;
}

extern void __cxa_finalize(void *library) __attribute__((weak));

__attribute__((visibility("default"))) int MPI_Finalize(void) {
  int rc = PMPI_Finalize();
  if (rc != MPI_SUCCESS || !atomic_load(&in_go))
    return rc;
  void *library = atomic_exchange(&left, NULL);
  if (library && __cxa_finalize)
    __cxa_finalize(library); // a later exit does not run the functions again
  return rc;
}

#else

void goacp_mpi_ends_in_go(void) {}

#endif
