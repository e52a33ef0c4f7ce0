#include "cache.h"
#include "metadata.h"
#include "lock.h"
#include "spans.h"
#include "slabs.h"

#include <string.h>

__thread struct cache *own_cache;

// Whether this thread no longer has a cache, or never gets one.
static __thread int without;

static pthread_key_t key;
static int has_key;
static struct cache *unused; // caches of threads that have ended; the lock of the spans is theirs

// record returns an empty cache, NULL if there is no memory.
static struct cache *record(void) {
  lock(&spans_lock);
  struct cache *cache = unused;
  if (cache != NULL) {
    unused = cache->next;
    unlock(&spans_lock);
    return cache;
  }
  size_t blocks = 0;
  for (unsigned c = 0; c < CLASSES; c++)
    blocks += class_cached(c);
  cache = metadata_take(sizeof *cache + blocks * sizeof(void *));
  unlock(&spans_lock);
  if (cache == NULL)
    return NULL;
  void **next = (void **)(cache + 1);
  for (unsigned c = 0; c < CLASSES; c++) {
    cache->bins[c] = (struct bin){0, class_cached(c), next};
    next += class_cached(c);
  }
  return cache;
}

// own returns the cache of this thread and makes it if there is none. pthread_setspecific may allocate,
// which is why the cache is there before.
static struct cache *own(void) {
  if (own_cache != NULL || without)
    return own_cache;
  if (!has_key || (own_cache = record()) == NULL) {
    without = 1;
    return NULL;
  }
  if (pthread_setspecific(key, own_cache) != 0)
    without = 1; // the cache serves, but will not come back
  return own_cache;
}

// ends returns all blocks of an ending thread. Blocks that the thread frees later bypass the caches.
static void ends(void *its) {
  struct cache *cache = its;
  own_cache = NULL;
  without = 1;
  for (unsigned c = 0; c < CLASSES; c++) {
    slabs_give(c, cache->bins[c].blocks, cache->bins[c].n);
    cache->bins[c].n = 0;
  }
  lock(&spans_lock);
  cache->next = unused;
  unused = cache;
  unlock(&spans_lock);
}

void cache_begin(void) { has_key = pthread_key_create(&key, ends) == 0; }

void *cache_fill(unsigned class) {
  if (!spans_ready())
    return NULL;
  struct cache *cache = own();
  void *block = NULL;
  if (cache == NULL) {
    slabs_take(class, &block, 1);
    return block;
  }
  struct bin *bin = &cache->bins[class];
  bin->n = slabs_take(class, bin->blocks, bin->most / 2);
  if (bin->n == 0)
    return NULL;
  // The block with the lowest address comes first, and then the other blocks in their order.
  for (unsigned i = 0, j = bin->n - 1; i < j; i++, j--) {
    void *other = bin->blocks[i];
    bin->blocks[i] = bin->blocks[j];
    bin->blocks[j] = other;
  }
  return bin->blocks[--bin->n];
}

void cache_spill(unsigned class, void *block) {
  struct cache *cache = own();
  if (cache == NULL) {
    slabs_give(class, &block, 1);
    return;
  }
  struct bin *bin = &cache->bins[class];
  if (bin->n == bin->most) {
    // The blocks that were freed first are returned: the other blocks are probably in the caches of the processor.
    unsigned half = bin->most / 2;
    slabs_give(class, bin->blocks, half);
    bin->n -= half;
    memmove(bin->blocks, bin->blocks + half, bin->n * sizeof(void *));
  }
  bin->blocks[bin->n++] = block;
}
