// Uses vectors and deques on all ranks from all ranks, and reads their memory by plain loads.
#include "check.h"

static unsigned char *bytes;
static acp_ga_t bytes_ga;

// Whether the n bytes at ga, on any rank, are those of want.
static int same(acp_ga_t ga, const char *want, size_t n) {
  acp_complete(acp_copy(bytes_ga + 64, ga, n, ACP_HANDLE_NULL));
  return memcmp(bytes + 64, want, n) == 0;
}

// Puts a string into global memory, from which it can be appended.
static acp_ga_t text(const char *s) {
  memcpy(bytes, s, strlen(s));
  return bytes_ga;
}

static void words(acp_ga_t ga, uint64_t *w, int n) {
  acp_complete(acp_copy(bytes_ga + 128, ga, 8 * (size_t)n, ACP_HANDLE_NULL));
  memcpy(w, bytes + 128, 8 * (size_t)n);
  uint64_t *there = acp_query_address(ga);
  CHECK(there == NULL || memcmp(there, w, 8 * (size_t)n) == 0);
}

static int has(acp_vector_t v, const char *want, size_t capacity) {
  uint64_t w[3];
  words(v.ga, w, 3);
  size_t n = strlen(want);
  return w[1] == n && w[2] == capacity && acp_size_vector(v) == n &&
         acp_capacity_vector(v) == capacity && (w[2] == 0) == (w[0] == 0) &&
         acp_empty_vector(v) == (n == 0) && (n == 0 || same(w[0], want, n));
}

static void vectors(int rank, int other) {
  acp_vector_t v = acp_create(vector, 0, other), w = acp_create_vector(5, rank);
  CHECK(v.ga != ACP_GA_NULL && w.ga != ACP_GA_NULL && has(v, "", 0));
  CHECK(acp_size_vector(w) == 5 && acp_capacity_vector(w) == 8);
  acp_push_back_vector(v, text("abcd"), 4);
  CHECK(has(v, "abcd", 8));
  acp_push_back(vector, v, text("efghi"), 5);
  CHECK(has(v, "abcdefghi", 16));
  acp_vector_it_t it = acp_advance_vector_it(acp_begin_vector(v), 3);
  CHECK(it.vector.ga == v.ga && it.index == 3);
  it = acp_insert_vector(it, text("XY"), 2);
  CHECK(it.index == 3 && has(v, "abcXYdefghi", 16));
  CHECK(same(acp_dereference_vector_it(it), "XY", 2) && same(acp_at_vector(v, 2), "c", 1));
  CHECK(acp_erase_vector(it, 1).index == 3 && has(v, "abcYdefghi", 16));
  acp_vector_it_t end = acp_end_vector(v);
  CHECK(end.index == 10 && acp_distance_vector_it(it, end) == 7 && acp_distance(vector_it, end, it) == -7);
  CHECK(acp_dereference_vector_it(end) == acp_at_vector(v, 9) + 1);
  CHECK(acp_erase_range_vector(acp_advance(vector_it, end, -2), end).index == 8 && has(v, "abcYdefg", 16));
  acp_assign_range_vector(w, acp_advance_vector_it(acp_begin_vector(v), 1), it);
  CHECK(has(w, "bc", 8));
  it = acp_insert_range_vector(acp_end_vector(w), acp_begin_vector(v), acp_end_vector(v));
  CHECK(it.vector.ga == w.ga && it.index == 2 && has(w, "bcabcYdefg", 16));
  acp_insert_range_vector(acp_begin_vector(w), acp_begin_vector(w), acp_advance_vector_it(acp_begin_vector(w), 2));
  CHECK(has(w, "bcbcabcYdefg", 16));
  acp_pop_back_vector(w, 8);
  acp_swap_vector(v, w);
  CHECK(acp_size_vector(v) == 4 && acp_size_vector(w) == 8 && same(acp_at_vector(v, 0), "bcbc", 4) && same(acp_at_vector(w, 0), "abcYdefg", 8));
  CHECK(acp_query_rank(v.ga) == other && acp_query_rank(acp_at_vector(v, 0)) == other);
  CHECK(acp_query_rank(w.ga) == rank && acp_query_rank(acp_at_vector(w, 0)) == rank);
  acp_clear_vector(v);
  acp_reserve_vector(v, 33);
  CHECK(has(v, "", 40));
  acp_swap_vector(w, v);
  acp_assign_vector(v, w);
  CHECK(acp_empty_vector(v) == 1 && acp_size_vector(w) == 0);
  acp_destroy_vector(v);
  acp_destroy(vector, w);
}

static void mistakes(int rank, int procs) {
  FAILS(acp_create_vector(8, -1).ga, ACP_GA_NULL, EINVAL);
  FAILS(acp_create_vector(8, procs).ga, ACP_GA_NULL, EINVAL);
  FAILS(acp_create_vector(SIZE_MAX, rank).ga, ACP_GA_NULL, ENOMEM);
  FAILS(acp_create_deque(8, procs).ga, ACP_GA_NULL, EINVAL);
  FAILS(acp_create_deque(SIZE_MAX, rank).ga, ACP_GA_NULL, ENOMEM);
  acp_vector_t none = {ACP_GA_NULL}, v = acp_create_vector(4, (rank + 1) % procs), w = acp_create_vector(4, rank);
  FAILS(acp_size_vector(none), 0, EFAULT);
  FAILS(acp_capacity_vector(none), 0, EFAULT);
  FAILS(acp_empty_vector(none), 1, EFAULT);
  FAILS(acp_at_vector(v, 4), ACP_GA_NULL, EINVAL);
  FAILS(acp_at_vector(v, -1), ACP_GA_NULL, EINVAL);
  CHECK(acp_dereference_vector_it(acp_advance_vector_it(acp_begin_vector(v), -1)) == ACP_GA_NULL);
  FAILS(acp_insert_vector(acp_advance_vector_it(acp_begin_vector(v), -2), bytes_ga, 1).index, -2, EINVAL);
  FAILS(acp_insert_vector(acp_begin_vector(v), ACP_GA_NULL, 1).index, 0, EFAULT);
  FAILS(acp_erase_range_vector(acp_begin_vector(v), acp_end_vector(w)).vector.ga, w.ga, EINVAL);
  FAILS(acp_insert_range_vector(acp_begin_vector(v), acp_begin_vector(v), acp_end_vector(w)).vector.ga, v.ga, EINVAL);
  ACP_ERRNO = 0;
  acp_assign_range_vector(v, acp_begin_vector(v), acp_end_vector(w));
  CHECK(ACP_ERRNO == EINVAL && acp_size_vector(v) == 4 && acp_size_vector(w) == 4);
  ACP_ERRNO = 0;
  CHECK(acp_insert_vector(acp_advance_vector_it(acp_end_vector(v), 9), bytes_ga, 1).index == 4 && acp_size_vector(v) == 5);
  CHECK(ACP_ERRNO == 0);
  acp_destroy_vector(v);
  acp_destroy_vector(w);
  ACP_ERRNO = 0;
  acp_destroy_vector(w);
  CHECK(ACP_ERRNO == EFAULT);
}

// Checks the bytes of a deque by its memory alone.
static int holds(acp_deque_t d, const char *want, size_t offset, size_t capacity) {
  uint64_t w[4];
  words(d.ga, w, 4);
  size_t n = strlen(want);
  if (w[1] != offset || w[2] != n || w[3] != capacity || acp_size_deque(d) != n || acp_capacity_deque(d) != capacity)
    return 0;
  for (size_t i = 0; i < n; i++) {
    acp_ga_t at = w[0] + (w[1] + i) % w[3];
    if (!same(at, want + i, 1) || acp_at_deque(d, (int)i) != at)
      return 0;
  }
  return acp_empty_deque(d) == (n == 0);
}

static void deques(int rank, int other) {
  acp_deque_t d = acp_create_deque(0, other), e = acp_create(deque, 24, rank);
  CHECK(d.ga != ACP_GA_NULL && holds(d, "", 0, 0) && holds(e, "", 0, 24));
  CHECK(acp_back_deque(d).index == -1 && acp_front_deque(d).index == -1 && acp_end_deque(d).index == 0);
  acp_reserve_deque(d, 12);
  CHECK(holds(d, "", 0, 12));
  acp_push_back_deque(d, text("abcdefgh"), 8);
  acp_push_front_deque(d, text("XYZ"), 3);
  CHECK(holds(d, "XYZabcdefgh", 9, 12));
  acp_deque_it_t begin = acp_begin_deque(d), back = acp_back_deque(d);
  CHECK(begin.index == 0 && back.index == 10 && acp_advance_deque_it(acp_front_deque(d), 1).index == 0);
  CHECK(same(acp_at_deque(d, back.index), "h", 1));
  acp_pair_t p = acp_dereference_deque_it(acp_advance_deque_it(begin, 1), 5);
  CHECK(p.first.size == 2 && p.second.size == 3 && same(p.first.ga, "YZ", 2) && same(p.second.ga, "abc", 3));
  p = acp_dereference_deque_it(acp_advance_deque_it(begin, 3), 100);
  CHECK(p.first.size == 8 && p.second.size == 0 && p.second.ga == ACP_GA_NULL);
  CHECK(acp_dereference_deque_it(begin) == acp_at_deque(d, 0));
  CHECK(acp_dereference_deque_it(acp_end_deque(d)) == ACP_GA_NULL);
  p = acp_dereference(deque_it, acp_advance_deque_it(begin, -1), 4);
  CHECK(p.first.ga == ACP_GA_NULL && p.first.size == 0 && p.second.size == 0);
  acp_pop_front_deque(d, 2);
  CHECK(holds(d, "Zabcdefgh", 11, 12));
  acp_pop_front_deque(d, 2);
  acp_pop_back_deque(d, 1);
  CHECK(holds(d, "bcdefg", 1, 12));
  acp_deque_it_t it = acp_insert_deque(acp_advance_deque_it(acp_end_deque(d), 7), text("ij"), 2);
  CHECK(it.index == 6 && acp_size_deque(d) == 8);
  it = acp_erase_deque(acp_advance_deque_it(acp_begin_deque(d), 6), 100);
  CHECK(it.index == 6 && acp_size_deque(d) == 6);
  acp_assign_deque(e, d);
  CHECK(holds(e, "bcdefg", 0, 24));
  acp_assign_range_deque(e, acp_advance_deque_it(acp_begin_deque(d), 4), acp_advance_deque_it(acp_end_deque(d), 3));
  CHECK(holds(e, "fg", 0, 24));
  it = acp_insert_range_deque(acp_end_deque(e), acp_begin_deque(d), acp_advance_deque_it(acp_begin_deque(d), 2));
  CHECK(it.index == 2 && acp_size_deque(e) == 4 && same(acp_at_deque(e, 2), "bc", 2));
  CHECK(acp_erase_range_deque(acp_begin_deque(d), acp_advance_deque_it(acp_begin_deque(d), 1)).index == 0);
  acp_swap_deque(d, e);
  CHECK(acp_size_deque(d) == 4 && holds(e, "cdefg", 0, acp_capacity_deque(e)));
  CHECK(acp_distance_deque_it(acp_begin_deque(e), acp_end_deque(e)) == 5);
  acp_clear_deque(e);
  CHECK(acp_empty(deque, e) == 1);
  acp_destroy_deque(d);
  acp_destroy_deque(e);
}

// The ranks append to one vector and one deque in turn; the rank whose turn it is checks them.
static void in_turn(int rank, int procs) {
  acp_ga_t shared = acp_query_starter_ga(0);
  if (rank == 0) {
    acp_ga_t *handles = acp_query_address(shared);
    handles[0] = acp_create_vector(0, procs - 1).ga;
    handles[1] = acp_create_deque(0, procs - 1).ga;
  }
  acp_sync();
  uint64_t handles[2];
  words(shared, handles, 2);
  acp_vector_t v = {handles[0]};
  acp_deque_t d = {handles[1]};
  enum { ROUNDS = 20 };
  for (uint64_t i = 0; i < ROUNDS; i++) {
    uint64_t n = i * (uint64_t)procs + (uint64_t)rank;
    for (int turn = 0; turn < procs; turn++) {
      if (turn == rank) {
        memcpy(bytes, &n, 8);
        acp_push_back_vector(v, bytes_ga, 8);
        acp_push_front_deque(d, bytes_ga, 8);
      }
      acp_sync();
    }
  }
  if (rank == procs - 1) {
    const uint64_t *vw = acp_query_address(v.ga), *dw = acp_query_address(d.ga);
    uint64_t count = (uint64_t)procs * ROUNDS;
    CHECK(vw[1] == 8 * count && dw[2] == 8 * count);
    const uint64_t *data = acp_query_address(vw[0]);
    const char *ring = acp_query_address(dw[0]);
    for (uint64_t i = 0; i < count; i++) {
      uint64_t x;
      memcpy(&x, ring + (dw[1] + 8 * i) % dw[3], 8);
      CHECK(data[i] == i && x == count - 1 - i);
    }
    acp_destroy_vector(v);
    acp_destroy_deque(d);
  }
  acp_sync();
}

int main(int argc, char **argv) {
  acp_vector_t early = {1};
  FAILS(acp_create_vector(8, 0).ga, ACP_GA_NULL, EPERM);
  FAILS(acp_size_vector(early), 0, EPERM);
  CHECK(acp_init(&argc, &argv) == 0);
  int rank = acp_rank(), procs = acp_procs();
  bytes_ga = acp_malloc(4096, rank);
  bytes = acp_query_address(bytes_ga);
  vectors(rank, (rank + 1) % procs);
  deques(rank, (rank + 1) % procs);
  mistakes(rank, procs);
  acp_sync();
  in_turn(rank, procs);
  acp_free(bytes_ga);
  CHECK(acp_finalize() == 0);
  return 0;
}
