// Jacobi's method on a square, with processes that join and leave.
//
// The rows of the square are divided over the ranks of the epoch. In each step every row becomes the mean of its
// neighbours, for which each rank writes its outer rows to the ranks above and below. When the epoch is to
// change, all ranks write their rows to rank 0, which stays. The ranks of the next epoch read theirs
// from there. The result has the same bits for any number of ranks.
//
//     acpcc jacobi.c -o jacobi
//     acprun -max 6 -np 2 ./jacobi 300 100:6 200:3
//
// computes 300 steps: with 2 ranks at first, with 6 from step 100 on, and with 3 from step 200 on. While it computes,
// acprun -to RUN -np +N adds processes, and acprun -to RUN -leave RANKS asks ranks to leave.
#include <acp.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 256, MOST_RANKS = 64, LOOK = 10 }; // every LOOK steps rank 0 looks whether the epoch is to change

// What rank 0 tells the others, in its starter memory.
struct plan {
  acp_ga_t square; // WIDTH rows of WIDTH numbers, in the heap of rank 0
  int64_t step;    // from which the epoch computes
  int64_t change;  // 1: the epoch changes
  acp_ga_t rows;   // in each rank: its two copies of its rows, with a row above and below
};

static int64_t steps;
static struct plan *plan, *around; // in the starter memory of this rank: its own, and those of the ranks above and below
static int ranks[MOST_RANKS], count, self; // of the epoch; ranks[self] is this one
static int first, rows;                    // of this rank

static void fail(const char *what) {
  fprintf(stderr, "rank %d: %s: %s\n", acp_rank(), what, acp_error_message());
  acp_abort("the solver has failed");
  exit(1);
}

static void complete(void) {
  acp_complete(ACP_HANDLE_ALL);
  if (acp_sync() != 0)
    fail("acp_sync");
}

static acp_ga_t starter(int rank, size_t offset) { return acp_query_starter_ga(rank) + offset; }

// Divides the rows over the ranks of the epoch.
static void divide(void) {
  count = acp_epoch_ranks(ranks, MOST_RANKS);
  for (self = 0; ranks[self] != acp_rank(); self++)
    ;
  first = WIDTH * self / count;
  rows = WIDTH * (self + 1) / count - first;
}

// Copies the rows of this rank between its memory and the square on rank 0.
static void exchange(acp_ga_t mine, int to_square) {
  acp_ga_t square = plan->square + sizeof(double) * WIDTH * first, own = mine + sizeof(double) * WIDTH;
  size_t bytes = sizeof(double) * WIDTH * rows;
  if (to_square)
    acp_copy(square, own, bytes, ACP_HANDLE_NULL);
  else
    acp_copy(own, square, bytes, ACP_HANDLE_NULL);
}

// Computes the rows of next from those of now, and writes the outer ones to the ranks above and below.
static void step(const double *now, double *next, acp_ga_t next_ga, const acp_ga_t neighbour[2], int above_rows) {
  for (int i = 1; i <= rows; i++)
    for (int k = 1; k < WIDTH - 1; k++)
      next[i * WIDTH + k] = first + i - 1 == 0 || first + i == WIDTH ? now[i * WIDTH + k]
          : 0.25 * (now[(i - 1) * WIDTH + k] + now[(i + 1) * WIDTH + k] + now[i * WIDTH + k - 1] + now[i * WIDTH + k + 1]);
  size_t row = sizeof(double) * WIDTH;
  if (self > 0)
    acp_copy(neighbour[0] + row * (above_rows + 1), next_ga + row, row, ACP_HANDLE_NULL);
  if (self < count - 1)
    acp_copy(neighbour[1], next_ga + row * rows, row, ACP_HANDLE_NULL);
  complete();
}

// As rank 0: asks for processes, or ranks to leave, so that so many ranks take part.
static void resize(int want) {
  if (want > count && acp_ask_join(want - count) != 0)
    fail("acp_ask_join");
  for (int i = count - 1; i >= want; i--)
    if (acp_ask_leave(ranks[i]) != 0)
      fail("acp_ask_leave");
  for (int64_t seen = -1; want > count && (seen = acp_await_change(seen, -1)) >= 0;) {
    int waiting = 0;
    for (int r = 0; r < acp_seats() && r < MOST_RANKS; r++)
      waiting += acp_state(r) == ACP_STATE_WAITING;
    if (waiting >= want - count)
      return;
  }
}

// As rank 0: whether a process waits, or a rank is asked to leave.
static int changes(void) {
  for (int i = 0; i < count; i++)
    if (acp_asked(ranks[i]))
      return 1;
  for (int r = 0; r < acp_seats() && r < MOST_RANKS; r++)
    if (acp_state(r) == ACP_STATE_WAITING)
      return 1;
  return 0;
}

// Computes until the epoch is to change, or the last step is done. Rank 0 passes what the user has asked for.
static void compute(char **wishes, int wish_count) {
  divide();
  size_t row = sizeof(double) * WIDTH, half = row * (rows + 2);
  acp_ga_t mine = acp_malloc(2 * half, acp_rank());
  if (mine == ACP_GA_NULL)
    fail("acp_malloc");
  double *memory = acp_query_address(mine);
  memset(memory, 0, 2 * half);
  // The square, the step, and the rows of the neighbours.
  acp_copy(starter(acp_rank(), 0), starter(0, 0), offsetof(struct plan, rows), ACP_HANDLE_NULL);
  acp_complete(ACP_HANDLE_ALL);
  plan->rows = mine;
  complete();
  for (int k = 0; k < 2; k++)
    if (self + 2 * k - 1 >= 0 && self + 2 * k - 1 < count)
      acp_copy(starter(acp_rank(), sizeof(struct plan) * (k + 1)), starter(ranks[self + 2 * k - 1], 0), sizeof(struct plan), ACP_HANDLE_NULL);
  exchange(mine, 0);
  complete();
  int above_rows = self > 0 ? first - WIDTH * (self - 1) / count : 0;
  int below_rows = self < count - 1 ? WIDTH * (self + 2) / count - first - rows : 0;
  memcpy(memory + (rows + 2) * WIDTH, memory, half);
  if (acp_rank() == 0)
    printf("step %lld: %d ranks\n", (long long)plan->step, count), fflush(stdout);
  int64_t at = plan->step;
  int now = 0;
  // The rows of the neighbours before the first step.
  acp_ga_t to[2] = {around[0].rows, around[1].rows};
  if (self > 0)
    acp_copy(to[0] + row * (above_rows + 1), mine + row, row, ACP_HANDLE_NULL);
  if (self < count - 1)
    acp_copy(to[1], mine + row * rows, row, ACP_HANDLE_NULL);
  complete();
  for (plan->change = 0; !plan->change;) {
    acp_ga_t next[2] = {to[0] + (now ? 0 : row * (above_rows + 2)), to[1] + (now ? 0 : row * (below_rows + 2))};
    step(memory + now * (half / sizeof(double)), memory + !now * (half / sizeof(double)), mine + !now * half, next, above_rows);
    now = !now;
    at++;
    if (at % LOOK != 0 && at != steps)
      continue;
    if (acp_rank() == 0) {
      for (int i = 0; i < wish_count; i++)
        if (atoll(wishes[i]) == at)
          resize(atoi(strchr(wishes[i], ':') + 1));
      plan->change = at == steps || changes();
    }
    acp_sync();
    acp_copy(starter(acp_rank(), offsetof(struct plan, change)), starter(0, offsetof(struct plan, change)), sizeof plan->change, ACP_HANDLE_NULL);
    complete();
  }
  plan->step = at;
  exchange(mine + now * half, 1);
  complete();
  acp_free(mine);
}

int main(int argc, char **argv) {
  if (acp_init(&argc, &argv) != 0)
    return 1;
  plan = acp_query_address(acp_query_starter_ga(acp_rank()));
  around = plan + 1;
  steps = argc > 1 ? atoll(argv[1]) : 300;
  if (acp_rank() == 0 && acp_epoch() == 0) {
    plan->square = acp_malloc(sizeof(double) * WIDTH * WIDTH, 0);
    if (plan->square == ACP_GA_NULL)
      fail("acp_malloc");
    double *square = acp_query_address(plan->square);
    for (int i = 0; i < WIDTH * WIDTH; i++)
      square[i] = i < WIDTH ? 100 : i % WIDTH == 0 ? 50 : 0;
  }
  do {
    acp_sync();
    compute(argv + 2, argc - 2);
    if (plan->step == steps)
      break;
  } while (acp_adopt(!acp_asked(acp_rank())) > 0);
  if (acp_rank() == 0) {
    const unsigned char *square = acp_query_address(plan->square);
    uint64_t hash = 14695981039346656037u; // FNV-1a
    for (size_t i = 0; i < sizeof(double) * WIDTH * WIDTH; i++)
      hash = (hash ^ square[i]) * 1099511628211u;
    printf("result %016llx\n", (unsigned long long)hash);
  }
  return acp_finalize() == 0 ? 0 : 1;
}
