#include "metadata.h"

#include <sys/mman.h>

void *metadata_table(size_t size) {
  void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

void *metadata_take(size_t size) {
  static char *next;
  static size_t left;
  const size_t piece = (size_t)1 << 20;
  size = (size + 63) & ~(size_t)63;
  if (size > left) {
    char *p = metadata_table(piece);
    if (p == NULL || size > piece)
      return NULL;
    next = p;
    left = piece;
  }
  void *p = next;
  next += size;
  left -= size;
  return p;
}
