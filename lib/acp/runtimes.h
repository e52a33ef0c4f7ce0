// A process that has two runtimes of Go.

#ifndef GOACP_RUNTIMES_H
#define GOACP_RUNTIMES_H

// goacp_end_if_second_runtime ends the process with a line if the program contains this library, and a shared library
// of the process has a runtime of Go as well.
void goacp_end_if_second_runtime(void) __attribute__((visibility("hidden")));

#endif
