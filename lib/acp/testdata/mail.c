// Rank 0 changes registered memory of rank 1 by random copies and atomics, and compares each result with a
// model. The program of rank 1 acts as the owner of its mailbox: it carries requests out, refuses them, takes
// them late or never, and answers late. Other requests take another path.
//
// mail [OPERATIONS]
#include "check.h"
#include "direct.h"

#include <time.h>

enum { BYTES = 1024, MOST = 80 };

struct starter { // of each rank
  acp_ga_t board;
  uint64_t ended;
  uint64_t old;
  unsigned char here[MOST + 8];
};

static unsigned seed;
static struct starter *mine;
static acp_ga_t at; // mine

static size_t below(size_t n) { return (size_t)rand_r(&seed) % n; }

static void pause_for(int64_t microseconds) {
  struct timespec now, begin;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do
    clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000 < microseconds);
}

static uint64_t result(int op, uint64_t x, uint64_t operand, uint64_t compare) {
  switch (op) {
  case GOACP_OP_ADD: return x + operand;
  case GOACP_OP_CAS: return x == compare ? operand : x;
  case GOACP_OP_SWAP: return operand;
  case GOACP_OP_AND: return x & operand;
  case GOACP_OP_OR: return x | operand;
  default: return x ^ operand;
  }
}

// Does an atomic on an integer and returns the old value. A request on the other path does not change the
// integer at the same time, since the initiator has one request at a time.
static uint64_t apply(void *p, int op, int width, uint64_t operand, uint64_t compare) {
  uint64_t x = 0, now;
  memcpy(&x, p, (size_t)width);
  now = result(op, x, operand, width == 4 ? (uint32_t)compare : compare);
  memcpy(p, &now, (size_t)width);
  return x;
}

// Rank 1: carries out the request in a slot. Its position must be in the board.
static void carry_out(struct goacp_mail_slot *s, unsigned char *board, acp_ga_t ga) {
  uint64_t from = s->pos - goacp_position_of(ga);
  CHECK(from < BYTES && from + (s->kind == GOACP_MAIL_ATOMIC ? s->width : s->size) <= BYTES);
  CHECK(s->size <= GOACP_MAIL_MAX_BYTES || s->kind == GOACP_MAIL_ATOMIC);
  switch (s->kind) {
  case GOACP_MAIL_PUT: memcpy(board + from, s->data, s->size); return;
  case GOACP_MAIL_GET: memcpy(s->data, board + from, s->size); return;
  default:
    CHECK(s->kind == GOACP_MAIL_ATOMIC);
    s->data[0] = apply(board + from, s->op, s->width, s->data[0], s->data[1]);
  }
}

static void own(void) {
  unsigned char *board = aligned_alloc(64, BYTES);
  CHECK(board != NULL);
  memset(board, 0, BYTES);
  acp_ga_t ga = acp_query_ga(acp_register_memory(board, BYTES, 0), board);
  CHECK(ga != ACP_GA_NULL);
  mine->board = ga;
  CHECK(acp_sync() == 0);
  struct goacp_mailbox *box = (void *)((char *)mine - GOACP_STARTER_OFFSET + GOACP_MAILBOX_OFFSET);
  struct goacp_mail_slot *s = &box->slots[0]; // of rank 0
  int carried = 0, refused = 0, left = 0;
  while (__atomic_load_n(&mine->ended, __ATOMIC_ACQUIRE) == 0) {
    __atomic_fetch_add(&box->polls, GOACP_MAIL_BEGINNING + 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < 2000; i++) {
      uint32_t is = GOACP_MAIL_POSTED;
      if (__atomic_load_n(&s->state, __ATOMIC_ACQUIRE) != is)
        continue;
      if (below(50) == 0) {
        pause_for(1 + (int64_t)below(2) * 30);
        left++;
      }
      if (!__atomic_compare_exchange_n(&s->state, &is, GOACP_MAIL_TAKEN, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        continue;
      int refuse = below(20) == 0;
      if (!refuse)
        carry_out(s, board, ga);
      if (below(50) == 0)
        pause_for((int64_t)below(2) * 300);
      refused += refuse;
      carried += !refuse;
      __atomic_store_n(&s->state, refuse ? GOACP_MAIL_REFUSED : GOACP_MAIL_DONE, __ATOMIC_RELEASE);
    }
    __atomic_fetch_sub(&box->polls, 1, __ATOMIC_SEQ_CST);
  }
  CHECK(carried > 100 && refused > 0 && left > 0);
  CHECK(s->state == GOACP_MAIL_FREE);
}

// Rank 0: one random copy.
static void copy(unsigned char *model, acp_ga_t board) {
  size_t n = below(MOST + 1), from = below(BYTES - n), shift = below(8);
  unsigned char *here = mine->here + shift;
  acp_ga_t local = at + (acp_ga_t)(here - (unsigned char *)mine);
  for (size_t i = 0; i < n; i++)
    here[i] = (unsigned char)rand_r(&seed);
  if (below(2) == 0) {
    acp_complete(acp_copy(board + from, local, n, ACP_HANDLE_NULL));
    memcpy(model + from, here, n);
  } else {
    acp_complete(acp_copy(local, board + from, n, ACP_HANDLE_ALL));
    CHECK(memcmp(model + from, here, n) == 0);
  }
}

// Rank 0: one random atomic.
static void change(unsigned char *model, acp_ga_t board) {
  static const int ops[] = {GOACP_OP_ADD, GOACP_OP_CAS, GOACP_OP_SWAP, GOACP_OP_AND, GOACP_OP_OR, GOACP_OP_XOR};
  int op = ops[below(6)], width = below(2) == 0 ? 4 : 8;
  size_t from = below(BYTES / (size_t)width) * (size_t)width;
  uint64_t x = ((uint64_t)rand_r(&seed) << 40) ^ (uint64_t)rand_r(&seed), compare = 0;
  acp_ga_t to = at + offsetof(struct starter, old), src = board + from;
  if (below(2) == 0)
    memcpy(&compare, model + from, (size_t)width);
  mine->old = 0;
  acp_handle_t h;
  switch (op * 16 + width) {
  case GOACP_OP_ADD * 16 + 4: h = acp_add4(to, src, (uint32_t)x, ACP_HANDLE_NULL); break;
  case GOACP_OP_ADD * 16 + 8: h = acp_add8(to, src, x, ACP_HANDLE_NULL); break;
  case GOACP_OP_CAS * 16 + 4: h = acp_cas4(to, src, (uint32_t)compare, (uint32_t)x, ACP_HANDLE_NULL); break;
  case GOACP_OP_CAS * 16 + 8: h = acp_cas8(to, src, compare, x, ACP_HANDLE_NULL); break;
  case GOACP_OP_SWAP * 16 + 4: h = acp_swap4(to, src, (uint32_t)x, ACP_HANDLE_NULL); break;
  case GOACP_OP_SWAP * 16 + 8: h = acp_swap8(to, src, x, ACP_HANDLE_NULL); break;
  case GOACP_OP_AND * 16 + 4: h = acp_and4(to, src, (uint32_t)x, ACP_HANDLE_NULL); break;
  case GOACP_OP_AND * 16 + 8: h = acp_and8(to, src, x, ACP_HANDLE_NULL); break;
  case GOACP_OP_OR * 16 + 4: h = acp_or4(to, src, (uint32_t)x, ACP_HANDLE_NULL); break;
  case GOACP_OP_OR * 16 + 8: h = acp_or8(to, src, x, ACP_HANDLE_NULL); break;
  case GOACP_OP_XOR * 16 + 4: h = acp_xor4(to, src, (uint32_t)x, ACP_HANDLE_NULL); break;
  default: h = acp_xor8(to, src, x, ACP_HANDLE_NULL);
  }
  acp_complete(h);
  CHECK(mine->old == apply(model + from, op, width, x, compare));
}

static void use(int operations) {
  unsigned char model[BYTES] = {0};
  CHECK(acp_sync() == 0);
  acp_ga_t far = acp_query_starter_ga(1);
  acp_complete(acp_copy(at, far, sizeof mine->board, ACP_HANDLE_NULL)); // maps it
  struct starter *theirs = goacp_at(goacp_direct(), far, sizeof *theirs);
  CHECK(theirs != NULL);
  acp_ga_t board = theirs->board;
  for (int i = 0; i < operations; i++)
    if (below(2) == 0)
      copy(model, board);
    else
      change(model, board);
  __atomic_store_n(&theirs->ended, 1, __ATOMIC_RELEASE);
  unsigned char *end = malloc(BYTES);
  CHECK(end != NULL);
  acp_ga_t to = acp_query_ga(acp_register_memory(end, BYTES, 0), end);
  acp_complete(acp_copy(to, board, BYTES, ACP_HANDLE_NULL));
  CHECK(memcmp(end, model, BYTES) == 0);
}

int main(int argc, char **argv) {
  CHECK(acp_init(&argc, &argv) == 0);
  seed = check_seed();
  at = acp_query_starter_ga(acp_rank());
  mine = acp_query_address(at);
  if (acp_rank() == 0)
    use(argc > 1 ? atoi(argv[1]) : 20000);
  else
    own();
  CHECK(acp_sync() == 0);
  CHECK(acp_finalize() == 0);
  return 0;
}
