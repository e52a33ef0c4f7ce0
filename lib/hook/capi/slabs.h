// Slabs: spans that consist of blocks of one class. A bit for each block says whether it is free, so that
// the pool itself, which peers may write, has nothing that the allocator relies on.

#ifndef GOACP_HOOK_SLABS_H
#define GOACP_HOOK_SLABS_H

#include <stddef.h>

// slabs_take takes up to n blocks of a class and returns their number, 0 if the pool is full.
unsigned slabs_take(unsigned class, void **blocks, unsigned n);

// slabs_give gives n blocks of a class back. A block that is none, or is free, ends the process.
void slabs_give(unsigned class, void *const *blocks, unsigned n);

// slabs_lock takes the locks of all classes, slabs_unlock leaves them.
void slabs_lock(void);
void slabs_unlock(void);

#endif
