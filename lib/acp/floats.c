// The way from C into Go, on which the floating-point environment of the program changes.

#include "floats.h"

#include <stddef.h>

// crosscall2 is in package runtime/cgo. All functions that cgo generates for exported Go functions enter Go by it.
void crosscall2(void (*function)(void *), void *arguments, int size, size_t context);

// bind.h redirects them to this function.
void goacp_crosscall(void (*function)(void *), void *arguments, int size, size_t context)
    __attribute__((visibility("hidden")));

void goacp_crosscall(void (*function)(void *), void *arguments, int size, size_t context) {
  // The Go runtime also computes with real numbers. It starts threads, which inherit the environment of the thread
  // that starts them.
  GOACP_HOLD_FLOATS;
  crosscall2(function, arguments, size, context);
}

// The Go runtime starts its first threads when the library is loaded. A program that loads the library by dlopen may
// have enabled traps by then. The first function runs before the constructor that starts Go, which has no priority,
// and the second function after it.
static struct goacp_floats program;

static __attribute__((constructor(101))) void hold(void) { program = goacp_hold_floats(); }

static __attribute__((constructor)) void restore(void) { goacp_restore_floats(&program); }
