// C submits what may wait in the submission queue, and nothing else. This program does so with tables of its
// own, in random states.
#include "check.h"
#include "submission.h"

#include <string.h>

enum { RANKS = 4, SELF = 1, STARTER = 4096, CASES = 200000 };

static char memory[8192 + STARTER];
static struct goacp_peer peers[RANKS];
static struct goacp_regions regions;
static struct goacp_direct table = {.rank = SELF, .peers = peers, .regions = &regions};
static uint64_t state = 88172645463325252u;

static uint64_t below(uint64_t n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state % n;
}

#define ONE_OF(...)                                                            \
  ((const uint64_t[]){__VA_ARGS__})[below(sizeof(uint64_t[]){__VA_ARGS__} / sizeof(uint64_t))]

// An address of a rank, mostly in its starter memory.
static uint64_t address(void) {
  uint64_t position = below(8) != 0 ? GOACP_STARTER_OFFSET + below(STARTER / 4) * ONE_OF(4, 4, 8, 1)
                                    : ONE_OF(0, GOACP_STARTER_OFFSET - 1, GOACP_STARTER_OFFSET + STARTER - 1, GOACP_USER_BASE);
  return (ONE_OF(SELF, SELF, 0, 2) << GOACP_POSITION_BITS) + position;
}

static int far(uint64_t ga) { return goacp_rank_of(ga) != SELF; }
static int null(uint64_t ga) { return goacp_position_of(ga) < GOACP_STARTER_OFFSET; }

// Whether the bytes of a put that C loads lie where it finds them.
static int loadable(uint64_t src, uint64_t n) {
  uint64_t offset = goacp_position_of(src) - GOACP_STARTER_OFFSET;
  return offset <= STARTER && n <= STARTER - offset;
}

// Whether the submission queue accepts an operation for a rank.
static int accepts(uint64_t rank) {
  const struct goacp_submission_queue *q = &table.submissions;
  return table.procs != 0 && q->to == rank + 1 && q->count < GOACP_SUBMISSION_MAX && q->lock == 0 &&
         table.pending < GOACP_MAX_IN_FLIGHT;
}

// Checks that an operation has been submitted as want with a handle, or, without one, that nothing has changed.
static void check(const struct goacp_direct *before, uint64_t handle, int may, struct goacp_submission want) {
  static struct goacp_direct after;
  after = *before;
  CHECK((handle != 0) == may);
  if (may) {
    CHECK(handle == before->issued + 1);
    after.issued++;
    after.pending++;
    want.handle = handle;
    after.submissions.list[after.submissions.count++] = want;
  }
  CHECK(memcmp(&table, &after, sizeof table) == 0);
}

static void copy(const struct goacp_direct *before) {
  uint64_t dst = address(), src = address(), n = ONE_OF(0, 1, 4, 7, 8, 9, 255, 256, 257, 4096);
  int put = far(dst);
  int may = n <= GOACP_SUBMISSION_BYTES && !null(dst) && !null(src) && far(dst) != far(src) &&
            accepts(goacp_rank_of(put ? dst : src));
  struct goacp_submission want = {.dst = dst, .src = src, .size = n};
  if (put && n <= 8 && may && (may = loadable(src, n))) {
    memcpy(&want.operand, memory + goacp_position_of(src), n);
    want.loaded = 1;
  }
  check(before, goacp_submit_copy(&table, dst, src, n), may, want);
}

static void atomic(const struct goacp_direct *before) {
  uint64_t dst = address(), src = address(), operand = below(UINT64_MAX), compare = below(UINT64_MAX);
  int width = (int)ONE_OF(4, 8), op = (int)(1 + below(6));
  int may = !null(dst) && !null(src) && !far(dst) && dst % (uint64_t)width == 0 && src % (uint64_t)width == 0 &&
            accepts(goacp_rank_of(src));
  struct goacp_submission want = {.dst = dst, .src = src, .size = (uint64_t)width, .op = (uint8_t)op,
                               .operand = operand, .compare = compare};
  check(before, goacp_submit_atomic(&table, op, width, dst, src, operand, compare), may, want);
}

int main(void) {
  static struct goacp_direct before;
  for (size_t i = 0; i < sizeof memory; i++)
    memory[i] = (char)below(256);
  for (uint64_t r = 0; r < RANKS; r++)
    peers[r].starter = STARTER;
  peers[SELF].base = memory;
  int submitted = 0;
  for (int i = 0; i < CASES; i++) {
    struct goacp_submission_queue *q = &table.submissions;
    table.procs = ONE_OF(RANKS, RANKS, RANKS, RANKS, 0);
    table.pending = ONE_OF(0, 2, GOACP_MAX_IN_FLIGHT - 1, GOACP_MAX_IN_FLIGHT);
    q->to = ONE_OF(0, 1, 2, 3, 3, 4);
    q->count = (uint32_t)ONE_OF(0, 3, GOACP_SUBMISSION_MAX - 1, GOACP_SUBMISSION_MAX);
    q->lock = (uint32_t)ONE_OF(0, 0, 0, 0, 0, 0, 0, 1);
    before = table;
    if (below(2))
      copy(&before);
    else
      atomic(&before);
    submitted += table.issued != before.issued;
  }
  CHECK(submitted > CASES / 100 && submitted < CASES / 2);
  return 0;
}
