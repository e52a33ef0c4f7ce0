// Prints the layout of the tables that direct.h and channel.h describe, one number a line.
#include "channel.h"
#include "direct.h"

#include <stdio.h>

#define AT(type, member) printf("%zu %zu\n", offsetof(struct type, member), sizeof(((struct type *)0)->member))

int main(void) {
  printf("%d %d %d %d\n", GOACP_RANK_SHIFT, GOACP_STARTER_OFFSET, GOACP_PAGE, GOACP_HEAP_UNIT);
  struct goacp_peer sizes[] = {{.starter = 0}, {.starter = 10240}, {.starter = 57344}, {.starter = 57345}};
  for (int i = 0; i < 4; i++)
    printf("%llu\n", (unsigned long long)goacp_heap_position(&sizes[i]));
  printf("%zu %zu\n", sizeof(struct goacp_direct), sizeof(struct goacp_peer));
  printf("%zu %zu\n", sizeof(struct goacp_endpoint), sizeof(struct goacp_ring));
  printf("%d %d %d %d %d %d\n", GOACP_ADD, GOACP_CAS, GOACP_SWAP, GOACP_AND, GOACP_OR, GOACP_XOR);
  AT(goacp_direct, issued);
  AT(goacp_direct, pending);
  AT(goacp_direct, procs);
  AT(goacp_direct, rank);
  AT(goacp_direct, peers);
  AT(goacp_direct, regions);
  AT(goacp_direct, channels);
  AT(goacp_direct, windows);
  AT(goacp_direct, barrier);
  AT(goacp_barrier, arrived);
  AT(goacp_barrier, released);
  AT(goacp_barrier, sleepers);
  AT(goacp_barrier, count);
  AT(goacp_barrier, group);
  AT(goacp_barrier, spin);
  AT(goacp_barrier, marks);
  AT(goacp_barrier, marked);
  AT(goacp_peer, base);
  AT(goacp_peer, starter);
  AT(goacp_peer, books);
  AT(goacp_peer, heaplen);
  AT(goacp_ring, goal);
  AT(goacp_ring, want);
  AT(goacp_ring, sendslot);
  AT(goacp_ring, direct);
  AT(goacp_ring, reserved);
  AT(goacp_ring, head);
  AT(goacp_ring, closed);
  AT(goacp_ring, looking);
  AT(goacp_ring, lost);
  AT(goacp_ring, broken);
  AT(goacp_ring, reserved2);
  AT(goacp_endpoint, lock);
  AT(goacp_endpoint, flags);
  AT(goacp_endpoint, ring);
  AT(goacp_endpoint, pos);
  AT(goacp_endpoint, seen);
  AT(goacp_endpoint, at);
  AT(goacp_endpoint, size);
  AT(goacp_endpoint, eager);
  AT(goacp_endpoint, count);
  AT(goacp_endpoint, buf);
  AT(goacp_endpoint, room);
  AT(goacp_endpoint, request);
  AT(goacp_endpoint, peer);
  AT(goacp_endpoint, peerslot);
  AT(goacp_channels, spin);
  AT(goacp_channels, running);
  AT(goacp_channels, used);
  AT(goacp_channels, unused);
  AT(goacp_channels, reserved);
  AT(goacp_channels, sources);
  AT(goacp_channels, members);
  AT(goacp_channels, reserved2);
  AT(goacp_source, pid);
  AT(goacp_source, fd);
  return 0;
}
