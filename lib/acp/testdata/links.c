// C inserts elements in lists, erases and finds them without Go, and Go does the same with other lists.
// Afterwards both lists have the same elements.
#include "check.h"
#include "direct.h"
#include "links.h"

acp_list_it_t goacp_insert_list(acp_list_it_t, acp_element_t, int);
acp_list_it_t goacp_erase_list(acp_list_it_t);
void goacp_push_front_list(acp_list_t, acp_element_t, int);
void goacp_pop_back_list(acp_list_t);
void goacp_pop_front_list(acp_list_t);
acp_list_it_t goacp_begin_list(acp_list_t);
acp_list_it_t goacp_advance_list_it(acp_list_it_t, int);
acp_list_it_t goacp_increment_list_it(acp_list_it_t);
acp_list_it_t goacp_decrement_list_it(acp_list_it_t);
acp_element_t goacp_dereference_list_it(acp_list_it_t);
size_t goacp_size_list(acp_list_t);

enum { TURNS = 4000, FAR_TURNS = 100, LONGEST = 60, MOST = 12, ROOM = 4096 };

static unsigned char *starter, own[ROOM];
static acp_ga_t starter_ga, own_ga;
static int procs, rank, done_here;

static size_t below(size_t n) { return (size_t)rand() % n; }

// A few random bytes in starter memory or in registered memory.
static acp_element_t input(void) {
  size_t n = 1 + below(LONGEST), registered = below(2);
  unsigned char *to = registered ? own : starter;
  for (size_t i = 0; i < n; i++)
    to[i] = (unsigned char)rand();
  return (acp_element_t){registered ? own_ga : starter_ga, n};
}

// Inserts before element i, or at an end by its short name.
static void insert(acp_list_t a, acp_list_t b, int i, int size) {
  acp_element_t value = input();
  int on = (int)below((size_t)procs);
  acp_ga_t made, place = b.ga;
  if (i == 0) {
    goacp_push_front_list(a, value, on);
    place = ACP_GA_NULL;
  } else {
    goacp_insert_list(goacp_advance_list_it(goacp_begin_list(a), i), value, on);
    if (i < size)
      place = goacp_advance_list_it(goacp_begin_list(b), i).elem;
  }
  if (goacp_try_insert(b.ga, place, value, on, &made)) {
    done_here++;
    CHECK(acp_query_rank(made) == on && goacp_advance_list_it(goacp_begin_list(b), i).elem == made);
  } else if (place == ACP_GA_NULL) {
    goacp_push_front_list(b, value, on);
  } else {
    goacp_insert_list((acp_list_it_t){b, place}, value, on);
  }
}

// Erases element i, or one at an end by its short name.
static void erase(acp_list_t a, acp_list_t b, int i, int size) {
  acp_ga_t place, behind;
  if (i == 0) {
    goacp_pop_front_list(a);
    place = ACP_GA_NULL;
  } else if (i >= size - 1) {
    goacp_pop_back_list(a);
    place = b.ga;
  } else {
    goacp_erase_list(goacp_advance_list_it(goacp_begin_list(a), i));
    place = goacp_advance_list_it(goacp_begin_list(b), i).elem;
  }
  if (goacp_try_erase(b.ga, place, &behind)) {
    done_here++;
    int left = size == 0 ? 0 : i >= size - 1 ? size - 1 : i;
    CHECK(goacp_advance_list_it(goacp_begin_list(b), left).elem == behind);
  } else if (place == ACP_GA_NULL) {
    goacp_pop_front_list(b);
  } else if (place == b.ga) {
    goacp_pop_back_list(b);
  } else {
    goacp_erase_list((acp_list_it_t){b, place});
  }
}

// Checks that C, if it can, finds the same elements around an iterator as Go.
static void look(acp_list_it_t it, acp_element_t value) {
  acp_ga_t ga;
  acp_element_t e;
  if (goacp_try_next(it.list.ga, it.elem, &ga))
    CHECK(ga == goacp_increment_list_it(it).elem);
  if (goacp_try_previous(it.list.ga, it.elem, &ga))
    CHECK(ga == goacp_decrement_list_it(it).elem);
  if (goacp_try_value(it.list.ga, it.elem, &e))
    CHECK(e.ga == value.ga && e.size == value.size);
}

static void compare(acp_list_t a, acp_list_t b) {
  uint64_t n = goacp_size_list(a), count;
  acp_list_it_t x = goacp_begin_list(a), y = goacp_begin_list(b);
  acp_ga_t first;
  CHECK(goacp_size_list(b) == n && n <= MOST);
  if (goacp_try_count(b.ga, &first, &count))
    CHECK(count == n && first == y.elem);
  for (uint64_t i = 0; i < n; i++) {
    acp_element_t v = goacp_dereference_list_it(x), w = goacp_dereference_list_it(y);
    CHECK(v.size == w.size && v.size <= LONGEST && acp_query_rank(v.ga) == acp_query_rank(w.ga));
    look(y, w);
    acp_copy(starter_ga + 1024, v.ga, v.size, ACP_HANDLE_NULL);
    acp_complete(acp_copy(starter_ga + 2048, w.ga, w.size, ACP_HANDLE_NULL));
    CHECK(memcmp(starter + 1024, starter + 2048, v.size) == 0);
    x = goacp_increment_list_it(x);
    y = goacp_increment_list_it(y);
  }
  CHECK(x.elem == a.ga && y.elem == b.ga);
  look(y, (acp_element_t){0});
  acp_element_t none;
  CHECK(!goacp_try_value(b.ga, b.ga, &none));
}

// Does so many random operations: on a by Go, and on b by C if it can.
static void twins(int on, int turns) {
  acp_list_t a = acp_create_list(on), b = acp_create_list(on);
  CHECK(a.ga != ACP_GA_NULL && b.ga != ACP_GA_NULL);
  for (int turn = 0; turn < turns; turn++) {
    int size = (int)goacp_size_list(b), i = (int)below((size_t)size + 1);
    if (size < MOST && below(2))
      insert(a, b, i, size);
    else
      erase(a, b, i, size);
    if (below(20) == 0)
      compare(a, b);
  }
  compare(a, b);
  acp_destroy_list(a);
  acp_destroy_list(b);
  // Another rank can make its lists in the same place, and does so only after the check.
  CHECK(acp_sync() == 0);
  acp_ga_t ga;
  CHECK(!goacp_try_insert(a.ga, a.ga, input(), on, &ga) && !goacp_try_erase(a.ga, a.ga, &ga));
  CHECK(acp_sync() == 0);
}

// Links that do not agree, and places that are none: Go reports them.
static void left_to_go(void) {
  acp_list_t l = acp_create_list(rank), other = acp_create_list(rank);
  acp_ga_t e[3], ga;
  acp_element_t value = {starter_ga, 8};
  for (int i = 0; i < 3; i++) // a span that has blocks in use keeps free blocks at hand
    while (!goacp_try_insert(l.ga, l.ga, value, rank, &e[i]))
      acp_malloc(32, rank);
  CHECK(!goacp_try_insert(l.ga, l.ga, value, procs, &ga) && !goacp_try_insert(l.ga, l.ga, value, -1, &ga));
  CHECK(!goacp_try_insert(l.ga, other.ga, value, rank, &ga));
  CHECK(!goacp_try_insert(l.ga, starter_ga, value, rank, &ga));
  CHECK(!goacp_try_insert(l.ga, e[1] + 4, value, rank, &ga));
  CHECK(!goacp_try_insert(e[1], e[1], value, rank, &ga));
  CHECK(!goacp_try_insert(l.ga, l.ga, (acp_element_t){ACP_GA_NULL, 8}, rank, &ga));
  CHECK(!goacp_try_insert(l.ga, l.ga, (acp_element_t){starter_ga, 0}, rank, &ga));
  CHECK(!goacp_try_insert(l.ga, l.ga, (acp_element_t){starter_ga, SIZE_MAX}, rank, &ga));
  CHECK(!goacp_try_erase(l.ga, other.ga, &ga) && !goacp_try_erase(l.ga, starter_ga, &ga));
  struct goacp_link *middle = acp_query_address(e[1]), right = *middle;
  acp_ga_t wrong[] = {ACP_GA_NULL, e[1], other.ga, starter_ga, e[0] + 8, UINT64_MAX};
  for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    middle->next = wrong[i];
    CHECK(!goacp_try_erase(l.ga, e[1], &ga));
    *middle = right;
    middle->prev = wrong[i];
    CHECK(!goacp_try_erase(l.ga, e[1], &ga) && !goacp_try_insert(l.ga, e[1], value, rank, &ga));
    *middle = right;
  }
  CHECK(goacp_size_list(l) == 3);
  acp_destroy_list(l);
  acp_destroy_list(other);
}

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0);
  procs = acp_procs();
  rank = acp_rank();
  srand(check_seed());
  starter_ga = acp_query_starter_ga(rank);
  starter = acp_query_address(starter_ga);
  acp_atkey_t key = acp_register_memory(own, sizeof own, 0);
  own_ga = acp_query_ga(key, own);
  CHECK(own_ga != ACP_GA_NULL);
  left_to_go();
  const char *net = getenv("ACP_NET");
  int mapped = procs == 1 || net == NULL || strcmp(net, "shm") == 0;
  for (int r = 0; r < procs; r++) {
    int on = (r + rank) % procs;
    done_here = 0;
    twins(on, mapped ? TURNS : FAR_TURNS); // elements lie on all ranks
    CHECK(mapped ? done_here > TURNS / 4 : on == rank || done_here == 0);
  }
  CHECK(acp_unregister_memory(key) == 0);
  CHECK(acp_sync() == 0);
  return acp_finalize();
}
