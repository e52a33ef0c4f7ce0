/*
 * A matrix product C = A B by the algorithm of Fox. The matrices are cut into q x q blocks, one for each of q * q threads; a block is
 * a page. In round r the threads of row i use block (i, i + r) of A, and each thread the block of B that is r rows below its own.
 *
 *     dmimw -n 2 ./fox_dmi 2 2 4 512
 *
 * NODES THREADS GRID N: GRID = q * q of the threads work, and N is a multiple of q. Each of them checks its block.
 */
#include "product.h"

struct shared {
  int64_t n, q, a, b, c, barrier;
};

void DMI_main(int argc, char **argv) {
  struct shared s;
  int64_t at;
  if (argc != 5) {
    outn("usage: %s NODES THREADS GRID N", argv[0]);
    error();
  }
  int32_t nodes = atoi(argv[1]), threads = atoi(argv[2]), grid = atoi(argv[3]);
  s.n = atoi(argv[4]);
  s.q = (int64_t)(sqrt((double)grid) + 0.5);
  if (grid <= 0 || s.q * s.q != grid || grid > nodes * threads || s.n <= 0 || s.n % s.q != 0) {
    outn("%s: GRID is %d and N is %ld, expected a square of at most %d, and a multiple of its root", argv[0], grid, (long)s.n, nodes * threads);
    error();
  }
  int64_t block = s.n / s.q * (s.n / s.q) * (int64_t)sizeof(double);
  catch(DMI_mmap(&at, sizeof s, 1, NULL));
  catch(DMI_mmap(&s.a, block, grid, NULL));
  catch(DMI_mmap(&s.b, block, grid, NULL));
  catch(DMI_mmap(&s.c, block, grid, NULL));
  catch(DMI_mmap(&s.barrier, sizeof(DMI_barrier_t), 1, NULL));
  catch(DMI_barrier_init(s.barrier));
  catch(DMI_write(at, sizeof s, &s, DMI_EXCLUSIVE, NULL));
  catch(DMI_rescale(at, nodes, threads));
  catch(DMI_barrier_destroy(s.barrier));
  catch(DMI_munmap(s.barrier, NULL));
  catch(DMI_munmap(s.c, NULL));
  catch(DMI_munmap(s.b, NULL));
  catch(DMI_munmap(s.a, NULL));
  catch(DMI_munmap(at, NULL));
}

/* The block of a thread. */
struct block {
  int64_t row, column, size, bytes, q;
  double *mine, *a, *b;
};

static int64_t page(const struct block *k, int64_t row, int64_t column) { return (row * k->q + column % k->q) * k->bytes; }

static void fill(const struct block *k, int which, double *m) {
  for (int64_t i = 0; i < k->size; i++)
    for (int64_t j = 0; j < k->size; j++)
      m[i * k->size + j] = element(which, k->row * k->size + i, k->column * k->size + j);
}

static void multiply(const struct block *k) {
  for (int64_t i = 0; i < k->size; i++)
    for (int64_t l = 0; l < k->size; l++)
      for (int64_t j = 0; j < k->size; j++)
        k->mine[i * k->size + j] += k->a[i * k->size + l] * k->b[l * k->size + j];
}

static void work(const struct shared *s, const struct block *k, DMI_local_barrier_t *barrier, int32_t grid) {
  fill(k, 0, k->a);
  fill(k, 1, k->b);
  catch(DMI_write(s->a + page(k, k->row, k->column), k->bytes, k->a, DMI_EXCLUSIVE, NULL));
  catch(DMI_write(s->b + page(k, k->row, k->column), k->bytes, k->b, DMI_EXCLUSIVE, NULL));
  catch(DMI_local_barrier_sync(barrier, grid));
  for (int64_t round = 0; round < k->q; round++) {
    int64_t between = (k->row + round) % k->q;
    catch(DMI_read(s->a + page(k, k->row, between), k->bytes, k->a, DMI_INVALIDATE, NULL));
    catch(DMI_read(s->b + page(k, between, k->column), k->bytes, k->b, DMI_INVALIDATE, NULL));
    multiply(k);
  }
  catch(DMI_write(s->c + page(k, k->row, k->column), k->bytes, k->mine, DMI_EXCLUSIVE, NULL));
  catch(DMI_local_barrier_sync(barrier, grid));
}

/* Checks the rows of C whose blocks begin in column 0. */
static void check_row(const struct shared *s, const struct block *k) {
  double *rows = malloc((size_t)(k->size * s->n) * sizeof *rows);
  for (int64_t column = 0; column < k->q; column++) {
    catch(DMI_read(s->c + page(k, k->row, column), k->bytes, k->a, DMI_GET, NULL));
    for (int64_t i = 0; i < k->size; i++)
      memcpy(rows + i * s->n + column * k->size, k->a + i * k->size, (size_t)k->size * sizeof *rows);
  }
  check_product(rows, k->row * k->size, k->size, s->n);
  free(rows);
}

int32_t DMI_scaleunit(int my_rank, int pnum, int64_t at) {
  struct shared s;
  struct block k;
  DMI_local_barrier_t barrier;
  (void)pnum;
  catch(DMI_read(at, sizeof s, &s, DMI_GET, NULL));
  int32_t grid = (int32_t)(s.q * s.q);
  if (my_rank >= grid)
    return 0;
  bind_to_cpu(my_rank % PROCNUM);
  catch(DMI_local_barrier_init(&barrier, s.barrier));
  k.q = s.q;
  k.row = my_rank / s.q;
  k.column = my_rank % s.q;
  k.size = s.n / s.q;
  k.bytes = k.size * k.size * (int64_t)sizeof(double);
  k.mine = calloc((size_t)(k.size * k.size), sizeof(double));
  k.a = malloc((size_t)k.bytes);
  k.b = malloc((size_t)k.bytes);
  work(&s, &k, &barrier, grid);
  if (k.column == 0)
    check_row(&s, &k);
  catch(DMI_local_barrier_sync(&barrier, grid));
  if (my_rank == 0)
    outn("%ld x %ld in %d blocks: the product is right", (long)s.n, (long)s.n, grid);
  catch(DMI_local_barrier_destroy(&barrier));
  free(k.mine);
  free(k.a);
  free(k.b);
  return 0;
}
