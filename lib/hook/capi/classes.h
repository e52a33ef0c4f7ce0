// Classes of small blocks: 16, 32, … 128 bytes, and from there four for each power of two, to 128 KiB.

#ifndef GOACP_HOOK_CLASSES_H
#define GOACP_HOOK_CLASSES_H

#include "memory.h"

#define CLASSES 48
#define MOST_SMALL ((size_t)128 << 10) // the size of the last class

// The blocks of a class lie in slabs. A slab has at most this many blocks.
#define MOST_BLOCKS 1024

// class_of returns the class of blocks of n bytes, n <= MOST_SMALL.
static inline unsigned class_of(size_t n) {
  n -= n != 0;
  if (n < 128)
    return (unsigned)(n >> 4);
  unsigned power = 63 - (unsigned)__builtin_clzll(n);
  return 8 + 4 * (power - 7) + ((n >> (power - 2)) & 3);
}

// class_size returns the size of the blocks of a class.
static inline size_t class_size(unsigned class) {
  if (class < 8)
    return (size_t)16 * (class + 1);
  return (size_t)(5 + (class & 3)) << (5 + (class - 8) / 4);
}

// class_units returns the units of a slab. Less than an eighth of a slab is left over.
static inline size_t class_units(unsigned class) {
  size_t size = class_size(class);
  if (size <= 1024)
    return 16384 >> UNIT_SHIFT;
  if (size <= 4096)
    return 32768 >> UNIT_SHIFT;
  if (size <= 32768)
    return 8 * size >> UNIT_SHIFT;
  return (size + UNIT - 1) >> UNIT_SHIFT;
}

// class_cached returns the number of blocks that a thread keeps.
static inline unsigned class_cached(unsigned class) {
  size_t n = ((size_t)128 << 10) / class_size(class);
  return n > 64 ? 64 : n < 2 ? 2 : (unsigned)n;
}

#endif
