// Calls every function of acp.h and acp_couple.h with right, odd and wrong values of each parameter: before
// acp_init, between ranks, and after acp_finalize. Rank 0 calls; the others take part in
// collective functions and own the objects of "the last rank".
//
//     edges PROGRESS FIRST
//
// Before each call it writes the number and the text of the case into the file PROGRESS. So if the process
// dies or hangs, a test knows the case. Cases before number FIRST are left out. If a function is wrong, it
// prints a line on standard output.
#define _GNU_SOURCE
#include "edge_calls.h"
#include "layout.h"

#include <fcntl.h>
#include <sys/mman.h>

enum phase { BEFORE, BETWEEN, AFTER };

static struct progress {
  uint64_t number; // of the case, counted from 1
  char text[4088];
} *progress;

static uint64_t first, number;
static struct fixtures f;

static const struct edge *edge(const struct function *fn, const size_t *pick, int i) {
  return (const struct edge *)((char *)fn->kinds[i]->at + pick[i] * fn->kinds[i]->size);
}

static void describe(const struct function *fn, const size_t *pick, enum phase phase) {
  static const char *const when[] = {" before acp_init", "", " after acp_finalize"};
  char *to = progress->text;
  size_t capacity = sizeof progress->text;
#define ADD(...)                                                               \
  do {                                                                         \
    int n = snprintf(to, capacity, __VA_ARGS__);                               \
    to += n, capacity -= (size_t)n;                                            \
  } while (0)
  ADD("%s(", fn->name);
  for (int i = 0; i < fn->parameters; i++)
    ADD("%s%s", i == 0 ? "" : "; ", edge(fn, pick, i)->text);
  ADD(")%s", when[phase]);
}

static void complain(const char *what, const struct outcome *o) {
  printf("%s: %s; the result %s, ACP_ERRNO %d\n", progress->text, what,
         !o->known ? "is not known" : o->failed ? "shows a failure" : "shows none",
         ACP_ERRNO);
  fflush(stdout);
}

// Whether the function has to fail.
static int must_fail(const struct function *fn, const size_t *pick) {
  int alone = -1, others = 0;
  if (fn->property == LIFE)
    return 1;
  for (int i = 0; i < fn->parameters; i++) {
    enum grade grade = edge(fn, pick, i)->grade;
    if (grade == WRONG)
      return 1;
    if (grade == ALONE && alone < 0)
      alone = i;
    else if (grade != RIGHT)
      others = 1;
  }
  return alone >= 0 && !others;
}

static void check(const struct function *fn, const size_t *pick, enum phase phase,
                  const struct outcome *o) {
  if (fn->property == VALUE) {
    if (ACP_ERRNO != 0)
      complain("computes with its arguments alone", o);
  } else if (phase != BETWEEN) {
    if (ACP_ERRNO != EPERM || (o->known && !o->failed))
      complain("the library is not initialised", o);
  } else if (must_fail(fn, pick) && (ACP_ERRNO == 0 || (o->known && !o->failed))) {
    complain("has to fail", o);
  } else if (o->only && o->failed != (ACP_ERRNO != 0)) {
    complain("the result and ACP_ERRNO differ", o);
  }
}

static void make_fixtures(void);

static void run_case(const struct function *fn, const size_t *pick, enum phase phase) {
  if (++number < first || (f.rank != 0 && fn->property != COLLECTIVE))
    return;
  if (fn->property == KEEPS && edge(fn, pick, 0)->grade != WRONG && phase == BETWEEN)
    return;
  if (fn->property == TAKES && phase == BETWEEN)
    make_fixtures();
  if (f.rank == 0) {
    describe(fn, pick, phase);
    __atomic_store_n(&progress->number, number, __ATOMIC_RELEASE);
  }
  struct outcome o = {0, 0, 0};
  ACP_ERRNO = 0;
  fn->call(pick, &o);
  if (f.rank == 0)
    check(fn, pick, phase, &o);
}

// Calls fn with all values of every parameter, and with those of every two if pairs is not
// 0; all others are right.
static void run_function(const struct function *fn, enum phase phase, int pairs) {
  size_t pick[MOST_PARAMETERS] = {0};
  run_case(fn, pick, phase);
  for (int i = 0; i < fn->parameters; i++) {
    for (pick[i] = 1; pick[i] < fn->kinds[i]->count; pick[i]++) {
      run_case(fn, pick, phase);
      for (int j = i + 1; pairs && j < fn->parameters; j++) {
        for (pick[j] = 1; pick[j] < fn->kinds[j]->count; pick[j]++)
          run_case(fn, pick, phase);
        pick[j] = 0;
      }
    }
    pick[i] = 0;
  }
}

static void run_all(enum phase phase) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    const struct function *fn = &functions[i];
    int begins = fn->property == LIFE && fn->parameters > 0; // acp_init and acp_abort
    if (phase == BETWEEN ? fn->property == LIFE && fn->call != try_acp_init : begins)
      continue;
    if (phase == BETWEEN) {
      // All ranks make a workspace together, so none is ahead of the others.
      f.workspace = acp_create_ws(64);
      f.dead_workspace = acp_create_ws(64);
      CHECK(f.workspace != ACP_WSD_NULL && f.dead_workspace != ACP_WSD_NULL);
      acp_destroy_ws(f.dead_workspace);
      make_fixtures();
    }
    run_function(fn, phase, phase == BETWEEN);
  }
}

// Makes a table of each type with one key and one that has been destroyed.
#define MAKE_TABLES(kind, thing)                                               \
  do {                                                                         \
    for (int i = 0; i < 2; i++) {                                              \
      const int *on = i == 0 ? &f.rank : &f.peer;                              \
      f.kind##s[i] = acp_create_##kind(1, on, 2, *on);                         \
      CHECK(f.kind##s[i].ga != ACP_GA_NULL);                                   \
      CHECK(acp_insert_##kind(f.kind##s[i], thing) == 1);                      \
    }                                                                          \
    f.dead_##kind = acp_create_##kind(1, &f.rank, 2, f.rank);                  \
  } while (0)

// Makes new objects for rank 0. The other ranks make none: theirs could get the memory of an
// object of rank 0 that has been destroyed.
static void make_fixtures(void) {
  if (f.rank != 0) {
    put_all(&f);
    return;
  }
  acp_element_t eight = {f.mine, 8};
  for (int i = 0; i < 2; i++) {
    int on = i == 0 ? f.rank : f.peer;
    f.vectors[i] = acp_create_vector(16, on);
    f.deques[i] = acp_create_deque(16, on);
    acp_push_back_deque(f.deques[i], f.mine, 8);
    f.lists[i] = acp_create_list(on);
    acp_push_back_list(f.lists[i], eight, on);
    acp_push_back_list(f.lists[i], eight, on);
    f.elements[i] = acp_begin_list(f.lists[i]);
    CHECK(f.elements[i].elem != ACP_GA_NULL && acp_size_deque(f.deques[i]) == 8);
  }
  MAKE_TABLES(set, eight);
  MAKE_TABLES(multiset, eight);
  MAKE_TABLES(map, ((acp_pair_t){eight, eight}));
  f.block = acp_malloc(64, f.rank);
  f.dead_vector = acp_create_vector(16, f.rank);
  f.dead_deque = acp_create_deque(16, f.rank);
  f.dead_list = acp_create_list(f.rank);
  f.dead_block = acp_malloc(64, f.rank);
  CHECK(f.block != ACP_GA_NULL && f.dead_block != ACP_GA_NULL);
  CHECK(acp_put_value("own", f.memory, 8) > 0);
  f.key = acp_register_memory(f.memory, 4096, 0);
  f.registered = acp_query_ga(f.key, f.memory);
  CHECK(f.key != ACP_ATKEY_NULL && f.registered != ACP_GA_NULL);
  acp_destroy_vector(f.dead_vector);
  acp_destroy_deque(f.dead_deque);
  acp_destroy_list(f.dead_list);
  acp_destroy_set(f.dead_set);
  acp_destroy_multiset(f.dead_multiset);
  acp_destroy_map(f.dead_map);
  acp_free(f.dead_block);
  make_couplings(&f);
  put_all(&f);
}

static void make_ends(void) {
  if (f.procs == 1)
    return;
  f.sender = acp_create_ch(f.rank, f.peer);
  f.receiver = acp_create_ch(f.peer, f.rank);
  f.finished = acp_nbsend_ch(f.sender, f.memory, 8);
  static uint64_t ring[8];
  f.segbuf = f.rank == 0 ? acp_create_src_segbuf(f.peer, ring, 8, 8)
                         : acp_create_dst_segbuf(f.peer, ring, 8, 8);
  CHECK(f.sender != ACP_CH_NULL && f.receiver != ACP_CH_NULL);
  CHECK(f.finished != ACP_REQUEST_NULL && acp_connect_segbuf(f.segbuf) == 0);
}

// Sends a key of the last rank to rank 0.
static void exchange_keys(void) {
  uint64_t *here = acp_query_address(f.mine);
  here[0] = acp_register_memory(f.memory, 4096, 0);
  acp_sync();
  if (f.rank == 0)
    acp_complete(acp_copy(f.mine, f.theirs, 8, ACP_HANDLE_NULL));
  f.foreign_key = here[0];
  acp_sync();
}

static void begin(int *argc, char ***argv) {
  CHECK(acp_init(argc, argv) == 0);
  f.rank = acp_rank();
  f.procs = acp_procs();
  f.peer = f.rank == 0 ? f.procs - 1 : 0;
  f.mine = acp_query_starter_ga(f.rank);
  f.theirs = acp_query_starter_ga(f.peer);
  f.beyond = f.mine + 10240 + 8; // 10240 unless the environment has another size
  f.nowhere = f.mine + ((acp_ga_t)1 << 41);
  f.no_rank = f.mine + ((acp_ga_t)f.procs << GOACP_POSITION_BITS);
  static uint64_t gone[512];
  f.dead_key = acp_register_memory(gone, sizeof gone, 0);
  f.unregistered = acp_query_ga(f.dead_key, gone);
  CHECK(acp_unregister_memory(f.dead_key) == 0);
  exchange_keys();
  make_ends();
  if (f.rank == 0)
    make_links(&f);
}

int main(int argc, char **argv) {
  CHECK(argc == 3);
  int file = open(argv[1], O_RDWR);
  CHECK(file >= 0);
  progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  CHECK(progress != MAP_FAILED);
  close(file);
  first = strtoull(argv[2], NULL, 10);
  f.memory = aligned_alloc(4096, 4096);
  memset(f.memory, 1, 4096);
  guess(&f);
  run_all(BEFORE);
  begin(&argc, &argv);
  run_all(BETWEEN);
  CHECK(acp_finalize() == 0);
  run_all(AFTER);
  return 0;
}
