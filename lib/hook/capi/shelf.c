#include "shelf.h"

static unsigned bin_of(size_t units) {
  if (units < EXACT)
    return (unsigned)units;
  unsigned power = 63 - (unsigned)__builtin_clzll(units);
  return EXACT + (power - 6) * 8 + ((units >> (power - 3)) & 7);
}

void shelf_put(struct shelf *shelf, struct run *run) {
  unsigned b = bin_of(run->units);
  run->previous = NULL;
  run->next = shelf->bins[b];
  if (run->next != NULL)
    run->next->previous = run;
  shelf->bins[b] = run;
  shelf->filled[b / 64] |= (uint64_t)1 << (b % 64);
  shelf->units += run->units;
}

void shelf_remove(struct shelf *shelf, struct run *run) {
  unsigned b = bin_of(run->units);
  if (run->next != NULL)
    run->next->previous = run->previous;
  if (run->previous != NULL)
    run->previous->next = run->next;
  else if ((shelf->bins[b] = run->next) == NULL)
    shelf->filled[b / 64] &= ~((uint64_t)1 << (b % 64));
  shelf->units -= run->units;
}

// next_filled returns the first bin from b on that has runs, BINS if there is none.
static unsigned next_filled(const struct shelf *shelf, unsigned b) {
  if (b >= BINS)
    return BINS;
  uint64_t word = shelf->filled[b / 64] & (~(uint64_t)0 << (b % 64));
  for (unsigned w = b / 64;; word = shelf->filled[w]) {
    if (word != 0)
      return w * 64 + (unsigned)__builtin_ctzll(word);
    if (++w == BINS / 64)
      return BINS;
  }
}

// best returns the shortest of some runs of a bin that are long enough.
static struct run *best(struct run *run, size_t units) {
  struct run *found = NULL;
  for (int looked = 0; run != NULL && (found == NULL || looked < 16); run = run->next, looked++)
    if (run->units >= units && (found == NULL || run->units < found->units))
      found = run;
  return found;
}

struct run *shelf_find(struct shelf *shelf, size_t units) {
  struct run *found = NULL;
  for (unsigned b = next_filled(shelf, bin_of(units)); found == NULL && b < BINS; b = next_filled(shelf, b + 1))
    found = best(shelf->bins[b], units);
  return found;
}

struct run *shelf_longest(struct shelf *shelf) {
  for (unsigned w = BINS / 64; w-- > 0;)
    if (shelf->filled[w] != 0)
      return shelf->bins[w * 64 + 63 - (unsigned)__builtin_clzll(shelf->filled[w])];
  return NULL;
}
