// Finds the pool of libacphook, if that library is a part of the program or is preloaded.

#define _GNU_SOURCE // RTLD_DEFAULT

#include "bind.h"
#include "../hook/pool.h"

#include <dlfcn.h>

// As in errno.c: programs with the archive do without.
#pragma weak dlsym

int goacp_find_pool(struct goacp_found_pool *found) {
  typedef int (*query)(struct goacp_hook_pool *);
  query ask = dlsym != NULL ? (query)dlsym(RTLD_DEFAULT, "goacp_hook_pool") : NULL;
  struct goacp_hook_pool pool;
  if (ask == NULL || ask(&pool) != 0)
    return 0;
  *found = (struct goacp_found_pool){pool.fd, pool.base, pool.size};
  return 1;
}
