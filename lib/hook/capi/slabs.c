#include "slabs.h"
#include "metadata.h"
#include "classes.h"
#include "lock.h"
#include "spans.h"
#include "report.h"

#include <string.h>

struct slab {
  struct slab *next_spare;
  unsigned blocks, free;             // free: how many of the blocks
  uint64_t is_free[MOST_BLOCKS / 64]; // a bit for each block
};

// The slabs of a class that have free blocks.
static struct class {
  pthread_mutex_t lock;
  struct span *first;
} classes[CLASSES] = {[0 ... CLASSES - 1] = {PTHREAD_MUTEX_INITIALIZER, NULL}};

// Records of freed slabs. Like all metadata they are guarded by the lock of the spans.
static struct slab *spare;

static void link_span(struct class *c, struct span *span) {
  span->previous = NULL;
  span->next = c->first;
  if (c->first != NULL)
    c->first->previous = span;
  c->first = span;
}

static void unlink_span(struct class *c, struct span *span) {
  if (span->next != NULL)
    span->next->previous = span->previous;
  if (span->previous != NULL)
    span->previous->next = span->next;
  else
    c->first = span->next;
}

static struct slab *record(void) {
  lock(&spans_lock);
  struct slab *slab = spare;
  if (slab != NULL)
    spare = slab->next_spare;
  else
    slab = metadata_take(sizeof *slab);
  unlock(&spans_lock);
  return slab;
}

static void forget(struct slab *slab) {
  lock(&spans_lock);
  slab->next_spare = spare;
  spare = slab;
  unlock(&spans_lock);
}

// open makes a span a slab of a class.
static struct span *open_slab(unsigned class) {
  struct slab *slab = record();
  if (slab == NULL)
    return NULL;
  struct span *span = spans_take(class_units(class), 1, NULL);
  if (span == NULL) {
    forget(slab);
    return NULL;
  }
  memset(slab, 0, sizeof *slab);
  slab->blocks = slab->free = (unsigned)((class_units(class) << UNIT_SHIFT) / class_size(class));
  for (unsigned i = 0; i < slab->blocks; i++)
    slab->is_free[i / 64] |= (uint64_t)1 << (i % 64);
  span->slab = slab;
  for (size_t u = span->start; u < span->start + span->units; u++) {
    span_of_unit[u] = span;
    class_of_unit[u] = (uint8_t)(class + 1);
  }
  link_span(&classes[class], span);
  return span;
}

// close_slab gives a slab back whose blocks are all free.
static void close_slab(unsigned class, struct span *span) {
  unlink_span(&classes[class], span);
  for (size_t u = span->start; u < span->start + span->units; u++)
    class_of_unit[u] = 0;
  forget(span->slab);
  spans_give(span);
}

// take takes up to n blocks of a slab that has free ones.
static unsigned take(struct span *span, size_t size, void **blocks, unsigned n) {
  struct slab *slab = span->slab;
  unsigned taken = 0;
  for (unsigned w = 0; taken < n && slab->free > 0; w++)
    while (taken < n && slab->is_free[w] != 0) {
      unsigned bit = (unsigned)__builtin_ctzll(slab->is_free[w]);
      slab->is_free[w] &= slab->is_free[w] - 1;
      slab->free--;
      blocks[taken++] = (char *)span_address(span) + (w * 64 + bit) * size;
    }
  return taken;
}

unsigned slabs_take(unsigned class, void **blocks, unsigned n) {
  struct class *c = &classes[class];
  unsigned taken = 0;
  lock(&c->lock);
  while (taken < n) {
    struct span *span = c->first;
    // Another slab only if there is no block at all.
    if (span == NULL && (taken > 0 || (span = open_slab(class)) == NULL))
      break;
    taken += take(span, class_size(class), blocks + taken, n - taken);
    if (span->slab->free == 0)
      unlink_span(c, span);
  }
  unlock(&c->lock);
  return taken;
}

// give gives one block back.
static void give(unsigned class, char *block) {
  struct class *c = &classes[class];
  struct span *span = span_of_unit[(size_t)(block - memory.base) >> UNIT_SHIFT];
  struct slab *slab = span->slab;
  size_t offset = (size_t)(block - (char *)span_address(span)), size = class_size(class);
  unsigned i = (unsigned)(offset / size);
  uint64_t bit = (uint64_t)1 << (i % 64);
  if (offset % size != 0)
    die("free of an address that is no block");
  if (slab->is_free[i / 64] & bit)
    die("free of a block that is free");
  slab->is_free[i / 64] |= bit;
  if (slab->free++ == 0)
    link_span(c, span);
  // The last slab stays, for a program that frees and allocates in turn.
  if (slab->free == slab->blocks && (span->next != NULL || span->previous != NULL))
    close_slab(class, span);
}

void slabs_give(unsigned class, void *const *blocks, unsigned n) {
  lock(&classes[class].lock);
  for (unsigned i = 0; i < n; i++)
    give(class, blocks[i]);
  unlock(&classes[class].lock);
}

void slabs_lock(void) {
  for (int i = 0; i < CLASSES; i++)
    pthread_mutex_lock(&classes[i].lock);
}

void slabs_unlock(void) {
  for (int i = CLASSES; i-- > 0;)
    pthread_mutex_unlock(&classes[i].lock);
}
