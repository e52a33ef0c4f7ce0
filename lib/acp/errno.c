// ACP_ERRNO. A program that is linked with the shared library usually has a copy of this variable at a
// place of its own, as of all variables of shared libraries, and the loader lets the library use that
// copy. But the go command links with -Bsymbolic, so the library uses its own variable and the program
// would see 0. So the library asks the program for the variable by name.

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
