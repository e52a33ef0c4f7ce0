#include "libc.h"
#include "report.h"

#include <dlfcn.h>

size_t libc_usable_size(void *block) {
  static size_t (*found)(void *);
  size_t (*f)(void *) = __atomic_load_n(&found, __ATOMIC_RELAXED);
  if (f == NULL) {
    f = (size_t (*)(void *))dlsym(RTLD_NEXT, "malloc_usable_size");
    if (f == NULL)
      die("libc has no malloc_usable_size");
    __atomic_store_n(&found, f, __ATOMIC_RELAXED);
  }
  return f(block);
}
