// Memory for the metadata of the allocator. It is private: stores of peers into the pool cannot
// damage it, and the kernel copies it for a child of fork.

#ifndef GOACP_HOOK_METADATA_H
#define GOACP_HOOK_METADATA_H

#include <stddef.h>

// metadata_table returns size bytes of zeros, which take memory as they are written. NULL: there are none.
void *metadata_table(size_t size);

// metadata_take returns size zero bytes, which are never given back. The caller holds the lock of the spans.
void *metadata_take(size_t size);

#endif
