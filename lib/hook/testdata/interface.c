// Each function of the allocator, at all sizes and at the edges. All sizes come from the pool.

#include "check.h"

static void sizes(void) {
  for (size_t n = 0; n < 600000; n += n < 5000 ? 1 : n / 7) {
    unsigned char *p = malloc(n);
    CHECK(p != NULL && in_pool(p) && (uintptr_t)p % 16 == 0);
    size_t usable = malloc_usable_size(p);
    CHECK(usable >= n);
    CHECK(usable <= (n < 16 ? 16 : n < 128 ? n + 16 : n + n / 4 + 8192));
    memset(p, 0xa5, usable);
    unsigned char *q = malloc(n);
    CHECK(q + malloc_usable_size(q) <= p || p + usable <= q);
    free(p);
    // A block that was written and freed is what calloc is likely to get.
    p = calloc(n, 1);
    CHECK(in_pool(p));
    for (size_t i = 0; i < n; i++)
      CHECK(p[i] == 0);
    free(p);
    free(q);
  }
}

static void zeros(void) {
  for (int round = 0; round < 3; round++)
    for (size_t n = (size_t)1 << 18; n <= (size_t)64 << 20; n *= 4) {
      unsigned char *p = calloc(n / 16, 16);
      for (size_t i = 0; i < n; i += 64)
        CHECK(p[i] == 0);
      memset(p, 1, n);
      free(p);
    }
}

static void alignments(void) {
  for (size_t a = 1; a <= (size_t)64 << 20; a *= 2)
    for (size_t n = 0; n <= 300000; n = n * 5 + 1) {
      unsigned char *p = aligned_alloc(a, n), *q = memalign(a, n);
      CHECK(p != NULL && in_pool(p) && (uintptr_t)p % a == 0 && malloc_usable_size(p) >= n);
      CHECK(q != NULL && in_pool(q) && (uintptr_t)q % a == 0);
      fill(p, n, 1);
      fill(q, n, 2);
      p = realloc(p, n + n / 2 + 1);
      CHECK(filled(p, n, 1) && filled(q, n, 2));
      void *r = p;
      if (a >= sizeof(void *)) {
        CHECK(posix_memalign(&r, a, n) == 0 && (uintptr_t)r % a == 0 && r != p);
        free(r);
      }
      free(p);
      free(q);
    }
  void *page = valloc(10), *pages = pvalloc(10);
  CHECK((uintptr_t)page % (size_t)sysconf(_SC_PAGESIZE) == 0 && in_pool(page));
  CHECK((uintptr_t)pages % (size_t)sysconf(_SC_PAGESIZE) == 0 && in_pool(pages));
  CHECK(malloc_usable_size(pages) >= (size_t)sysconf(_SC_PAGESIZE));
  free(page);
  free(pages);
}

static void errors(void) {
  void *volatile p = (void *)1;
  void *out = &out;
  volatile size_t most = SIZE_MAX, half = PTRDIFF_MAX;
  errno = 0;
  CHECK((p = malloc(most)) == NULL && errno == ENOMEM);
  errno = 0;
  CHECK((p = malloc(half)) == NULL && errno == ENOMEM);
  errno = 0;
  CHECK((p = calloc(most / 2, 3)) == NULL && errno == ENOMEM);
  errno = 0;
  CHECK((p = reallocarray(NULL, most / 2, 3)) == NULL && errno == ENOMEM);
  errno = 0;
  CHECK((p = aligned_alloc(24, 100)) == NULL && errno == EINVAL);
  errno = 0;
  CHECK((p = memalign(most, 100)) == NULL && errno == EINVAL);
  errno = 0;
  CHECK((p = pvalloc(most)) == NULL && errno == ENOMEM);
  errno = 77;
  CHECK(posix_memalign(&out, 0, 10) == EINVAL && posix_memalign(&out, 4, 10) == EINVAL);
  CHECK(posix_memalign(&out, 24, 10) == EINVAL && posix_memalign(&out, 64, most) == ENOMEM);
  CHECK(errno == 77 && out == &out);
  CHECK((p = malloc(100)) != NULL);
  fill(p, 100, 5);
  void *volatile q;
  CHECK((q = realloc(p, half)) == NULL && filled(p, 100, 5));
  errno = 77;
  free(p);
  p = malloc((size_t)40 << 20);
  memset(p, 1, (size_t)40 << 20);
  free(p);
  free(NULL);
  CHECK(errno == 77 && malloc_usable_size(NULL) == 0);
  p = malloc(50);
  CHECK(realloc(p, 0) == NULL);
  // Two blocks of no bytes are two blocks.
  p = malloc(0);
  q = malloc(0);
  CHECK(p != NULL && q != NULL && p != q);
  free(p);
  free(q);
}

static void reallocs(void) {
  uint64_t state = 88172645463325252u;
  size_t n = 10;
  unsigned char *p = malloc(n);
  fill(p, n, 9);
  for (int i = 0; i < 3000; i++) {
    size_t m = 1 + random_size(&state, 21), both = m < n ? m : n;
    p = i % 2 ? realloc(p, m) : reallocarray(p, m, 1);
    CHECK(in_pool(p) && filled(p, both, 9));
    fill(p, n = m, 9);
  }
  free(p);
  // A block at the end of what is in use grows where it is.
  p = malloc(1 << 20);
  unsigned char *longer = realloc(p, 8 << 20);
  CHECK(malloc_usable_size(longer) >= 8 << 20);
  free(longer);
}

int main(void) {
  sizes();
  zeros();
  alignments();
  errors();
  reallocs();
  return 0;
}
