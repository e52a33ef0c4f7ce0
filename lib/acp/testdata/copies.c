// Copies between all kinds of memory of all pairs of ranks, started by every rank,
// with guard bytes around the destination.
#include "check.h"

enum { GUARD = 16, LONG = (1 << 20) + 3, AREA = LONG + 2 * GUARD, KINDS = 4 };

static unsigned char fixed[AREA];

// One area of each kind: starter, heap, stack, static.
static unsigned char *area[KINDS];

static unsigned char pattern(int rank, int kind, size_t i) {
  return (unsigned char)(rank * 37 + kind * 11 + i * 7 + i / 251 + 1);
}

// The GA of each area of each rank, gathered through starter memory.
static acp_ga_t where[64][KINDS];

static void gather(int rank, int procs, const acp_ga_t *own) {
  acp_ga_t board = acp_query_starter_ga(rank) + AREA + 5; // 8-byte aligned
  board -= board % 8;
  acp_ga_t *mine = acp_query_address(board);
  memcpy(mine + (size_t)rank * KINDS, own, KINDS * sizeof *own);
  CHECK(acp_sync() == 0);
  for (int r = 0; r < procs; r++) {
    acp_ga_t theirs = board + ((acp_ga_t)(r - rank) << 44);
    size_t at = (size_t)r * KINDS * sizeof *own;
    if (r != rank)
      CHECK(acp_copy(board + at, theirs + at, KINDS * sizeof *own, 0) != 0);
  }
  acp_complete(ACP_HANDLE_ALL);
  memcpy(where, mine, (size_t)procs * KINDS * sizeof *own);
  CHECK(acp_sync() == 0);
}

static void fill(int rank) {
  for (int k = 0; k < KINDS; k++)
    for (size_t i = 0; i < AREA; i++)
      area[k][i] = pattern(rank, k, i);
  CHECK(acp_sync() == 0);
}

// Each rank in turn copies size bytes from (from, fk) to (to, tk), at the offsets src and dst. The
// owner of the destination checks the bytes.
static void one(int rank, int by, int from, int fk, int to, int tk, size_t size,
                size_t src, size_t dst) {
  if (rank == by) {
    acp_handle_t h = acp_copy(where[to][tk] + dst, where[from][fk] + src, size, ACP_HANDLE_NULL);
    CHECK(h != ACP_HANDLE_NULL);
    acp_complete(h);
    CHECK(acp_inquire(h) == 0);
  }
  CHECK(acp_sync() == 0);
  if (rank == to) {
    size_t begin = dst > GUARD ? dst - GUARD : 0;
    size_t end = dst + size + GUARD < AREA ? dst + size + GUARD : AREA;
    for (size_t i = begin; i < end; i++) {
      unsigned char want = i >= dst && i < dst + size
                               ? pattern(from, fk, i - dst + src)
                               : pattern(to, tk, i);
      CHECK(area[tk][i] == want);
      area[tk][i] = pattern(to, tk, i);
    }
  }
  CHECK(acp_sync() == 0);
}

// Overlapping source and destination in the memory of the next rank.
static void overlap(int rank, int procs, int kind) {
  acp_ga_t target = where[(rank + 1) % procs][kind];
  unsigned char want[300];
  for (size_t i = 0; i < sizeof want; i++)
    want[i] = pattern((rank + 1) % procs, kind, i);
  const int moves[][3] = {{10, 0, 200}, {0, 7, 250}, {8, 0, 64}, {3, 4, 9}};
  for (size_t m = 0; m < sizeof moves / sizeof *moves; m++) {
    memmove(want + moves[m][0], want + moves[m][1], (size_t)moves[m][2]);
    CHECK(acp_copy(target + (acp_ga_t)moves[m][0], target + (acp_ga_t)moves[m][1],
                   (size_t)moves[m][2], ACP_HANDLE_ALL) != ACP_HANDLE_NULL);
  }
  acp_ga_t back = where[rank][3];
  CHECK(acp_copy(back, target, sizeof want, ACP_HANDLE_ALL) != ACP_HANDLE_NULL);
  acp_complete(ACP_HANDLE_ALL);
  CHECK(memcmp(area[3], want, sizeof want) == 0);
  CHECK(acp_sync() == 0);
}

int main(int argc, char **argv) {
  unsigned char on_stack[AREA];
  CHECK(acp_init(&argc, &argv) == 0);
  int rank = acp_rank(), procs = acp_procs();
  acp_ga_t own[KINDS];
  area[0] = acp_query_address(acp_query_starter_ga(rank));
  own[0] = acp_query_starter_ga(rank);
  area[1] = malloc(AREA);
  area[2] = on_stack;
  area[3] = fixed;
  acp_atkey_t keys[KINDS];
  for (int k = 1; k < KINDS; k++) {
    keys[k] = acp_register_memory(area[k], AREA, 0);
    own[k] = acp_query_ga(keys[k], area[k]);
    CHECK(own[k] != ACP_GA_NULL);
  }
  gather(rank, procs, own);
  fill(rank);

  static const size_t sizes[] = {0, 1, 4, 7, 8, 4096, LONG};
  for (int by = 0; by < procs; by++)
    for (int from = 0; from < procs; from++)
      for (int to = 0; to < procs; to++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
          // Every kind takes part, but not every pair of kinds with every size.
          int fk = (int)(s + (size_t)by) % KINDS, tk = (fk + 1 + from) % KINDS;
          one(rank, by, from, fk, to, tk, sizes[s], GUARD, GUARD);
          if (sizes[s] < LONG)
            one(rank, by, from, fk, to, tk, sizes[s], GUARD + 3, GUARD + 1);
        }
        for (int fk = 0; fk < KINDS; fk++)
          for (int tk = 0; tk < KINDS; tk++)
            if (from != to || fk != tk)
              one(rank, by, from, fk, to, tk, 24, 40, 32);
      }
  overlap(rank, procs, 0);
  overlap(rank, procs, 1);
  for (int k = 1; k < KINDS; k++)
    CHECK(acp_unregister_memory(keys[k]) == 0);
  CHECK(acp_finalize() == 0);
  free(area[1]);
  return 0;
}
