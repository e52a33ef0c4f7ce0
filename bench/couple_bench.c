/* What the steps of a link cost, beside the same exchanges by MPI_Isend and MPI_Irecv with a schedule
 * that is made once.
 *
 *     mpirun -np 2 couple_bench SOURCE near    8 B from rank 0 to rank 1 and back
 *     mpirun -np 4 couple_bench SOURCE near    10^6 doubles from ranks 0 and 1 to ranks 2 and 3
 *     acprun -np 4 couple_bench SOURCE open    opening of a link of 10^7 points
 *     acprun -np 2 couple_bench remote         10^6 doubles from rank 0 to rank 1 on another host, two levels
 *
 * SOURCE stands before each figure of MPI, which is left out without WITH_MPI. MPI and GoACP take turns. */

#define _GNU_SOURCE
#include "samples.h"

#ifdef WITH_MPI
#include <mpi.h>
#endif

#include <acp_couple.h>
#include <stdint.h>
#include <string.h>

static const char *source;
static int rank, half;   /* the first half of the ranks sends */

/* CHECK ends the run unless a call of the library has succeeded. */
#define CHECK(call)                                                            \
  do {                                                                         \
    if (!(call)) {                                                             \
      fprintf(stderr, "rank %d: %s: %s\n", rank, #call, acp_couple_message()); \
      acp_abort("a call has failed");                                          \
      abort();                                                                 \
    }                                                                          \
  } while (0)

/* How points are divided among the ranks of a side: into blocks, dealt in turn, or in any order. */
enum division { block, cyclic, any };

/* The points of one rank of a side: every apart-th one from the first on, or those of a list. */
struct part {
  int64_t first, apart, count;
  int64_t *list; /* NULL: there is none */
};

/* Returns the numbers to n in any order, which is the same on all ranks. */
static int64_t *shuffled(int64_t n) {
  uint64_t r = 1;
  int64_t *all = malloc((size_t)n * sizeof *all);
  for (int64_t i = 0; i < n; i++) {
    r = r * 6364136223846793005u + 1442695040888963407u;
    int64_t k = (int64_t)((r >> 11) % (uint64_t)(i + 1));
    all[i] = all[k];
    all[k] = i;
  }
  return all;
}

static struct part part_of(int index, int64_t n, enum division d) {
  int64_t each = n / half;
  struct part p = {index * each, 1, each, NULL};
  if (d == cyclic)
    p.first = index, p.apart = half;
  else if (d == any)
    p.list = shuffled(n) + p.first;
  return p;
}

static int64_t point(struct part p, int64_t i) { return p.list ? p.list[i] : p.first + i * p.apart; }

static acp_model_t model_of(int side) {
  int members[64];
  for (int i = 0; i < half; i++)
    members[i] = side * half + i;
  return acp_create_model(side ? "to" : "from", members, half);
}

/* Declares the field of a rank. Points that do not follow each other are listed. */
static acp_field_t field_of(acp_model_t m, const char *name, struct part p, double *data) {
  if (p.apart == 1 && p.list == NULL)
    return acp_create_field_ranges(m, name, ACP_DOUBLE, 1, data, &p.first, &p.count, 1);
  int64_t *all = malloc((size_t)p.count * sizeof *all);
  for (int64_t i = 0; i < p.count; i++)
    all[i] = point(p, i);
  acp_field_t f = acp_create_field_list(m, name, ACP_DOUBLE, 1, data, all, p.count);
  free(all);
  return f;
}

/* Opens the link of the field x. */
static acp_link_t open_link(acp_field_t x, int side, int levels) {
  acp_link_t l = side ? acp_open_link_from(x, "from.x", levels, 1, -1) : acp_open_link_to(x, "to.x", levels, 1, -1);
  CHECK(l != ACP_LINK_NULL);
  return l;
}

/* An array in memory that the other ranks of the host map. */
static double *array(int64_t n) {
  acp_ga_t ga = acp_malloc((size_t)n * sizeof(double), rank), *shown = acp_query_address(acp_query_starter_ga(rank));
  double *a = acp_query_address(ga);
  CHECK(a != NULL);
  for (int64_t i = 0; i < n; i++)
    a[i] = (double)i;
  *shown = ga; /* for copy_directly */
  return a;
}

/* One copy of the values of a rank of the host, by this rank: what an exchange of blocks cannot be faster than. */
static void copy_directly(int from, int64_t n) {
  static acp_ga_t source_ga;
  if (source_ga == ACP_GA_NULL) {
    acp_ga_t scratch = acp_query_starter_ga(rank) + sizeof source_ga;
    acp_complete(acp_copy(scratch, acp_query_starter_ga(from), sizeof source_ga, ACP_HANDLE_ALL));
    source_ga = *(acp_ga_t *)acp_query_address(scratch);
  }
  acp_complete(acp_copy(*(acp_ga_t *)acp_query_address(acp_query_starter_ga(rank)), source_ga, (size_t)n * sizeof(double), ACP_HANDLE_ALL));
}

#ifdef WITH_MPI
/* The same exchange by MPI: what this rank moves with each rank of the other side. */
struct flow {
  int partner, count;
  int *at;        /* positions, NULL if they follow each other */
  double *buffer; /* what moves: a part of the values if they follow each other */
};

static struct flow flows[64];
static MPI_Request requests[64];
static MPI_Status statuses[64];

/* Makes the schedule of a rank with one part of n points; the receivers have blocks. */
static void schedule(double *data, struct part mine, int64_t n, enum division d) {
  int side = rank >= half;
  for (int i = 0; i < half; i++) {
    struct flow *f = &flows[i];
    struct part other = part_of(i, n, side ? d : block);
    *f = (struct flow){.partner = side ? i : half + i, .at = malloc((size_t)mine.count * sizeof(int))};
    for (int64_t k = 0; k < mine.count; k++) {
      int64_t x = point(mine, k) - other.first;
      if (x >= 0 && x % other.apart == 0 && x / other.apart < other.count)
        f->at[f->count++] = (int)k;
    }
    int last = f->count - 1;
    if (last >= 0 && f->at[last] - f->at[0] == last)
      f->buffer = data + f->at[0], f->at = NULL;
    else
      f->buffer = malloc((size_t)mine.count * sizeof *f->buffer);
  }
}

static void move_by_mpi(double *data) {
  int side = rank >= half;
  for (int i = 0; i < half; i++) {
    struct flow *f = &flows[i];
    requests[i] = MPI_REQUEST_NULL;
    if (f->count == 0)
      continue;
    if (side) {
      MPI_Irecv(f->buffer, f->count, MPI_DOUBLE, f->partner, 1, MPI_COMM_WORLD, &requests[i]);
      continue;
    }
    for (int k = 0; f->at != NULL && k < f->count; k++)
      f->buffer[k] = data[f->at[k]];
    MPI_Isend(f->buffer, f->count, MPI_DOUBLE, f->partner, 1, MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Waitall(half, requests, statuses);
  for (int i = 0; side && i < half; i++)
    for (int k = 0; flows[i].at != NULL && k < flows[i].count; k++)
      data[flows[i].at[k]] = flows[i].buffer[k];
}

static void there_and_back_by_mpi(double *x) {
  MPI_Request r;
  for (int turn = 0; turn < 2; turn++) {
    if (turn == rank)
      MPI_Isend(x, 1, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD, &r);
    else
      MPI_Irecv(x, 1, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  }
}
#endif

/* Measures code that all ranks call, of which rank 0 does a part. */
#define TOGETHER(source, name, loops, code) TOGETHER_BY(0, source, name, loops, code)

/* The same if another rank does a part: one that only waits may get its processor when the others are done. */
#define TOGETHER_BY(reporter, source, name, loops, code)                       \
  do {                                                                         \
    CHECK(acp_sync() == 0);                                                    \
    double begin_ = now();                                                     \
    for (int i_ = 0; i_ < (loops); i_++) {                                     \
      code;                                                                    \
    }                                                                          \
    CHECK(acp_sync() == 0);                                                    \
    double end_ = now();                                                       \
    if (rank == (reporter) && sample >= 0)                                     \
      report(source, name, (end_ - begin_) / (loops));                         \
  } while (0)

/* 8 B from rank 0 to rank 1 and back. */
static void pair(void) {
  double out = 1, in = 0;
  acp_model_t m = model_of(rank);
  struct part one = {0, 1, 1, NULL};
  acp_field_t x = field_of(m, "x", one, &out), y = field_of(m, "y", one, &in);
  acp_link_t to, from;
  if (rank == 0) {
    to = acp_open_link_to(x, "to.y", 1, 1, -1);
    from = acp_open_link_from(y, "to.x", 1, 1, -1);
  } else {
    from = acp_open_link_from(y, "from.x", 1, 1, -1);
    to = acp_open_link_to(x, "from.y", 1, 1, -1);
  }
  CHECK(to != ACP_LINK_NULL && from != ACP_LINK_NULL);
  int64_t step = 0;
  for (int sample = -1; sample < samples; sample++) {
#ifdef WITH_MPI
    double z = 1;
    TOGETHER(source, "couple8", 20000, there_and_back_by_mpi(&z));
#endif
    TOGETHER("c", "couple8", 20000,
             if (rank == 0) {
               CHECK(acp_send_link(to, step) == 0);
               CHECK(acp_receive_link(from, step) == 0);
             } else {
               CHECK(acp_receive_link(from, step) == 0);
               CHECK(acp_send_link(to, step) == 0);
             } step++);
  }
  CHECK(acp_close_link(to) == 0 && acp_close_link(from) == 0);
}

/* n doubles from the ranks of one side to those of the other. */
static void fields(const char *name, int64_t n, enum division d, int levels, int loops) {
  int side = rank >= half;
  struct part mine = part_of(rank - side * half, n, side ? block : d);
  double *data = array(mine.count);
  acp_field_t x = field_of(model_of(side), "x", mine, data);
  acp_link_t l = open_link(x, side, levels);
#ifdef WITH_MPI
  schedule(data, mine, n, d);
#endif
  int64_t step = 0;
  for (int sample = -1; sample < samples; sample++) {
#ifdef WITH_MPI
    TOGETHER(source, name, loops, move_by_mpi(data));
#endif
    if (d == block && levels == 1)
      TOGETHER_BY(half, "copy", name, loops, if (side) copy_directly(rank - half, mine.count));
    TOGETHER("c", name, loops,
             CHECK((side ? acp_receive_link(l, step) : acp_send_link(l, step)) == 0);
             step++);
  }
  CHECK(acp_close_link(l) == 0);
}

/* The opening of a link of n points. */
static void opening(const char *name, int64_t n, enum division d) {
  int side = rank >= half;
  struct part mine = part_of(rank - side * half, n, side ? block : d);
  double *data = array(mine.count);
  acp_field_t x = field_of(model_of(side), "x", mine, data);
  for (int sample = -1; sample < 2; sample++) {
    acp_link_t l;
    TOGETHER("c", name, 1, l = open_link(x, side, 1));
    CHECK(acp_close_link(l) == 0);
  }
}

int main(int argc, char **argv) {
#ifdef WITH_MPI
  MPI_Init(&argc, &argv);
#endif
  if (acp_init(&argc, &argv) != 0 || argc < 2)
    return 1;
  source = argv[1];
  const char *what = argv[argc - 1];
  rank = acp_rank();
  half = acp_procs() / 2;
  if (strcmp(what, "near") == 0 && half == 1) {
    pair();
  } else if (strcmp(what, "near") == 0) {
    fields("coupleblock", 1000000, block, 1, 20);
    fields("couplecyclic", 1000000, cyclic, 1, 20);
  } else if (strcmp(what, "open") == 0) {
    opening("coupleopen", 10000000, block);
    opening("couplecyclicopen", 10000000, cyclic);
    opening("coupleanyopen", 10000000, any);
  } else {
    fields("farcouple", 1000000, block, 2, 40);
  }
  int failed = acp_finalize();
#ifdef WITH_MPI
  MPI_Finalize();
#endif
  return failed;
}
