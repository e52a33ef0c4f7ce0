// ACP_ERRNO. A program that is linked with a shared library usually has a copy of each of its variables, and the
// loader makes the library use that copy. But the go command links with -Bsymbolic, so the library would use its own
// variable and the program would see 0. So the library looks up the variable of the program by name.
//
// acp_error_number and acp_error_message return the number and the reason of the calling thread. The number is a
// thread-local variable, which signal handlers may use. The text is none: programs that load the library by dlopen have
// space for few thread-local variables.

#include "acp.h"
#include "bind.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// Older C libraries have them apart, and programs with the archive do without.
#pragma weak dlopen
#pragma weak dlsym

int ACP_ERRNO;

int *goacp_errno_place = &ACP_ERRNO;

__attribute__((constructor)) static void find_errno(void) {
  void *program = dlopen != NULL && dlsym != NULL ? dlopen(NULL, RTLD_LAZY) : NULL;
  int *place = program != NULL ? (int *)dlsym(program, "ACP_ERRNO") : NULL;
  if (place != NULL)
    goacp_errno_place = place;
}

// The number of the last failure of this thread, and whether the text belongs to it.
static __thread struct { int number, has_text; } last
    __attribute__((tls_model("initial-exec")));

void goacp_set_errno(int number) {
  last.number = number;
  last.has_text = 0;
  __atomic_store_n(goacp_errno_place, number, __ATOMIC_RELAXED);
}

static pthread_key_t reason;
static int has_reason; // whether there is the key
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_key(void) { has_reason = pthread_key_create(&reason, free) == 0; }

void goacp_set_reason(const char *text) {
  pthread_once(&once, make_key);
  char *copy = has_reason ? strdup(text) : NULL;
  if (copy == NULL)
    return;
  char *before = pthread_getspecific(reason);
  if (pthread_setspecific(reason, copy) != 0) {
    free(copy);
    return;
  }
  free(before);
  last.has_text = 1;
}

int acp_error_number(void) { return last.number; }

// A failure without a text is one of a function that signal handlers may call, or memory is lacking.
const char *acp_error_message(void) {
  if (last.has_text)
    return pthread_getspecific(reason);
  return last.number == 0 ? "" : last.number == EPERM ? "not initialised, or finalised" : "no text";
}
