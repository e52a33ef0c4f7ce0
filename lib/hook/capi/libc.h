// The allocator of libc, for all blocks that do not come from the pool. glibc has these names in
// addition to the names that this library replaces, so nothing has to be looked up before the first
// block.

#ifndef GOACP_HOOK_LIBC_H
#define GOACP_HOOK_LIBC_H

#include <stddef.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

// libc_usable_size is malloc_usable_size of libc.
size_t libc_usable_size(void *block);

#endif
