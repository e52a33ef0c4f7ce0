/* Measures with MPI what dmi_work_bench.c measures with DMI: mpi_work_bench SOURCE NAME. With 2 processes it makes the matrix product, with 4
   the method of Jacobi. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "samples.h"
#include "work.h"

static const char *source, *prefix;

/* Reports a figure of a sample as rank 0. Samples before the first one warm up. */
static void say(int rank, int sample, const char *name, double ns) {
  char figure[64];
  snprintf(figure, sizeof figure, "%s%s", prefix, name);
  if (rank == 0 && sample >= 0)
    report(source, figure, ns);
}

static void product(int rank, int size) {
  const int rows = ORDER / size, part = rows * ORDER;
  double *a = malloc((size_t)part * sizeof *a), *c = malloc((size_t)part * sizeof *c);
  double *b = malloc((size_t)part * (size_t)size * sizeof *b), *all = malloc((size_t)part * (size_t)size * sizeof *all);
  for (int sample = -1; sample < PRODUCTS; sample++) {
    for (int i = 0; rank == 0 && i < ORDER * ORDER; i++)
      all[i] = b[i] = element(i / ORDER, i % ORDER);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = now();
    MPI_Scatter(all, part, MPI_DOUBLE, a, part, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(b, ORDER * ORDER, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    multiply(rows, a, b, c);
    MPI_Barrier(MPI_COMM_WORLD);
    say(rank, sample, "product", now() - begin);
  }
  if (rank == 0)
    fprintf(stderr, "product: sum %g\n", sum_of(c, part));
  free(a);
  free(b);
  free(c);
  free(all);
}

static void jacobi(int rank, int size) {
  const int rows = PLATE / size, before = rank > 0 ? rank - 1 : MPI_PROC_NULL, behind = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  const size_t bytes = PLATE * sizeof(double);
  double *at = malloc((size_t)(rows + 2) * bytes), *next = malloc((size_t)(rows + 2) * bytes);
  for (int sample = -1; sample < samples; sample++) {
    heat(at, rank * rows - 1, rows + 2);
    heat(next, rank * rows - 1, rows + 2);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = now();
    for (int t = 0; t < STEPS; t++) {
      MPI_Sendrecv(at + PLATE, PLATE, MPI_DOUBLE, before, 0, at + (rows + 1) * PLATE, PLATE, MPI_DOUBLE, behind, 0,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Sendrecv(at + rows * PLATE, PLATE, MPI_DOUBLE, behind, 1, at, PLATE, MPI_DOUBLE, before, 1, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      relax(rank * rows, rows, at, next);
      double *other = at;
      at = next;
      next = other;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    say(rank, sample, "jacobi", (now() - begin) / STEPS);
  }
  if (rank == 0)
    fprintf(stderr, "jacobi: sum %g\n", sum_of(at + PLATE, rows * PLATE));
  free(at);
  free(next);
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  source = argc > 1 ? argv[1] : "mpi";
  prefix = argc > 2 ? argv[2] : "dmi";
  if (size == 2)
    product(rank, size);
  else
    jacobi(rank, size);
  MPI_Finalize();
  return 0;
}
