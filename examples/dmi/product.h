/* The values of two matrices, and the check of their product. */
#ifndef PRODUCT_H
#define PRODUCT_H

#include "dmi_api.h"

#include <math.h>

/* Elements of A and B, the same wherever they are computed: integers from -4 to 4, so that sums are exact. */
static inline double element(int which, int64_t i, int64_t j) {
  uint64_t x = (uint64_t)which * 0x9e3779b97f4a7c15u + (uint64_t)i * 0xbf58476d1ce4e5b9u + (uint64_t)j * 0x94d049bb133111ebu;
  x ^= x >> 31;
  x *= 0xd6e8feb86659fd93u;
  return (double)((x >> 40) % 9) - 4;
}

/* Ends the run unless A (B x) = C x for rows first … first + rows - 1 of C, with a vector x of random numbers. */
static inline void check_product(const double *c, int64_t first, int64_t rows, int64_t n) {
  double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
  mrand_init(1);
  for (int64_t i = 0; i < n; i++)
    x[i] = floor(mrand_01() * 9) - 4;
  for (int64_t i = 0; i < n; i++) {
    y[i] = 0;
    for (int64_t j = 0; j < n; j++)
      y[i] += element(1, i, j) * x[j];
  }
  for (int64_t i = 0; i < rows; i++) {
    double left = 0, right = 0;
    for (int64_t j = 0; j < n; j++) {
      left += element(0, first + i, j) * y[j];
      right += c[i * n + j] * x[j];
    }
    if (left != right) {
      fprintf(stderr, "row %ld of the product is wrong: %g, expected %g\n", (long)(first + i), right, left);
      error();
    }
  }
  free(x);
  free(y);
}

#endif
