// The way from C into Go, on which the floating-point environment of the program changes.

#include "floats.h"

#include <stddef.h>

// crosscall2 is in package runtime/cgo. All functions that cgo makes of those that Go exports enter Go by it.
void crosscall2(void (*function)(void *), void *arguments, int size, size_t context);

// bind.h lets them call this one.
void goacp_crosscall(void (*function)(void *), void *arguments, int size, size_t context)
    __attribute__((visibility("hidden")));

void goacp_crosscall(void (*function)(void *), void *arguments, int size, size_t context) {
  // The runtime of Go computes with real numbers, too, and starts threads, which have the environment of the one
  // that starts them.
  GOACP_HOLD_FLOATS;
  crosscall2(function, arguments, size, context);
}

// The runtime of Go starts its first threads when the library is loaded. The program may let exceptions trap by then
// if it loads the library by dlopen. The first function runs before the one that starts Go, which has no priority, and the
// second one behind it.
static struct goacp_floats program;

static __attribute__((constructor(101))) void hold(void) { program = goacp_hold_floats(); }

static __attribute__((constructor)) void restore(void) { goacp_restore_floats(&program); }
