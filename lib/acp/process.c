// The functions of process.h that are not inline, but goacp_end. They mirror no Go code, since Go does not run in a
// forked child. The kernel gives the child an empty page, so that the fast path needs no separate check.

#define _GNU_SOURCE // MADV_WIPEONFORK

#include "process.h"
#include "atomics.h"
#include "runtimes.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct goacp_process goacp_process;

static pid_t loader; // the process that has loaded the library

// Clears the memory that a child inherits, if the kernel has not done it.
static void forget(void) { memset(&goacp_process, 0, sizeof goacp_process); }

// Runs before the other constructors of a program, so that they may call the library.
static __attribute__((constructor(101))) void load(void) {
  loader = getpid();
  goacp_end_if_second_runtime(); // before a thread of Go of the program runs
  goacp_store_relaxed(&goacp_process.alive, 1);
  // The first detects children that the C library has not created. The second detects children on a kernel with
  // larger pages.
  (void)madvise(&goacp_process, sizeof goacp_process, MADV_WIPEONFORK);
  (void)pthread_atfork(NULL, NULL, forget);
}

// Appends text to the line, and a number.
static char *add_text(char *to, const char *end, const char *text) {
  while (*text != 0 && to < end)
    *to++ = *text++;
  return to;
}

static char *add_number(char *to, const char *end, uint64_t n) {
  char digits[21], *d = digits + sizeof digits;
  *--d = 0;
  do
    *--d = (char)('0' + n % 10);
  while ((n /= 10) != 0);
  return add_text(to, end, d);
}

// Calls nothing but system calls: another thread of the parent may have held any lock.
void goacp_enter_dead(const char *function) {
  if (loader == 0) { // a constructor of higher priority has called
    load();
    return;
  }
  char line[256], *to = line;
  const char *end = line + sizeof line - 1;
  to = add_text(to, end, "acp: ");
  to = add_text(to, end, function);
  to = add_text(to, end, " in process ");
  to = add_number(to, end, (uint64_t)getpid());
  to = add_text(to, end, ", a fork of process ");
  to = add_number(to, end, (uint64_t)loader);
  to = add_text(to, end, ": a child may only exec or _exit");
  *to++ = '\n';
  goacp_end(line, (size_t)(to - line));
}
