// Prints the layout of the table that direct.h describes, one number a line.
#include "direct.h"

#include <stdio.h>

#define AT(type, member) printf("%zu %zu\n", offsetof(struct type, member), sizeof(((struct type *)0)->member))

int main(void) {
  printf("%d %d\n", GOACP_RANK_SHIFT, GOACP_STARTER_OFFSET);
  printf("%zu %zu\n", sizeof(struct goacp_direct), sizeof(struct goacp_peer));
  AT(goacp_direct, issued);
  AT(goacp_direct, pending);
  AT(goacp_direct, procs);
  AT(goacp_direct, rank);
  AT(goacp_direct, peers);
  AT(goacp_direct, regions);
  AT(goacp_direct, reserved);
  AT(goacp_direct, barrier);
  AT(goacp_barrier, arrived);
  AT(goacp_barrier, released);
  AT(goacp_barrier, sleepers);
  AT(goacp_barrier, count);
  AT(goacp_barrier, group);
  AT(goacp_barrier, spin);
  AT(goacp_barrier, reserved);
  AT(goacp_peer, base);
  AT(goacp_peer, starter);
  AT(goacp_peer, heap);
  AT(goacp_peer, heaplen);
  return 0;
}
