/*
 * A matrix product C = A B. Each thread computes some rows of C. A and C have one page for the rows of each thread, B is one page.
 *
 *     dmimw -n 2 ./matmat_dmi 2 2 512
 *
 * NODES THREADS N: N is a multiple of NODES * THREADS. Every thread checks its rows with random vectors.
 */
#include "product.h"

#include <time.h>

struct shared {
  int64_t n, a, b, c, barrier;
};

void DMI_main(int argc, char **argv) {
  struct shared s;
  int64_t at;
  if (argc != 4) {
    outn("usage: %s NODES THREADS N", argv[0]);
    error();
  }
  int32_t nodes = atoi(argv[1]), threads = atoi(argv[2]), all = nodes * threads;
  s.n = atoi(argv[3]);
  if (all <= 0 || s.n <= 0 || s.n % all != 0) {
    outn("%s: N is %s, expected a multiple of %d threads", argv[0], argv[3], all);
    error();
  }
  int64_t rows = s.n / all * s.n * (int64_t)sizeof(double);
  catch(DMI_mmap(&at, sizeof s, 1, NULL));
  catch(DMI_mmap(&s.a, rows, all, NULL));
  catch(DMI_mmap(&s.b, s.n * s.n * (int64_t)sizeof(double), 1, NULL));
  catch(DMI_mmap(&s.c, rows, all, NULL));
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

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Writes rows first … first + rows - 1 of a matrix. */
static void fill(double *m, int which, int64_t first, int64_t rows, int64_t n) {
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < n; j++)
      m[i * n + j] = element(which, first + i, j);
}

int32_t DMI_scaleunit(int my_rank, int pnum, int64_t at) {
  struct shared s;
  DMI_local_barrier_t barrier;
  catch(DMI_read(at, sizeof s, &s, DMI_GET, NULL));
  bind_to_cpu(my_rank % PROCNUM);
  catch(DMI_local_barrier_init(&barrier, s.barrier));
  int64_t n = s.n, rows = n / pnum, first = my_rank * rows, bytes = rows * n * (int64_t)sizeof(double);
  double *a = malloc((size_t)bytes), *c = calloc((size_t)(rows * n), sizeof *c), *b = malloc((size_t)(n * n) * sizeof *b);

  /* Rank 0 has the matrices at first. */
  if (my_rank == 0) {
    fill(b, 0, 0, n, n);
    catch(DMI_write(s.a, n * n * (int64_t)sizeof *b, b, DMI_EXCLUSIVE, NULL));
    fill(b, 1, 0, n, n);
    catch(DMI_write(s.b, n * n * (int64_t)sizeof *b, b, DMI_EXCLUSIVE, NULL));
  }
  catch(DMI_local_barrier_sync(&barrier, pnum));
  double begin = now();
  catch(DMI_read(s.a + my_rank * bytes, bytes, a, DMI_GET, NULL));
  catch(DMI_read(s.b, n * n * (int64_t)sizeof *b, b, DMI_INVALIDATE, NULL));
  for (int64_t i = 0; i < rows; i++)
    for (int64_t k = 0; k < n; k++)
      for (int64_t j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  catch(DMI_write(s.c + my_rank * bytes, bytes, c, DMI_EXCLUSIVE, NULL));
  catch(DMI_local_barrier_sync(&barrier, pnum));
  double seconds = now() - begin;

  /* What the thread checks comes from global memory again. */
  memset(c, 0, (size_t)bytes);
  catch(DMI_read(s.c + my_rank * bytes, bytes, c, DMI_GET, NULL));
  check_product(c, first, rows, n);
  catch(DMI_local_barrier_sync(&barrier, pnum));
  if (my_rank == 0)
    outn("%ld x %ld by %d threads: the product is right; %.3f s", (long)n, (long)n, pnum, seconds);
  catch(DMI_local_barrier_destroy(&barrier));
  free(a);
  free(b);
  free(c);
  return 0;
}
