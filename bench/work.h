/* The arithmetic of programs that are measured with DMI and with MPI: a matrix product, and the method of Jacobi on a plate. */

#ifndef GOACP_BENCH_WORK_H
#define GOACP_BENCH_WORK_H

#include <string.h>

enum {
  ORDER = 1024, /* rows and columns of the matrices */
  PLATE = 1024, /* rows and columns of the plate */
  STEPS = 50,   /* of Jacobi in a sample; even */
  PRODUCTS = 3  /* samples of the product in one run */
};

/* An element of a matrix: a small integer, so that sums are exact. */
static double element(int row, int column) { return (row * 7 + column * 3) % 9 - 4; }

/* c = a b for some rows of a and c. */
static void multiply(int rows, const double *restrict a, const double *restrict b, double *restrict c) {
  for (int i = 0; i < rows * ORDER; i++)
    c[i] = 0;
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < ORDER; k++)
      for (int j = 0; j < ORDER; j++)
        c[i * ORDER + j] += a[i * ORDER + k] * b[k * ORDER + j];
}

/* Sets some rows of the plate to their values at the beginning. first is the number of the first of them. */
static void heat(double *plate, int first, int rows) {
  for (int i = 0; i < rows * PLATE; i++)
    plate[i] = first + i / PLATE == 0 ? 100 : 0;
}

/* One step of Jacobi for some rows of the plate. first is the number of the first of them. The rows are the second and later ones of from and to; the
   rows before and behind them are there, too. The outer rows of the plate stay. */
static void relax(int first, int rows, const double *restrict from, double *restrict to) {
  to += PLATE;
  for (int i = 0; i < rows; i++) {
    const double *at = from + (i + 1) * PLATE;
    if (first + i == 0 || first + i == PLATE - 1) {
      memcpy(to + i * PLATE, at, PLATE * sizeof *to);
      continue;
    }
    to[i * PLATE] = at[0];
    to[i * PLATE + PLATE - 1] = at[PLATE - 1];
    for (int j = 1; j < PLATE - 1; j++)
      to[i * PLATE + j] = (at[j - PLATE] + at[j + PLATE] + at[j - 1] + at[j + 1]) / 4;
  }
}

/* The sum of some values. */
static double sum_of(const double *values, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += values[i];
  return sum;
}

#endif
