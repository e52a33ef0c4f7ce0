/* Functions on whole arrays: products, linear equations, sums, distributions, and access to the memory
   of the own block and of others. */
#include "program.h"

enum { N = 47 };

/* a is symmetric: GA_Solve takes it for granted if there is a Cholesky decomposition. */
static double a(int i, int j) { return i == j ? 2 * N : (i + j) % 5; }
static double b(int i, int j) { return (i + 2 * j) % 7 - 3; }

/* made returns an array whose elements each process stores in its own block. */
static int made(char *name, double (*f)(int, int), int blocks) {
  int dims[2] = {N, N}, lo[2], hi[2], ld;
  int g = GA_Create_handle();
  GA_Set_data(g, 2, dims, C_DBL);
  GA_Set_array_name(g, name);
  int map[2] = {0, 0};
  if (blocks)
    GA_Set_irreg_distr(g, map, (int[]){1, 1});
  check(GA_Allocate(g), "no array");
  NGA_Distribution(g, self, lo, hi);
  double *own;
  if (lo[0] >= 0 && lo[0] <= hi[0]) {
    NGA_Access(g, lo, hi, &own, &ld);
    for (int i = lo[0]; i <= hi[0]; i++)
      for (int j = lo[1]; j <= hi[1]; j++)
        own[(i - lo[0]) * ld + j - lo[1]] = f(i, j);
    NGA_Release_update(g, lo, hi);
  }
  GA_Sync();
  return g;
}

static void compare(int g, double (*want)(int, int), double most, const char *what) {
  double *all = malloc(N * N * sizeof *all);
  int lo[2] = {0, 0}, hi[2] = {N - 1, N - 1}, ld = N;
  NGA_Get(g, lo, hi, all, &ld);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double off = all[i * N + j] - want(i, j);
      check(off <= most && off >= -most, "%s: element %d %d: %g, expected %g", what, i, j, all[i * N + j], want(i, j));
    }
  free(all);
  GA_Sync();
}

static double product(int i, int j) {
  double sum = 0;
  for (int k = 0; k < N; k++)
    sum += a(i, k) * b(k, j);
  return sum;
}
static double transposed(int i, int j) { return b(j, i); }
static double combined(int i, int j) { return 2 * a(i, j) - 3 * b(i, j); }
static double times(int i, int j) { return a(i, j) * b(i, j); }

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int g_a = made("a", a, 0), g_b = made("b", b, 0), g_c = GA_Duplicate(g_a, "c");
  int one_block = made("one block", a, 1);
  compare(g_a, a, 0, "store");
  compare(one_block, a, 0, "one block");

  GA_Copy(one_block, g_c);
  compare(g_c, a, 0, "GA_Copy between distributions");
  GA_Transpose(g_b, g_c);
  compare(g_c, transposed, 0, "GA_Transpose");
  double two = 2, three = -3;
  GA_Add(&two, g_a, &three, g_b, g_c);
  compare(g_c, combined, 0, "GA_Add");
  GA_Elem_multiply(g_a, g_b, g_c);
  compare(g_c, times, 0, "GA_Elem_multiply");
  GA_Dgemm('n', 'n', N, N, N, 1, g_a, g_b, 0, g_c);
  compare(g_c, product, 0, "GA_Dgemm");
  GA_Dgemm('n', 'n', N, N, N, 1, g_b, g_a, 0, g_c); /* in C: x times a = c */
  check(GA_Solve(g_a, g_c) == 0, "no solution");
  compare(g_c, b, 1e-9, "GA_Solve");

  double dot = 0, greatest;
  for (int i = 0; i < N * N; i++)
    dot += a(i / N, i % N) * b(i / N, i % N);
  GA_Copy(g_a, g_c);
  check(GA_Ddot(g_a, g_b) == dot, "GA_Ddot: %g, expected %g", GA_Ddot(g_a, g_b), dot);
  int at[2];
  NGA_Select_elem(g_c, "max", &greatest, at);
  check(greatest == 2 * N && at[0] == at[1], "greatest %g at %d %d", greatest, at[0], at[1]);
  double ones[3] = {self, -self, 1};
  GA_Dgop(ones, 3, "absmax");
  check(ones[0] == procs - 1 && ones[1] == procs - 1, "absmax %g %g", ones[0], ones[1]);

  GA_Destroy(one_block);
  GA_Destroy(g_c);
  GA_Destroy(g_b);
  GA_Destroy(g_a);
  return end();
}
