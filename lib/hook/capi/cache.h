// Blocks that each thread keeps for itself, so that most calls take no lock.

#ifndef GOACP_HOOK_CACHE_H
#define GOACP_HOOK_CACHE_H

#include "classes.h"

struct bin {
  unsigned n, most; // blocks in the bin, and how many it may have
  void **blocks;
};

struct cache {
  struct bin bins[CLASSES];
  struct cache *next; // of the caches whose threads have ended
};

// The cache of this thread, NULL before its first block and when it ends.
extern __thread struct cache *own_cache;

// cache_begin makes the key by whose destructor the blocks of ending threads come back.
void cache_begin(void);

// cache_fill gets blocks for the bin of a class and returns one of them, NULL if the pool is full.
void *cache_fill(unsigned class);

// cache_spill takes a block for whose class there is no room in the cache.
void cache_spill(unsigned class, void *block);

static inline void *cache_take(unsigned class) {
  struct cache *cache = own_cache;
  if (__builtin_expect(cache != NULL && cache->bins[class].n > 0, 1))
    return cache->bins[class].blocks[--cache->bins[class].n];
  return cache_fill(class);
}

static inline void cache_give(unsigned class, void *block) {
  struct cache *cache = own_cache;
  if (__builtin_expect(cache != NULL && cache->bins[class].n < cache->bins[class].most, 1))
    cache->bins[class].blocks[cache->bins[class].n++] = block;
  else
    cache_spill(class, block);
}

#endif
