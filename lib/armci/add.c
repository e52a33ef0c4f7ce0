// The arithmetic of accumulate on mapped memory, and the page locks. Mirrors Accumulate of
// internal/system/armci/element, and pageLock and adder of internal/system/armci/transfer, with two differences. The
// compiler vectorizes the loops. An adder holds several locks, and pageLock holds one.

#pragma GCC optimize("O3")

#include "near.h"

#include "futex.h"

#include <string.h>

// Types for memory of programs. The memory may have any type, and on the caller's side any alignment.
#define MEMORY_OF(type, name)                                                  \
  typedef type name __attribute__((may_alias));                                \
  typedef type name##_anywhere __attribute__((may_alias, aligned(1)))
MEMORY_OF(uint32_t, word4);
MEMORY_OF(uint64_t, word8);
MEMORY_OF(float, real4);
MEMORY_OF(double, real8);

int goacp_armci_element_size(int type) {
  static const int sizes[] = {4, 8, 4, 8, 8, 16};
  return sizes[type];
}

int goacp_armci_component_size(int type) {
  static const int sizes[] = {4, 8, 4, 8, 4, 8};
  return sizes[type];
}

// Sums without a factor of one are exact.
#define ADD_REAL(name, type)                                                   \
  WIDE static void add_##name(type *restrict dst, const type##_anywhere *restrict src, size_t n, \
                              type scale) {                                    \
    if (scale == 1)                                                            \
      for (size_t i = 0; i < n; i++)                                           \
        dst[i] += src[i];                                                      \
    else                                                                       \
      for (size_t i = 0; i < n; i++)                                           \
        dst[i] += scale * src[i];                                              \
  }

ADD_REAL(int, word4)
ADD_REAL(long, word8)
ADD_REAL(float, real4)
ADD_REAL(double, real8)

// n is the number of complex numbers.
#define ADD_COMPLEX(name, type, real)                                          \
  WIDE static void add_##name(type *restrict dst, const type##_anywhere *restrict src, size_t n, type a, \
                              type b) {                                        \
    if (a == 1 && b == 0) {                                                    \
      add_##real(dst, src, 2 * n, 1);                                          \
      return;                                                                  \
    }                                                                          \
    for (size_t i = 0; i < n; i++) {                                           \
      type x = src[2 * i], y = src[2 * i + 1];                                 \
      dst[2 * i] += a * x - b * y;                                             \
      dst[2 * i + 1] += a * y + b * x;                                         \
    }                                                                          \
  }

ADD_COMPLEX(complex, real4, float)
ADD_COMPLEX(double_complex, real8, double)

// Adds one real number, without the cost of a loop. Returns whether type is a real type.
static inline int add_one(int type, const void *scale, char *dst, const char *src) {
  switch (type) {
  case ARMCI_ACC_INT:
    *(word4 *)dst += *(const word4_anywhere *)scale * *(const word4_anywhere *)src;
    return 1;
  case ARMCI_ACC_LNG:
    *(word8 *)dst += *(const word8_anywhere *)scale * *(const word8_anywhere *)src;
    return 1;
  case ARMCI_ACC_FLT:
    *(real4 *)dst += *(const real4_anywhere *)scale * *(const real4_anywhere *)src;
    return 1;
  case ARMCI_ACC_DBL:
    *(real8 *)dst += *(const real8_anywhere *)scale * *(const real8_anywhere *)src;
    return 1;
  }
  return 0;
}

// Adds n bytes.
static void add_elements(int type, const void *scale, char *dst, const char *src, size_t n) {
  switch (type) {
  case ARMCI_ACC_INT:
    add_int((word4 *)dst, (const word4_anywhere *)src, n / 4, *(const word4_anywhere *)scale);
    return;
  case ARMCI_ACC_LNG:
    add_long((word8 *)dst, (const word8_anywhere *)src, n / 8, *(const word8_anywhere *)scale);
    return;
  case ARMCI_ACC_FLT:
    add_float((real4 *)dst, (const real4_anywhere *)src, n / 4, *(const real4_anywhere *)scale);
    return;
  case ARMCI_ACC_DBL:
    add_double((real8 *)dst, (const real8_anywhere *)src, n / 8, *(const real8_anywhere *)scale);
    return;
  case ARMCI_ACC_CPL:
    add_complex((real4 *)dst, (const real4_anywhere *)src, n / 8,
                ((const real4_anywhere *)scale)[0], ((const real4_anywhere *)scale)[1]);
    return;
  case ARMCI_ACC_DCP:
    add_double_complex((real8 *)dst, (const real8_anywhere *)src, n / 16,
                       ((const real8_anywhere *)scale)[0], ((const real8_anywhere *)scale)[1]);
    return;
  }
}

int goacp_armci_adder(struct adder *a, const struct goacp_armci *t, int proc, int type,
                      const void *scale) {
  const struct goacp_armci_proc *p = &t->entries[proc];
  uint64_t bytes = GOACP_ARMCI_LOCK_COUNT * sizeof(struct goacp_armci_page_lock);
  a->locks = (struct goacp_armci_page_lock *)goacp_at(t->direct, p->rank << GOACP_POSITION_BITS | p->locks, bytes);
  memset(a->held, 0, sizeof a->held);
  a->bytes = 0;
  a->type = type;
  a->scale = scale;
  return a->locks != NULL;
}

void goacp_armci_adder_end(struct adder *a) {
  for (uint64_t i = 0; i < 4; i++)
    for (uint64_t left = a->held[i]; left != 0; left &= left - 1)
      goacp_mutex_unlock(&a->locks[i * 64 + (uint64_t)__builtin_ctzll(left)].mutex);
  memset(a->held, 0, sizeof a->held);
  a->bytes = 0;
}

// Takes a lock. If it is not free, it releases the other locks first. Returns whether they are still held.
static int take_lock(struct adder *a, uint64_t lock) {
  struct goacp_mutex *m = &a->locks[lock].mutex;
  int at_once = goacp_mutex_try_lock(m);
  if (!at_once) {
    goacp_armci_adder_end(a);
    goacp_mutex_lock_slow(m);
  }
  a->held[lock / 64] |= (uint64_t)1 << lock % 64;
  return at_once;
}

// Takes the lock of the page that has a position.
static inline void take(struct adder *a, uint64_t position) {
  uint64_t page = position / GOACP_ARMCI_LOCKED_PAGE;
  if ((a->held[page % GOACP_ARMCI_LOCK_COUNT / 64] >> page % 64 & 1) == 0)
    take_lock(a, page % GOACP_ARMCI_LOCK_COUNT);
}

// How many bytes are accumulated before locks are given back.
enum { ONE_HOLD = 2 * GOACP_ARMCI_LOCKED_PAGE };

// Gives back the locks if they have been held for long, before n bytes are accumulated.
static inline void ease(struct adder *a, size_t n) {
  if (a->bytes >= ONE_HOLD)
    goacp_armci_adder_end(a);
  a->bytes += n;
}

// Adds a complex number whose parts lie in two pages.
static void add_across(struct adder *a, char *dst, uint64_t position, const char *src, size_t n) {
  const float one4 = 1;
  const double one8 = 1;
  double product[2] = {0, 0};
  size_t width = n / 2;
  add_elements(a->type, a->scale, (char *)product, src, n);
  for (size_t i = 0; i < n; i += width) {
    take(a, position + i);
    add_elements(width == sizeof one4 ? ARMCI_ACC_FLT : ARMCI_ACC_DBL,
                 width == sizeof one4 ? (const void *)&one4 : (const void *)&one8, dst + i,
                 (const char *)product + i, width);
  }
}

void goacp_armci_add(struct adder *a, char *dst, uint64_t position, const char *src, size_t n) {
  size_t size = (size_t)goacp_armci_element_size(a->type);
  ease(a, n);
  if (n == size && position % size == 0) {
    take(a, position);
    if (add_one(a->type, a->scale, dst, src))
      return;
  }
  while (n > 0) {
    size_t left = GOACP_ARMCI_LOCKED_PAGE - position % GOACP_ARMCI_LOCKED_PAGE;
    size_t part = left / size * size; // of whole elements
    if (part > n)
      part = n;
    if (part > 0) {
      take(a, position);
      add_elements(a->type, a->scale, dst, src, part);
    } else {
      part = size;
      add_across(a, dst, position, src, part);
    }
    dst += part;
    position += part;
    src += part;
    n -= part;
    if (n > 0)
      goacp_armci_adder_end(a); // so that other processes can use a page while this process uses the next
  }
}

// The loop of goacp_armci_add_each for one type. lock takes the lock of an address.
#define ADD_EACH(type, lock)                                                   \
  for (int i = 0; i < n; i++) {                                                \
    uintptr_t at = (uintptr_t)dst[i];                                          \
    lock;                                                                      \
    *(type *)(at + shift) += *(const type##_anywhere *)scale * *(const type##_anywhere *)src[i]; \
  }                                                                            \
  break

#define ADD_EACH_OF(type, lock)                                                \
  switch (type) {                                                              \
  case ARMCI_ACC_INT:                                                          \
    ADD_EACH(word4, lock);                                                     \
  case ARMCI_ACC_LNG:                                                          \
    ADD_EACH(word8, lock);                                                     \
  case ARMCI_ACC_FLT:                                                          \
    ADD_EACH(real4, lock);                                                     \
  case ARMCI_ACC_DBL:                                                          \
    ADD_EACH(real8, lock);                                                     \
  }

// Takes the locks of all pages from the first to the last position if they are few for n segments, and
// free. Locks between the additions would wait each time for the stores before.
static int take_all(struct adder *a, uint64_t first, uint64_t last, int n) {
  enum { SEGMENTS_OF_PAGE = 16, MOST_PAGES = 64 };
  uint64_t page = first / GOACP_ARMCI_LOCKED_PAGE, end = last / GOACP_ARMCI_LOCKED_PAGE + 1;
  if (end - page > MOST_PAGES || (end - page) * SEGMENTS_OF_PAGE > (uint64_t)n)
    return 0;
  for (; page < end; page++)
    if (!take_lock(a, page % GOACP_ARMCI_LOCK_COUNT))
      return 0;
  return 1;
}

int goacp_armci_most_segments(int type) { return ONE_HOLD / goacp_armci_element_size(type); }

void goacp_armci_add_each(struct adder *a, const struct window *w, uint64_t base, void **dst, void **src,
                          int n, const struct seen *seen) {
  uintptr_t shift = (uintptr_t)w->here - w->low;
  const void *scale = a->scale;
  goacp_armci_adder_end(a);
  if (take_all(a, seen->least - base, seen->greatest - base, n)) {
    ADD_EACH_OF(a->type, )
  } else {
    struct adder b = *a; // which no store to memory of programs changes
    ADD_EACH_OF(b.type, take(&b, at - base))
    *a = b;
  }
  goacp_armci_adder_end(a);
}
