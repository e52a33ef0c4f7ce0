#include "slabs.h"
#include "books.h"
#include "classes.h"
#include "lock.h"
#include "runs.h"
#include "say.h"

#include <string.h>

struct slab {
  struct slab *next_spare;
  unsigned blocks, free;             // free: how many of the blocks
  uint64_t is_free[MOST_BLOCKS / 64]; // a bit for each block
};

// The slabs of a class that have free blocks.
static struct class {
  pthread_mutex_t lock;
  struct run *first;
} classes[CLASSES] = {[0 ... CLASSES - 1] = {PTHREAD_MUTEX_INITIALIZER, NULL}};

// Records of slabs that are no more. Like all of the books it has the lock of the runs.
static struct slab *spare;

static void link_run(struct class *c, struct run *run) {
  run->previous = NULL;
  run->next = c->first;
  if (c->first != NULL)
    c->first->previous = run;
  c->first = run;
}

static void unlink_run(struct class *c, struct run *run) {
  if (run->next != NULL)
    run->next->previous = run->previous;
  if (run->previous != NULL)
    run->previous->next = run->next;
  else
    c->first = run->next;
}

static struct slab *record(void) {
  lock(&runs_lock);
  struct slab *slab = spare;
  if (slab != NULL)
    spare = slab->next_spare;
  else
    slab = books_take(sizeof *slab);
  unlock(&runs_lock);
  return slab;
}

static void forget(struct slab *slab) {
  lock(&runs_lock);
  slab->next_spare = spare;
  spare = slab;
  unlock(&runs_lock);
}

// open makes a run a slab of a class.
static struct run *open_slab(unsigned class) {
  struct slab *slab = record();
  if (slab == NULL)
    return NULL;
  struct run *run = runs_take(class_units(class), 1, NULL);
  if (run == NULL) {
    forget(slab);
    return NULL;
  }
  memset(slab, 0, sizeof *slab);
  slab->blocks = slab->free = (unsigned)((class_units(class) << UNIT_SHIFT) / class_size(class));
  for (unsigned i = 0; i < slab->blocks; i++)
    slab->is_free[i / 64] |= (uint64_t)1 << (i % 64);
  run->slab = slab;
  for (size_t u = run->start; u < run->start + run->units; u++) {
    run_of_unit[u] = run;
    class_of_unit[u] = (uint8_t)(class + 1);
  }
  link_run(&classes[class], run);
  return run;
}

// close_slab gives a slab back whose blocks are all free.
static void close_slab(unsigned class, struct run *run) {
  unlink_run(&classes[class], run);
  for (size_t u = run->start; u < run->start + run->units; u++)
    class_of_unit[u] = 0;
  forget(run->slab);
  runs_give(run);
}

// take takes up to n blocks of a slab that has free ones.
static unsigned take(struct run *run, size_t size, void **blocks, unsigned n) {
  struct slab *slab = run->slab;
  unsigned taken = 0;
  for (unsigned w = 0; taken < n && slab->free > 0; w++)
    while (taken < n && slab->is_free[w] != 0) {
      unsigned bit = (unsigned)__builtin_ctzll(slab->is_free[w]);
      slab->is_free[w] &= slab->is_free[w] - 1;
      slab->free--;
      blocks[taken++] = (char *)run_address(run) + (w * 64 + bit) * size;
    }
  return taken;
}

unsigned slabs_take(unsigned class, void **blocks, unsigned n) {
  struct class *c = &classes[class];
  unsigned taken = 0;
  lock(&c->lock);
  while (taken < n) {
    struct run *run = c->first;
    // Another slab only if there is no block at all.
    if (run == NULL && (taken > 0 || (run = open_slab(class)) == NULL))
      break;
    taken += take(run, class_size(class), blocks + taken, n - taken);
    if (run->slab->free == 0)
      unlink_run(c, run);
  }
  unlock(&c->lock);
  return taken;
}

// give gives one block back.
static void give(unsigned class, char *block) {
  struct class *c = &classes[class];
  struct run *run = run_of_unit[(size_t)(block - memory.base) >> UNIT_SHIFT];
  struct slab *slab = run->slab;
  size_t offset = (size_t)(block - (char *)run_address(run)), size = class_size(class);
  unsigned i = (unsigned)(offset / size);
  uint64_t bit = (uint64_t)1 << (i % 64);
  if (offset % size != 0)
    die("free of an address that is no block");
  if (slab->is_free[i / 64] & bit)
    die("free of a block that is free");
  slab->is_free[i / 64] |= bit;
  if (slab->free++ == 0)
    link_run(c, run);
  // The last slab stays, for a program that frees and allocates in turn.
  if (slab->free == slab->blocks && (run->next != NULL || run->previous != NULL))
    close_slab(class, run);
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
