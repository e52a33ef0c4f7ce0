// Memory for the books of the allocator. It is private: what peers write into the pool cannot damage it,
// and a child of fork gets a copy by the kernel.

#ifndef GOACP_HOOK_BOOKS_H
#define GOACP_HOOK_BOOKS_H

#include <stddef.h>

// books_table returns size bytes of zeros, which take memory as they are written. NULL: there are none.
void *books_table(size_t size);

// books_take returns size zero bytes, which are never given back. The caller holds the lock of the runs.
void *books_take(size_t size);

#endif
