// Sends messages of all lengths between all pairs of ranks, makes every possible mistake, and
// frees channels in every way.
#include "check.h"
#include "direct.h"

#include <pthread.h>
#include <sys/mman.h>

enum { MOST = 8, ROUNDS = 200, LONGEST = 300000 };

static acp_ch_t out[MOST], in[MOST];
static unsigned char *sent[MOST], *got[MOST];

static size_t length(int from, int to, int i) {
  static const size_t some[] = {0, 1, 8, 63, 1000, 2000, 5000, LONGEST};
  return i % 16 == 7 ? some[(from + to + i) % 8] : (size_t)(from * 31 + to * 17 + i) % 300;
}

static unsigned char byte(int from, int to, int i, size_t at) {
  return (unsigned char)(from * 53 + to * 29 + i * 7 + at);
}

static void fill(int from, int to, int i) {
  for (size_t k = 0; k < length(from, to, i); k++)
    sent[to][k] = byte(from, to, i, k);
}

static void check(int from, int to, int i, size_t size) {
  CHECK(size == length(from, to, i));
  for (size_t k = 0; k < size; k++)
    CHECK(got[from][k] == byte(from, to, i, k));
}

// All ranks at once: the receives of a round are posted, then the messages sent.
static void all_pairs(int rank, int procs) {
  acp_request_t requests[2 * MOST];
  size_t sizes[2 * MOST];
  for (int i = 0; i < ROUNDS; i++) {
    int n = 0;
    for (int other = 0; other < procs; other++)
      if (other != rank)
        CHECK((requests[n++] = acp_nbrecv_ch(in[other], got[other], LONGEST)) != ACP_REQUEST_NULL);
    for (int other = 0; other < procs; other++) {
      if (other == rank)
        continue;
      fill(rank, other, i);
      CHECK((requests[n++] = acp_nbsend_ch(out[other], sent[other], length(rank, other, i))) !=
            ACP_REQUEST_NULL);
    }
    CHECK(acp_waitall_ch(requests, n, sizes) == 0);
    n = 0;
    for (int other = 0; other < procs; other++)
      if (other != rank)
        check(other, rank, i, sizes[n++]);
    for (; n < 2 * (procs - 1); n++)
      CHECK(sizes[n] == 0);
  }
}

// Sends one message back and forth many times, which C does without Go.
static void ping(int rank, int procs) {
  int other = rank ^ 1;
  if (other >= procs)
    return;
  for (uint64_t i = 0; i < 5000; i++) {
    uint64_t mine = i * 2 + (uint64_t)rank, yours = 0;
    acp_request_t r = acp_nbrecv_ch(in[other], &yours, sizeof yours);
    if (rank < other)
      CHECK(acp_wait_ch(acp_nbsend_ch(out[other], &mine, sizeof mine)) == 0);
    CHECK(acp_wait_ch(r) == sizeof yours);
    CHECK(yours == i * 2 + (uint64_t)other);
    if (rank > other)
      CHECK(acp_wait_ch(acp_nbsend_ch(out[other], &mine, sizeof mine)) == 0);
  }
}

// A message that is longer than the memory of its receive. It arrives before the receive, or
// after it.
static void truncation(int rank) {
  unsigned char buf[16];
  if (rank == 0) {
    for (int i = 0; i < 4; i++) {
      acp_request_t r = acp_nbsend_ch(out[1], "0123456789abcdef", 16);
      if (i % 2 == 0)
        CHECK(acp_sync() == 0);
      CHECK(acp_wait_ch(r) == 0);
    }
    return;
  }
  if (rank == 1)
    memset(buf, '-', sizeof buf);
  for (int i = 0; i < 4; i++) {
    if (i % 2 == 0)
      CHECK(acp_sync() == 0);
    if (rank == 1) {
      CHECK(acp_wait_ch(acp_nbrecv_ch(in[0], buf, 5)) == 5);
      CHECK(memcmp(buf, "01234-----------", 16) == 0);
    }
  }
}

static unsigned char pattern(int turn, size_t i) { return (unsigned char)(i * 7 + i / 253 + (size_t)turn); }

// Messages that are too long for a ring, from memory of the program and of the library, and short
// ones between them. Some are longer than the memory of their receives.
static void long_messages(int rank) {
  static const size_t sizes[] = {40000, 1 << 20, 8, (1 << 20) + 13, (4 << 20) + 1, 0, 100000};
  enum { SIZES = sizeof sizes / sizeof *sizes, TURNS = 10 * SIZES, LONGEST = (4 << 20) + 1 };
  if (rank > 1) {
    for (int turn = 0; turn < TURNS; turn += 3)
      CHECK(acp_sync() == 0);
    return;
  }
  acp_ga_t block = acp_malloc(LONGEST, rank);
  CHECK(block != ACP_GA_NULL);
  unsigned char *own = malloc(LONGEST), *library = acp_query_address(block);
  for (int turn = 0; turn < TURNS; turn++) {
    size_t size = sizes[turn % SIZES], capacity = turn % 4 == 3 ? size * 2 / 3 : size;
    unsigned char *buf = turn % 5 == 4 ? library : own;
    acp_request_t r = ACP_REQUEST_NULL;
    if (rank == 0) {
      for (size_t i = 0; i < size; i++)
        buf[i] = pattern(turn, i);
      r = acp_nbsend_ch(out[1], buf, size);
    } else {
      memset(buf, 0, size);
    }
    if (turn % 3 == 0) // the message is there before it is asked for
      CHECK(acp_sync() == 0);
    if (rank == 0) {
      CHECK(acp_wait_ch(r) == 0);
      continue;
    }
    CHECK(acp_wait_ch(acp_nbrecv_ch(in[0], buf, capacity)) == capacity);
    for (size_t i = 0; i < size; i++)
      CHECK(buf[i] == (i < capacity ? pattern(turn, i) : 0));
  }
  acp_free(block);
  free(own);
}

// Several long messages are under way at once. The program waits for them in any order, also for
// longer than a thread spins, and does not wait for the last ones. On one host C sends them by
// itself, unless Go still works on the channel.
static void outstanding(int rank) {
  enum { MANY = 6, SIZE = 50000, TURNS = 20 };
  static unsigned char buf[MANY][SIZE];
  int without_go = 0;
  for (int turn = 0; rank < 2 && turn < TURNS; turn++) {
    acp_request_t r[MANY];
    if (rank == 1 && turn % 5 == 0)
      usleep(5000);
    for (int i = 0; i < MANY; i++) {
      if (rank == 0)
        memset(buf[i], turn * MANY + i, SIZE);
      r[i] = rank == 0 ? acp_nbsend_ch(out[1], buf[i], SIZE) : acp_nbrecv_ch(in[0], buf[i], SIZE);
      CHECK(r[i] != ACP_REQUEST_NULL);
      without_go += ((uintptr_t)r[i] & ~(GOACP_SENT_BY_C - 1)) == GOACP_SENT_BY_C;
    }
    if (rank == 0 && turn == TURNS - 1)
      break;
    for (int i = 0; i < MANY; i++)
      CHECK(acp_wait_ch(r[turn % 2 == 0 ? MANY - 1 - i : i]) == (rank == 0 ? 0 : SIZE));
    for (int i = 0; i < MANY; i++)
      for (int at = 0; at < SIZE; at++)
        CHECK(buf[i][at] == (unsigned char)(turn * MANY + i));
  }
  CHECK((without_go > 0) == (rank == 0 && strcmp(getenv("ACP_NET"), "shm") == 0));
  CHECK(acp_sync() == 0);
}

// Receives of one thread and sends of another, while the receives of a third wait.
static void *stream(void *arg) {
  int rank = *(int *)arg;
  for (int i = 0; i < 3000; i++) {
    uint64_t word = 0;
    if (rank == 0) {
      word = (uint64_t)i;
      CHECK(acp_wait_ch(acp_nbsend_ch(out[1], &word, 8)) == 0);
    } else {
      CHECK(acp_wait_ch(acp_nbrecv_ch(in[0], &word, 8)) == 8);
      CHECK(word == (uint64_t)i);
    }
  }
  return NULL;
}

static void threads(int rank) {
  if (rank > 1)
    return;
  pthread_t forth;
  CHECK(pthread_create(&forth, NULL, stream, &rank) == 0);
  for (int i = 0; i < 3000; i++) {
    uint64_t word = 0;
    if (rank == 1) {
      word = (uint64_t)i * 3;
      CHECK(acp_wait_ch(acp_nbsend_ch(out[0], &word, 8)) == 0);
    } else {
      CHECK(acp_wait_ch(acp_nbrecv_ch(in[1], &word, 8)) == 8);
      CHECK(word == (uint64_t)i * 3);
    }
  }
  CHECK(pthread_join(forth, NULL) == 0);
}

static void mistakes(int rank, int procs) {
  int next = (rank + 1) % procs;
  char buf[8];
  FAILS(acp_create_ch(rank, rank), ACP_CH_NULL, EINVAL);
  FAILS(acp_create_ch(rank, procs), ACP_CH_NULL, EINVAL);
  FAILS(acp_create_ch(-1, rank), ACP_CH_NULL, EINVAL);
  if (procs > 2)
    FAILS(acp_create_ch(next, (rank + 2) % procs), ACP_CH_NULL, EINVAL);
  FAILS(acp_nbrecv_ch(out[next], buf, 8), ACP_REQUEST_NULL, EINVAL);
  FAILS(acp_nbsend_ch(in[next], buf, 8), ACP_REQUEST_NULL, EINVAL);
  FAILS(acp_nbsend_ch(ACP_CH_NULL, buf, 8), ACP_REQUEST_NULL, EINVAL);
  FAILS(acp_nbrecv_ch((acp_ch_t)buf, buf, 8), ACP_REQUEST_NULL, EINVAL);
  FAILS(acp_nbfree_ch(ACP_CH_NULL), ACP_REQUEST_NULL, EINVAL);
  FAILS(acp_free_ch(ACP_CH_NULL), -1, EINVAL);
  FAILS(acp_wait_ch(ACP_REQUEST_NULL), (size_t)-1, EINVAL);
  acp_request_t none = ACP_REQUEST_NULL;
  size_t sizes[3];
  FAILS(acp_waitall_ch(&none, 1, NULL), -1, EINVAL);
  FAILS(acp_waitall_ch(NULL, 3, sizes), -1, EFAULT);
  FAILS(acp_waitall_ch(&none, -1, sizes), -1, EINVAL);
  CHECK(acp_waitall_ch(NULL, 0, NULL) == 0);
  for (int i = 0; i < 3 && procs > 1; i++) {
    FAILS(acp_nbsend_ch(out[next], NULL, (size_t[]){1, 2500, 1 << 20}[i]), ACP_REQUEST_NULL, EFAULT);
    FAILS(acp_nbrecv_ch(in[next], NULL, (size_t[]){1, 2500, 1 << 20}[i]), ACP_REQUEST_NULL, EFAULT);
    FAILS(acp_nbsend_ch(out[next], buf, (size_t[]){SIZE_MAX, SIZE_MAX / 2, (size_t)1 << 60}[i]), ACP_REQUEST_NULL, EINVAL);
    FAILS(acp_nbrecv_ch(in[next], buf, (size_t[]){SIZE_MAX, SIZE_MAX / 2, (size_t)1 << 60}[i]), ACP_REQUEST_NULL, EINVAL);
    CHECK(acp_waitall_ch((acp_request_t[]){acp_nbsend_ch(out[next], NULL, 0),
                                           acp_nbrecv_ch(in[(rank + procs - 1) % procs], NULL, 0)},
                         2, NULL) == 0);
  }
}

// A number that no function has returned is not a request. Some of these numbers are close to
// those of C.
static void forged(int procs) {
  static const uint64_t parts[] = {1, 2, 3, 1000, 0xffffffff, (uint64_t)1 << 32, (uint64_t)5 << 32 | 7};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    for (int slot = 0; slot < 2 * procs + 2; slot++) {
      uint64_t sent = (parts[i] + ((uint64_t)1 << 30)) & (((uint64_t)1 << GOACP_END_BITS) - 1);
      uint64_t names[] = {
          GOACP_SENT_BY_C | (uint64_t)slot << GOACP_END_BITS | sent,
          GOACP_SENT_BY_C | (uint64_t)(0xfffff - slot) << GOACP_END_BITS | parts[i],
          (uint64_t)1 << 62 | (((uint64_t)1 << 40) + parts[i]),
          (uint64_t)slot << GOACP_OWNER_SHIFT | (0x80000000u + (uint32_t)parts[i]),
          ~parts[i],
      };
      for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        FAILS(acp_wait_ch((acp_request_t)names[k]), (size_t)-1, EINVAL);
    }
}

// A message from memory of which all or a part does not exist fails at both ends, and does not
// affect the messages before and after it. A receive into such memory fails at its end.
static void unreadable(int rank) {
  enum { SIZE = 1 << 20 };
  if (rank > 1)
    return;
  unsigned char *good = malloc(SIZE), *half, *never = (unsigned char *)4096;
  half = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(half != MAP_FAILED && mprotect(half + SIZE / 2, SIZE / 2, PROT_NONE) == 0);
  for (int turn = 0; turn < 4; turn++) {
    unsigned char *bad = rank == turn / 2 ? (turn % 2 == 0 ? never : half) : malloc(SIZE);
    acp_request_t r[3];
    unsigned char *bufs[] = {good, bad, good};
    size_t sizes[] = {SIZE, SIZE, 100}, got[3];
    memset(good, rank == 0 ? 'a' + turn : 0, SIZE);
    for (int i = 0; i < 3; i++)
      r[i] = rank == 0 ? acp_nbsend_ch(out[1], bufs[i], sizes[i]) : acp_nbrecv_ch(in[0], bufs[i], sizes[i]);
    int fails = turn < 2 || rank == 1;
    for (int i = 0; i < 3; i++) {
      if (i == 1 && fails) {
        FAILS(acp_wait_ch(r[i]), (size_t)-1, EFAULT);
        continue;
      }
      CHECK((got[i] = acp_wait_ch(r[i])) == (rank == 0 ? 0 : sizes[i]));
    }
    for (int i = 0; i < SIZE; i++)
      CHECK(good[i] == 'a' + turn);
    if (rank != turn / 2)
      free(bad);
  }
  munmap(half, SIZE);
  free(good);
}

// Receives for which no message is left fail, and then everything is freed.
static void end(int rank, int procs) {
  acp_request_t freed[2 * MOST], vain = ACP_REQUEST_NULL;
  char buf[8];
  int n = 0;
  if (rank == 1)
    CHECK((vain = acp_nbrecv_ch(in[0], buf, 8)) != ACP_REQUEST_NULL);
  for (int other = 0; other < procs; other++) {
    if (other == rank)
      continue;
    CHECK((freed[n++] = acp_nbfree_ch(out[other])) != ACP_REQUEST_NULL);
    FAILS(acp_nbsend_ch(out[other], buf, 8), ACP_REQUEST_NULL, EINVAL);
    CHECK((freed[n++] = acp_nbfree_ch(in[other])) != ACP_REQUEST_NULL);
    FAILS(acp_nbrecv_ch(in[other], buf, 8), ACP_REQUEST_NULL, EINVAL);
  }
  if (rank == 1)
    CHECK(acp_wait_ch(vain) == (size_t)-1);
  CHECK(acp_waitall_ch(freed, n, NULL) == 0);
  for (int turn = 0; turn < 50 && rank < 2 && procs > 1; turn++) {
    acp_ch_t c = acp_create_ch(turn % 2, 1 - turn % 2);
    CHECK(c != ACP_CH_NULL);
    CHECK(acp_free_ch(c) == 0);
  }
}

int main(int argc, char **argv) {
  FAILS(acp_create_ch(0, 1), ACP_CH_NULL, EPERM);
  CHECK(acp_init(&argc, &argv) == 0);
  int rank = acp_rank(), procs = acp_procs();
  for (int turn = 0; turn < 2; turn++) {
    for (int k = 1; k < procs; k++) {
      int other = (rank + k) % procs;
      sent[other] = malloc(LONGEST);
      got[other] = malloc(LONGEST);
      CHECK((out[other] = acp_create_ch(rank, other)) != ACP_CH_NULL);
      CHECK((in[other] = acp_create_ch(other, rank)) != ACP_CH_NULL);
    }
    all_pairs(rank, procs);
    ping(rank, procs);
    if (procs > 1) {
      truncation(rank);
      long_messages(rank);
      outstanding(rank);
      threads(rank);
    }
    mistakes(rank, procs);
    forged(procs);
    if (procs > 1)
      unreadable(rank);
    if (turn == 0) { // with everything open
      CHECK(acp_reset((rank + 1) % procs) == 0);
      rank = acp_rank();
    } else {
      end(rank, procs);
    }
    for (int other = 0; other < procs; other++) {
      free(sent[other]);
      free(got[other]);
      sent[other] = got[other] = NULL;
    }
  }
  CHECK(acp_finalize() == 0);
  return 0;
}
