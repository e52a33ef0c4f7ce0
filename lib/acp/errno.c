// ACP_ERRNO. A program that is linked with a shared library usually has a copy of each of its variables, and the
// loader makes the library use that copy. But the go command links with -Bsymbolic, so the library would use its own
// variable and the program would see 0. So the library looks up the variable of the program by name.

#include "acp.h"
#include "bind.h"

#include <dlfcn.h>

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
