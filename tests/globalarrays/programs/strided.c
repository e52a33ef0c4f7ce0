/* A strided patch of three dimensions that lies on several processes. Global Arrays 5.8.2 passes wrong
   addresses of its buffer to ARMCI, also to other implementations. */
#include "program.h"

enum { X = 23, Y = 17, Z = 9 };

int main(int argc, char **argv) {
  begin(&argc, &argv);
  int dims[3] = {X, Y, Z}, lo[3] = {0, 0, 0}, hi[3] = {X - 1, Y - 1, Z - 1}, ld[2] = {Y, Z};
  int *all = malloc(X * Y * Z * sizeof *all);
  int g = NGA_Create(C_INT, 3, dims, "strided", NULL);
  check(g != 0, "no array");
  for (int i = 0; i < X * Y * Z; i++)
    all[i] = i;
  if (self == 0)
    NGA_Put(g, lo, hi, all, ld);
  GA_Sync();

  int from[3] = {0, 1, 2}, to[3] = {22, 16, 8}, skip[3] = {3, 2, 2}, shape[2] = {8, 4}, at = 0;
  memset(all, 0, X * Y * Z * sizeof *all);
  NGA_Strided_get(g, from, to, skip, all, shape);
  for (int x = from[0]; x <= to[0]; x += skip[0])
    for (int y = from[1]; y <= to[1]; y += skip[1])
      for (int z = from[2]; z <= to[2]; z += skip[2], at++)
        check(all[at] == (x * Y + y) * Z + z, "element %d %d %d: %d, expected %d", x, y, z, all[at], (x * Y + y) * Z + z);
  free(all);
  GA_Sync();
  GA_Destroy(g);
  return end();
}
