/* Ghost cells: after an update the cells around the own block have the values of the neighbours, also
   across the edges of the array. Periodic patches do the same without ghost cells. */
#include "program.h"

enum { X = 24, Y = 31 };

static int value(int x, int y) { return 1000 * ((x + X) % X) + (y + Y) % Y; }

/* fill gives all elements of the array their values. */
static void fill(int g) {
  int *all = malloc(X * Y * sizeof *all), lo[2] = {0, 0}, hi[2] = {X - 1, Y - 1}, ld = Y;
  for (int i = 0; i < X * Y; i++)
    all[i] = value(i / Y, i % Y);
  if (self == procs - 1)
    NGA_Put(g, lo, hi, all, &ld);
  GA_Sync();
  free(all);
}

/* around compares the own block and its ghost cells. */
static void around(int g, const int *wide, int corners) {
  int lo[2], hi[2], dims[2], ld, *cells;
  NGA_Distribution(g, self, lo, hi);
  if (lo[0] > hi[0] || lo[0] < 0)
    return;
  NGA_Access_ghosts(g, dims, &cells, &ld);
  for (int i = 0; i < dims[0]; i++)
    for (int j = 0; j < dims[1]; j++) {
      int x = lo[0] - wide[0] + i, y = lo[1] - wide[1] + j;
      int outside = (x < lo[0] || x > hi[0]) && (y < lo[1] || y > hi[1]);
      if (outside && !corners)
        continue;
      check(cells[i * ld + j] == value(x, y), "cell %d %d: %d, expected %d", x, y, cells[i * ld + j], value(x, y));
    }
  NGA_Release_ghosts(g);
}

static void update(const int *width, int corners) {
  int dims[2] = {X, Y}, wide[2] = {width[0], width[1]};
  int g = NGA_Create_ghosts(C_INT, 2, dims, wide, "ghosts", NULL);
  check(g != 0 && GA_Has_ghosts(g), "no ghosts");
  GA_Set_ghost_corner_flag(g, corners);
  fill(g);
  GA_Update_ghosts(g);
  around(g, wide, corners);
  GA_Sync();
  for (int round = 0; round < 20; round++) {
    GA_Update_ghosts(g);
    GA_Sync();
  }
  around(g, wide, corners);
  GA_Sync();
  GA_Destroy(g);
}

/* One direction after the other. */
static void directions(void) {
  int dims[2] = {X, Y}, wide[2] = {1, 1};
  int g = NGA_Create_ghosts(C_INT, 2, dims, wide, "directions", NULL);
  fill(g);
  for (int d = 0; d < 2; d++)
    for (int direction = -1; direction <= 1; direction += 2)
      check(NGA_Update_ghost_dir(g, d, direction, 1), "no update of dimension %d", d);
  GA_Sync();
  around(g, wide, 1);
  GA_Sync();
  GA_Destroy(g);
}

/* Patches that leave the array on all sides. */
static void periodic(void) {
  int dims[2] = {X, Y}, lo[2] = {-3, -2}, hi[2] = {X - 5, Y + 1}, ld = Y + 4, one = 1;
  int *buf = malloc((X - 1) * (Y + 4) * sizeof *buf);
  int g = NGA_Create(C_INT, 2, dims, "periodic", NULL);
  fill(g);
  NGA_Periodic_get(g, lo, hi, buf, &ld);
  for (int x = lo[0]; x <= hi[0]; x++)
    for (int y = lo[1]; y <= hi[1]; y++) {
      int got = buf[(x - lo[0]) * ld + y - lo[1]];
      check(got == value(x, y), "element %d %d: %d", x, y, got);
    }
  GA_Sync();
  int corner[2] = {-1, -1}, opposite[2] = {0, 0}, four[4] = {1, 1, 1, 1}, two = 2, at[2] = {X - 1, Y - 1}, last;
  NGA_Periodic_acc(g, corner, opposite, four, &two, &one);
  GA_Sync();
  NGA_Get(g, at, at, &last, &two);
  check(last == value(X - 1, Y - 1) + procs, "last element %d", last);
  free(buf);
  GA_Sync();
  GA_Destroy(g);
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  update((int[]){1, 1}, 1);
  update((int[]){2, 3}, 1);
  update((int[]){2, 2}, 0);
  directions();
  periodic();
  return end();
}
