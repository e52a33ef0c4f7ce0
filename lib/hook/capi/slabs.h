// Slabs: spans that consist of blocks of one class. A bit for each block marks it as free, so that
// the allocator does not rely on the contents of the pool, which peers may write.

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
