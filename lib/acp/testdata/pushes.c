// C pushes bytes to vectors and deques, pops and finds them without Go, and Go does the same with other
// ones. Afterwards both have the same bytes, in the same places of their storage.
#include "check.h"
#include "direct.h"
#include "sequence.h"

void goacp_push_sequence(int, int, acp_ga_t, acp_ga_t, size_t);
void goacp_pop_sequence(int, int, acp_ga_t, size_t);
size_t goacp_size_sequence(int, acp_ga_t);
size_t goacp_capacity_sequence(int, acp_ga_t);
acp_ga_t goacp_at_sequence(int, acp_ga_t, int);

enum { TURNS = 6000, FAR_TURNS = 100, LONGEST = 40, ROOM = 300 };

static unsigned char *starter, own[4096];
static acp_ga_t starter_ga, own_ga, block_ga;
static int done_here;

static size_t below(size_t n) { return (size_t)rand() % n; }

// n random bytes in starter memory, in registered memory or in the heap.
static acp_ga_t input(size_t n) {
  unsigned char *to = own;
  acp_ga_t ga = own_ga;
  switch (below(3)) {
  case 0:
    to = starter, ga = starter_ga;
    break;
  case 1:
    to = acp_query_address(block_ga), ga = block_ga;
  }
  size_t skip = below(16);
  for (size_t i = 0; i < n; i++)
    to[skip + i] = (unsigned char)rand();
  return ga + skip;
}

// Whether both structures have the same bytes, as Go finds them, at the same distance from the first one
// of their storage.
static void compare(acp_ga_t a, acp_ga_t b, int is_deque) {
  size_t n = goacp_size_sequence(is_deque, a), capacity_of_a = goacp_capacity_sequence(is_deque, a);
  uint64_t size, capacity;
  if (goacp_try_state(b, is_deque, &size, &capacity))
    CHECK(size == n && capacity == capacity_of_a);
  CHECK(goacp_size_sequence(is_deque, b) == n);
  CHECK(goacp_capacity_sequence(is_deque, b) == capacity_of_a);
  if (n == 0)
    return;
  acp_ga_t first_a = goacp_at_sequence(is_deque, a, 0), first_b = goacp_at_sequence(is_deque, b, 0);
  for (int i = 0; i < (int)n; i += 1 + (int)below(4)) {
    acp_ga_t x = goacp_at_sequence(is_deque, a, i), y = goacp_at_sequence(is_deque, b, i), z;
    CHECK(x - first_a == y - first_b);
    if (goacp_try_locate(b, is_deque, i, &z))
      CHECK(z == y);
    acp_copy(starter_ga + 1024, x, 1, ACP_HANDLE_NULL);
    acp_complete(acp_copy(starter_ga + 1025, y, 1, ACP_HANDLE_NULL));
    CHECK(starter[1024] == starter[1025]);
  }
  acp_ga_t none;
  CHECK(!goacp_try_locate(b, is_deque, (int)n, &none) && !goacp_try_locate(b, is_deque, -1, &none));
}

static acp_ga_t make(int is_deque, int rank) {
  return is_deque ? acp_create_deque(0, rank).ga : acp_create_vector(0, rank).ga;
}

static void destroy(acp_ga_t at, int is_deque) {
  if (is_deque)
    acp_destroy_deque((acp_deque_t){at});
  else
    acp_destroy_vector((acp_vector_t){at});
}

// Does so many random operations: on a by Go, and on b by C if it can.
static void twins(int is_deque, int rank, int turns) {
  acp_ga_t a = make(is_deque, rank), b = make(is_deque, rank);
  CHECK(a != ACP_GA_NULL && b != ACP_GA_NULL);
  for (int turn = 0; turn < turns; turn++) {
    int end = is_deque && below(2) ? GOACP_FRONT : GOACP_BACK;
    size_t n = below(4) == 0 ? 8 : below(LONGEST);
    size_t size = is_deque ? acp_size_deque((acp_deque_t){b}) : acp_size_vector((acp_vector_t){b});
    int here;
    if (size < ROOM && below(2)) {
      acp_ga_t ga = input(n);
      goacp_push_sequence(is_deque, end, a, ga, n);
      if (!(here = goacp_try_push(b, is_deque, end, ga, n)))
        goacp_push_sequence(is_deque, end, b, ga, n);
    } else {
      goacp_pop_sequence(is_deque, end, a, n);
      if (!(here = goacp_try_pop(b, is_deque, end, n)))
        goacp_pop_sequence(is_deque, end, b, n);
    }
    done_here += here;
    if (below(20) == 0)
      compare(a, b, is_deque);
  }
  compare(a, b, is_deque);
  destroy(a, is_deque);
  // Another rank can make its vectors in the same place, and does so only after the checks.
  CHECK(acp_sync() == 0);
  uint64_t size, capacity;
  CHECK(!goacp_try_push(a, is_deque, GOACP_BACK, starter_ga, 1) && !goacp_try_pop(a, is_deque, GOACP_BACK, 1));
  CHECK(!goacp_try_state(a, is_deque, &size, &capacity));
  CHECK(!goacp_try_push(b, !is_deque, GOACP_BACK, starter_ga, 1)); // it is of the other kind
  destroy(b, is_deque);
  CHECK(acp_sync() == 0);
}

// Bytes that Go copies first, and control blocks of which Go reports that they are damaged.
static void left_to_go(int rank) {
  acp_vector_t v = acp_create_vector(8, rank);
  acp_reserve_vector(v, 64);
  acp_ga_t at = acp_at_vector(v, 0);
  CHECK(!goacp_try_push(v.ga, GOACP_IS_VECTOR, GOACP_BACK, at, 8));      // its own bytes
  CHECK(!goacp_try_push(v.ga, GOACP_IS_VECTOR, GOACP_BACK, at - 4, 8));  // some of them
  CHECK(!goacp_try_push(v.ga, GOACP_IS_VECTOR, GOACP_BACK, at + 60, 8)); // its room
  CHECK(!goacp_try_push(v.ga, GOACP_IS_VECTOR, GOACP_BACK, starter_ga, 57));
  CHECK(!goacp_try_push(v.ga, GOACP_IS_VECTOR, GOACP_BACK, starter_ga, SIZE_MAX));
  CHECK(!goacp_try_push(v.ga, GOACP_IS_VECTOR, GOACP_BACK, starter_ga, 0));
  CHECK(!goacp_try_push(v.ga, GOACP_IS_VECTOR, GOACP_BACK, ACP_GA_NULL, 8));
  CHECK(!goacp_try_push(v.ga + 4, GOACP_IS_VECTOR, GOACP_BACK, starter_ga, 8));
  CHECK(!goacp_try_push(starter_ga, GOACP_IS_VECTOR, GOACP_BACK, starter_ga, 8));
  struct goacp_vector *control = acp_query_address(v.ga), right = *control;
  control->size = 65;
  CHECK(!goacp_try_pop(v.ga, GOACP_IS_VECTOR, GOACP_BACK, 8));
  *control = right;
  control->data = starter_ga;
  CHECK(!goacp_try_pop(v.ga, GOACP_IS_VECTOR, GOACP_BACK, 8));
  *control = right;
  control->capacity = UINT64_MAX;
  CHECK(!goacp_try_pop(v.ga, GOACP_IS_VECTOR, GOACP_BACK, 8));
  *control = right;
  acp_destroy_vector(v);
  acp_deque_t d = acp_create_deque(8, rank);
  struct goacp_deque *deque = acp_query_address(d.ga);
  deque->offset = 8;
  CHECK(!goacp_try_pop(d.ga, GOACP_IS_DEQUE, GOACP_BACK, 8));
  deque->offset = 0;
  acp_destroy_deque(d);
}

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0);
  int procs = acp_procs(), rank = acp_rank();
  srand(check_seed());
  starter_ga = acp_query_starter_ga(rank);
  starter = acp_query_address(starter_ga);
  acp_atkey_t key = acp_register_memory(own, sizeof own, 0);
  own_ga = acp_query_ga(key, own);
  block_ga = acp_malloc(256, rank);
  CHECK(own_ga != ACP_GA_NULL && block_ga != ACP_GA_NULL);
  left_to_go(rank);
  const char *net = getenv("ACP_NET");
  int mapped = procs == 1 || net == NULL || strcmp(net, "shm") == 0;
  for (int r = 0; r < procs; r++) {
    int to = (r + rank) % procs, near = mapped || to == rank;
    done_here = 0;
    twins(GOACP_IS_VECTOR, to, near ? TURNS : FAR_TURNS);
    twins(GOACP_IS_DEQUE, to, near ? TURNS : FAR_TURNS);
    CHECK(near ? done_here > TURNS : done_here == 0);
  }
  acp_free(block_ga);
  CHECK(acp_unregister_memory(key) == 0);
  CHECK(acp_sync() == 0);
  return acp_finalize();
}
