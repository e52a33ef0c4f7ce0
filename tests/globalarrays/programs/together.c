/* All processes change the same elements at the same time: accumulates, counters, mutexes, lists of
   elements. Nothing may get lost. */
#include "program.h"

enum { N = 64, ROUNDS = 50 };

/* Accumulates of all processes into all of an array, blocking and not. */
static void accumulate(void) {
  int dims[2] = {N, N}, lo[2] = {0, 0}, hi[2] = {N - 1, N - 1}, ld = N;
  double one = 1, *buf = malloc(N * N * sizeof *buf), *again = malloc(N * N * sizeof *again);
  int g = NGA_Create(C_DBL, 2, dims, "sum", NULL);
  GA_Zero(g);
  for (int i = 0; i < N * N; i++)
    buf[i] = i;
  for (int r = 0; r < ROUNDS; r++) {
    ga_nbhdl_t handle;
    NGA_NbAcc(g, lo, hi, buf, &ld, &one, &handle);
    NGA_Acc(g, lo, hi, buf, &ld, &one);
    NGA_NbWait(&handle);
  }
  GA_Sync();
  NGA_Get(g, lo, hi, again, &ld);
  for (int i = 0; i < N * N; i++)
    check(again[i] == 2.0 * ROUNDS * procs * i, "element %d: %g", i, again[i]);
  free(buf);
  free(again);
  GA_Destroy(g);
}

/* Each number of a counter is drawn once. */
static void count(int type) {
  int dim = 3, at = 2;
  long drawn = 0, sum = 0;
  int g = NGA_Create(type, 1, &dim, "counter", NULL);
  GA_Zero(g);
  for (int i = 0; i < 500; i++, drawn++)
    sum += NGA_Read_inc(g, &at, 1);
  GA_Lgop(&sum, 1, "+");
  long n = 500L * procs;
  check(sum == n * (n - 1) / 2, "the numbers add up to %ld", sum);
  GA_Sync();
  check(NGA_Read_inc(g, &at, 0) == n, "the counter is not %ld", n);
  GA_Sync();
  GA_Destroy(g);
}

/* A mutex protects numbers that lie on the last process. */
static void lock(void) {
  int dims = 2 * procs, lo = 2 * procs - 2, hi = 2 * procs - 1, two[2];
  int g = NGA_Create(C_INT, 1, &dims, "locked", NULL);
  GA_Zero(g);
  check(GA_Create_mutexes(3), "no mutexes");
  for (int i = 0; i < 100; i++) {
    GA_Lock(2);
    NGA_Get(g, &lo, &hi, two, NULL);
    check(two[0] == two[1], "%d and %d", two[0], two[1]);
    two[0]++;
    two[1]++;
    NGA_Put(g, &lo, &hi, two, NULL);
    GA_Init_fence();
    GA_Fence();
    GA_Unlock(2);
  }
  GA_Sync();
  NGA_Get(g, &lo, &hi, two, NULL);
  check(two[0] == 100 * procs, "%d locks", two[0]);
  check(GA_Destroy_mutexes(), "mutexes remain");
  GA_Destroy(g);
}

/* Lists of elements: each process scatters its own elements, adds to all, and gathers all. */
static void scatter(void) {
  int dims[2] = {N, N}, n = 0;
  long one = 1;
  int(*subs)[2] = malloc(N * N * sizeof *subs), **list = malloc(N * N * sizeof *list);
  long *values = malloc(N * N * sizeof *values);
  int g = NGA_Create(C_LONG, 2, dims, "list", NULL);
  GA_Zero(g);
  for (int i = 0; i < N * N; i++)
    if (i % procs == self) {
      subs[n][0] = i % N;
      subs[n][1] = i / N;
      values[n] = i;
      list[n] = subs[n];
      n++;
    }
  NGA_Scatter(g, values, list, n);
  GA_Sync();
  for (int i = 0; i < N * N; i++) {
    subs[i][0] = i % N;
    subs[i][1] = i / N;
    values[i] = 1;
    list[i] = subs[i];
  }
  NGA_Scatter_acc(g, values, list, N * N, &one);
  GA_Sync();
  NGA_Gather(g, values, list, N * N);
  for (int i = 0; i < N * N; i++)
    check(values[i] == i + procs, "element %d: %ld", i, values[i]);
  NGA_Gather_flat(g, values, &subs[0][0], N * N);
  for (int i = 0; i < N * N; i++)
    check(values[i] == i + procs, "flat element %d: %ld", i, values[i]);
  free(subs);
  free(list);
  free(values);
  GA_Destroy(g);
}

/* Many transfers are in flight at once. */
static void outstanding(void) {
  enum { MANY = 200 };
  int dims[2] = {MANY, 37};
  ga_nbhdl_t handle[MANY];
  int(*row)[37] = malloc(MANY * sizeof *row), ld = 37;
  int g = NGA_Create(C_INT, 2, dims, "rows", NULL);
  GA_Zero(g);
  for (int r = self; r < MANY; r += procs) {
    int lo[2] = {r, 0}, hi[2] = {r, 36};
    for (int c = 0; c < 37; c++)
      row[r][c] = 37 * r + c;
    NGA_NbPut(g, lo, hi, row[r], &ld, &handle[r]);
  }
  for (int r = self; r < MANY; r += procs)
    NGA_NbWait(&handle[r]);
  GA_Sync();
  for (int r = 0; r < MANY; r++) {
    int lo[2] = {r, 0}, hi[2] = {r, 36};
    NGA_NbGet(g, lo, hi, row[r], &ld, &handle[r]);
  }
  for (int r = MANY - 1; r >= 0; r--) {
    NGA_NbWait(&handle[r]);
    for (int c = 0; c < 37; c++)
      check(row[r][c] == 37 * r + c, "row %d, column %d: %d", r, c, row[r][c]);
  }
  free(row);
  GA_Sync();
  GA_Destroy(g);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  accumulate();
  count(C_INT);
  count(C_LONG);
  lock();
  scatter();
  outstanding();
  return end();
}
