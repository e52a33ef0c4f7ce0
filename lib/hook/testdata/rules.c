// rules SIZE... prints for each size where malloc, calloc, aligned_alloc and realloc take the block from.

#include "check.h"

static void show(const void *p) { putchar(in_pool(p) ? 'p' : 'l'); }

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    size_t n = strtoull(argv[i], NULL, 0);
    void *m = malloc(n), *c = calloc(n, 1), *a = aligned_alloc(64, n), *r = malloc(2);
    strcpy(r, "x");
    r = realloc(r, n == 0 ? 1 : n);
    CHECK(*(char *)r == 'x');
    printf("%zu:", n);
    show(m);
    show(c);
    show(a);
    show(r);
    // Back to two bytes, and to the same size by realloc from a long block.
    r = realloc(r, 2);
    CHECK(*(char *)r == 'x');
    r = realloc(r, (size_t)1 << 20);
    CHECK(*(char *)r == 'x');
    free(m);
    free(c);
    free(a);
    free(r);
    putchar(i + 1 < argc ? ' ' : '\n');
  }
  FILE *f = tmpfile();
  CHECK(f != NULL && !in_pool(f));
  fclose(f);
  struct goacp_hook_pool pool;
  if (goacp_hook_pool == NULL || goacp_hook_pool(&pool) != 0)
    puts("no pool");
  return 0;
}
