// The functions that replace those of libc, and goacp_hook_pool.

#include "cache.h"
#include "fork.h"
#include "libc.h"
#include "lock.h"
#include "rules.h"
#include "spans.h"
#include "report.h"
#include "slabs.h"

#include "../pool.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define SHOWN __attribute__((visibility("default")))
#define CALLER __builtin_return_address(0)

__attribute__((constructor)) static void begin(void) {
  // The handlers of fork that are there first run next to fork itself.
  fork_begin();
  cache_begin();
  rules_read();
}

// take_span takes a block that is a span of its own. This and give_span are no part of the functions that
// call them: these need no stack otherwise.
static __attribute__((noinline)) void *take_span(size_t n, size_t alignment, int *zero) {
  if (!spans_ready() || n > memory.size)
    return NULL;
  struct span *span = spans_take(units_of(n), alignment <= UNIT ? 1 : alignment >> UNIT_SHIFT, zero);
  return span == NULL ? NULL : span_address(span);
}

// take takes a block from the pool, NULL if there is no room.
static inline void *take(size_t n) {
  if (n <= MOST_SMALL)
    return cache_take(class_of(n));
  return take_span(n, 1, NULL);
}

// take_aligned takes a block that begins at a multiple of alignment, a power of two. The blocks of a class
// do if their size is a multiple and a slab does.
static void *take_aligned(size_t alignment, size_t n) {
  if (alignment <= UNIT && n <= MOST_SMALL && alignment <= MOST_SMALL)
    for (unsigned class = class_of(n < alignment ? alignment : n); class < CLASSES; class++)
      if (class_size(class) % alignment == 0)
        return cache_take(class);
  return take_span(n, alignment, NULL);
}

// span_at returns the span that begins at an offset in the pool.
static struct span *span_at(size_t offset) {
  struct span *span = span_of_unit[offset >> UNIT_SHIFT];
  if (span == NULL || span->state != USED || span->start << UNIT_SHIFT != offset)
    die("free or realloc of an address that is no block");
  return span;
}

// usable returns the size of a block of the pool.
static size_t usable(size_t offset) {
  unsigned class = class_of_unit[offset >> UNIT_SHIFT];
  return class != 0 ? class_size(class - 1) : span_at(offset)->units << UNIT_SHIFT;
}

static __attribute__((noinline)) void give_span(size_t offset) {
  int error = errno;
  spans_give(span_at(offset));
  errno = error;
}

// give gives a block of the pool back.
static inline void give(void *block, size_t offset) {
  unsigned class = class_of_unit[offset >> UNIT_SHIFT];
  if (class != 0)
    cache_give(class - 1, block);
  else
    give_span(offset);
}

SHOWN void *malloc(size_t n) {
  if (by_rule(n, CALLER)) {
    void *block = take(n);
    if (block != NULL)
      return block;
  }
  return __libc_malloc(n);
}

SHOWN void free(void *block) {
  size_t offset;
  if (memory_has(block, &offset))
    give(block, offset);
  else
    __libc_free(block);
}

SHOWN void free_sized(void *block, size_t n) {
  (void)n;
  free(block);
}

SHOWN void free_aligned_sized(void *block, size_t alignment, size_t n) {
  (void)alignment, (void)n;
  free(block);
}

// take_zero takes a block of zeros. New spans are zero already.
static void *take_zero(size_t n) {
  int zero = 0;
  void *block = n <= MOST_SMALL ? take(n) : take_span(n, 1, &zero);
  return block == NULL || zero ? block : memset(block, 0, n);
}

SHOWN void *calloc(size_t count, size_t size) {
  size_t n;
  if (__builtin_mul_overflow(count, size, &n)) {
    errno = ENOMEM;
    return NULL;
  }
  if (by_rule(n, CALLER)) {
    void *block = take_zero(n);
    if (block != NULL)
      return block;
  }
  return __libc_calloc(count, size);
}

// stays says whether a block of the pool of so many usable bytes serves for n bytes where it is. A span is
// made longer or shorter.
static int stays(size_t offset, size_t usable, size_t n) {
  if (class_of_unit[offset >> UNIT_SHIFT] != 0 || n <= MOST_SMALL || !by_size(n))
    return n <= usable && n > usable / 2;
  return n <= memory.size && (spans_resize(span_at(offset), units_of(n)) == 0 || n <= usable);
}

// moved returns a new block of n bytes with the first bytes of an old one.
static void *moved(const void *old, size_t bytes, size_t n, int from_pool) {
  void *block = from_pool ? take(n) : NULL;
  if (block == NULL)
    block = __libc_malloc(n);
  return block == NULL ? NULL : memcpy(block, old, bytes < n ? bytes : n);
}

// resize is realloc of a block of the pool.
static void *resize(void *block, size_t offset, size_t n) {
  size_t bytes = usable(offset);
  if (stays(offset, bytes, n))
    return block;
  void *other = moved(block, bytes, n, by_size(n));
  if (other != NULL)
    give(block, offset);
  return other;
}

// reallocate is realloc. A block of libc moves to the pool if the rules select its new size. Like glibc it frees a
// block whose new size is 0.
static void *reallocate(void *block, size_t n, const void *caller) {
  size_t offset;
  if (block != NULL && memory_has(block, &offset)) {
    if (n > 0)
      return resize(block, offset, n);
    give(block, offset);
    return NULL;
  }
  if (!by_rule(n, caller) || (block != NULL && n == 0))
    return __libc_realloc(block, n);
  if (block != NULL) {
    void *other = moved(block, libc_usable_size(block), n, 1);
    if (other != NULL)
      __libc_free(block);
    return other;
  }
  void *fresh = take(n);
  return fresh != NULL ? fresh : __libc_malloc(n);
}

SHOWN void *realloc(void *block, size_t n) { return reallocate(block, n, CALLER); }

SHOWN void *reallocarray(void *block, size_t count, size_t size) {
  size_t n;
  if (__builtin_mul_overflow(count, size, &n)) {
    errno = ENOMEM;
    return NULL;
  }
  return reallocate(block, n, CALLER);
}

// aligned returns a block at a multiple of alignment, a power of two.
static void *aligned(size_t alignment, size_t n, const void *caller) {
  if (by_rule(n, caller)) {
    void *block = take_aligned(alignment, n);
    if (block != NULL)
      return block;
  }
  return __libc_memalign(alignment, n);
}

static int is_power(size_t n) { return n != 0 && (n & (n - 1)) == 0; }

SHOWN void *aligned_alloc(size_t alignment, size_t n) {
  if (!is_power(alignment)) {
    errno = EINVAL;
    return NULL;
  }
  return aligned(alignment, n, CALLER);
}

// memalign takes the next power of two if alignment is none, like that of glibc.
SHOWN void *memalign(size_t alignment, size_t n) {
  if (alignment > SIZE_MAX / 2 + 1) {
    errno = EINVAL;
    return NULL;
  }
  size_t power = sizeof(void *);
  while (power < alignment)
    power *= 2;
  return aligned(power, n, CALLER);
}

SHOWN int posix_memalign(void **block, size_t alignment, size_t n) {
  if (!is_power(alignment) || alignment % sizeof(void *) != 0)
    return EINVAL;
  int error = errno;
  void *found = aligned(alignment, n, CALLER);
  errno = error;
  if (found == NULL)
    return ENOMEM;
  *block = found;
  return 0;
}

SHOWN void *valloc(size_t n) { return aligned((size_t)sysconf(_SC_PAGESIZE), n, CALLER); }

SHOWN void *pvalloc(size_t n) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if (n > SIZE_MAX - page) {
    errno = ENOMEM;
    return NULL;
  }
  return aligned(page, (n + page - 1) & ~(page - 1), CALLER);
}

SHOWN size_t malloc_usable_size(void *block) {
  size_t offset;
  if (block == NULL)
    return 0;
  return memory_has(block, &offset) ? usable(offset) : libc_usable_size(block);
}

SHOWN int goacp_hook_pool(struct goacp_hook_pool *pool) {
  if (!(rules.on[0] | rules.on[1] | rules.on[2]) || spans_begin() != 0)
    return -1;
  lock(&spans_lock);
  int status = memory_has_file() ? 0 : -1;
  *pool = (struct goacp_hook_pool){memory.fd, memory.base, memory.size, memory.generation};
  unlock(&spans_lock);
  return status;
}
