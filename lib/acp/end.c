// goacp_end of process.h. It mirrors no Go code, since its callers run where Go does not. It has a file of its own
// because process.c calls runtimes.c, and both call it.

#include "process.h"

#include <unistd.h>

void goacp_end(const char *line, size_t n) {
  ssize_t written = write(STDERR_FILENO, line, n);
  (void)written; // there is no other way to report it
  _exit(GOACP_ABORT_STATUS);
}
