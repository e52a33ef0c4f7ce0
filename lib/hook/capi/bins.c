#include "bins.h"

static unsigned bin_of(size_t units) {
  if (units < EXACT)
    return (unsigned)units;
  unsigned power = 63 - (unsigned)__builtin_clzll(units);
  return EXACT + (power - 6) * 8 + ((units >> (power - 3)) & 7);
}

void bins_put(struct bins *bins, struct span *span) {
  unsigned b = bin_of(span->units);
  span->previous = NULL;
  span->next = bins->lists[b];
  if (span->next != NULL)
    span->next->previous = span;
  bins->lists[b] = span;
  bins->filled[b / 64] |= (uint64_t)1 << (b % 64);
  bins->units += span->units;
}

void bins_remove(struct bins *bins, struct span *span) {
  unsigned b = bin_of(span->units);
  if (span->next != NULL)
    span->next->previous = span->previous;
  if (span->previous != NULL)
    span->previous->next = span->next;
  else if ((bins->lists[b] = span->next) == NULL)
    bins->filled[b / 64] &= ~((uint64_t)1 << (b % 64));
  bins->units -= span->units;
}

// next_filled returns the first bin from b on that has spans, BINS if there is none.
static unsigned next_filled(const struct bins *bins, unsigned b) {
  if (b >= BINS)
    return BINS;
  uint64_t word = bins->filled[b / 64] & (~(uint64_t)0 << (b % 64));
  for (unsigned w = b / 64;; word = bins->filled[w]) {
    if (word != 0)
      return w * 64 + (unsigned)__builtin_ctzll(word);
    if (++w == BINS / 64)
      return BINS;
  }
}

// best returns the shortest of some spans of a bin that are long enough.
static struct span *best(struct span *span, size_t units) {
  struct span *found = NULL;
  for (int looked = 0; span != NULL && (found == NULL || looked < 16); span = span->next, looked++)
    if (span->units >= units && (found == NULL || span->units < found->units))
      found = span;
  return found;
}

struct span *bins_find(struct bins *bins, size_t units) {
  struct span *found = NULL;
  for (unsigned b = next_filled(bins, bin_of(units)); found == NULL && b < BINS; b = next_filled(bins, b + 1))
    found = best(bins->lists[b], units);
  return found;
}

struct span *bins_longest(struct bins *bins) {
  for (unsigned w = BINS / 64; w-- > 0;)
    if (bins->filled[w] != 0)
      return bins->lists[w * 64 + 63 - (unsigned)__builtin_clzll(bins->filled[w])];
  return NULL;
}
