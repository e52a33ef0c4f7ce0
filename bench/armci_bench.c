/* What transfers, atomics, mutexes and collective functions of ARMCI cost. It compiles with the
 * armci.h of GoACP and with that of ARMCI-MPI.
 *
 *     armci_bench SOURCE local     between two processes of a host
 *     armci_bench SOURCE remote    between two hosts
 *     armci_bench SOURCE many      with any number of processes
 *
 * SOURCE stands before each figure. Process 0 measures; the others wait in ARMCI_Barrier, except
 * where all take part. */

#define _GNU_SOURCE
#include "samples.h"

#include <armci.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef ARMCI_GOACP
#include <acp.h>
#endif

enum {
  megabyte = 1 << 20,
  doubles = megabyte / 8,
  rows = 64,     /* of a patch of 64 doubles each */
  row = 512,     /* bytes of such a row, and of a block of a large transfer */
  pitch = 1024,  /* from a row to the next */
  words = 512,   /* blocks of 8 bytes of a strided transfer */
  apart = 64,    /* from such a block to the next */
  segments = 1024,
};

static const char *source;
static int self;
static void *shared[256]; /* 4 MiB of each process */
static char *here;        /* 4 MiB of this process alone */
static char *plain;       /* 4 MiB for loops, of the kind of shared memory */
static double one = 1, two = 2;

/* Measures code, and a loop that does the same without a library. The two take turns. */
#define BESIDE(name, loops, code, reference)                                   \
  for (int sample_ = -1; sample_ < samples; sample_++) {                       \
    double t0_ = now();                                                        \
    for (int i_ = 0; i_ < (loops); i_++) {                                     \
      code;                                                                    \
    }                                                                          \
    double t1_ = now();                                                        \
    for (int i_ = 0; i_ < (loops); i_++) {                                     \
      reference;                                                               \
      __asm__ volatile("" ::: "memory");                                       \
    }                                                                          \
    double t2_ = now();                                                        \
    if (sample_ >= 0) {                                                        \
      report(source, name, (t1_ - t0_) / (loops));                             \
      report("loop", name, (t2_ - t1_) / (loops));                             \
    }                                                                          \
  }

/* Measures code that all processes call. */
#define TOGETHER(name, loops, code)                                            \
  for (int sample_ = -1; sample_ < samples; sample_++) {                       \
    ARMCI_Barrier();                                                           \
    double begin_ = now();                                                     \
    for (int i_ = 0; i_ < (loops); i_++) {                                     \
      code;                                                                    \
    }                                                                          \
    double end_ = now();                                                       \
    if (self == 0 && sample_ >= 0)                                             \
      report(source, name, (end_ - begin_) / (loops));                         \
  }

/* Measures the first of two statements alone, which belong together. */
#define FIRST(name, loops, code, rest)                                         \
  for (int sample_ = -1; sample_ < samples; sample_++) {                       \
    double sum_ = 0;                                                           \
    for (int i_ = 0; i_ < (loops); i_++) {                                     \
      double begin_ = now();                                                   \
      code;                                                                    \
      sum_ += now() - begin_;                                                  \
      rest;                                                                    \
    }                                                                          \
    if (sample_ >= 0)                                                          \
      report(source, name, sum_ / (loops));                                    \
  }

static void fail(const char *what) {
  perror(what);
  exit(1);
}

/* Memory of the kind of shared memory: pages of a memfd. */
static char *memory(size_t n) {
  int fd = memfd_create("armci-bench", 0);
  if (fd < 0 || ftruncate(fd, (off_t)n) != 0)
    fail("armci_bench: memory");
  void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (p == MAP_FAILED)
    fail("armci_bench: memory");
  close(fd);
  return memset(p, 0, n);
}

/* What the transfers do, as plain loops. Sizes are arguments, so that they are not known. */
__attribute__((noinline)) static void loop_rows(char *to, const char *from, int n, size_t bytes) {
  for (int i = 0; i < n; i++)
    memcpy(to + i * pitch, from + i * pitch, bytes);
}

__attribute__((noinline)) static void loop_words(char *to, const char *from, int n, int stride) {
  for (int i = 0; i < n; i++)
    *(double *)(to + i * stride) = *(const double *)(from + i * stride);
}

__attribute__((noinline)) static void loop_segments(void **to, void **from, int n) {
  for (int i = 0; i < n; i++)
    *(double *)to[i] = *(double *)from[i];
}

__attribute__((noinline)) static void loop_add_segments(void **to, void **from, int n, double scale) {
  for (int i = 0; i < n; i++)
    *(double *)to[i] += scale * *(double *)from[i];
}

__attribute__((noinline)) static void loop_add(double *to, const double *from, int n) {
  for (int i = 0; i < n; i++)
    to[i] += from[i];
}

__attribute__((noinline)) static void loop_add_scaled(double *to, const double *from, int n, double scale) {
  for (int i = 0; i < n; i++)
    to[i] += scale * from[i];
}

/* Contiguous transfers, and non-blocking ones. */
static void contiguous(char *peer) {
  armci_hdl_t h;
  ARMCI_INIT_HANDLE(&h);
  MEASURE(source, "put8", 20000, ARMCI_Put(here, peer, 8, 1))
  MEASURE(source, "get8", 20000, ARMCI_Get(peer, here, 8, 1))
  MEASURE(source, "nbput8", 20000, ARMCI_NbPut(here, peer, 8, 1, &h); ARMCI_Wait(&h))
  MEASURE(source, "allfence", 20000, ARMCI_AllFence())
  BESIDE("put1m", 16, ARMCI_Put(here, peer, megabyte, 1), memcpy(plain, here, megabyte))
  BESIDE("get1m", 16, ARMCI_Get(peer, here, megabyte, 1), memcpy(here, plain, megabyte))
}

/* Patches of a matrix, and single words. */
static void strided(char *peer) {
  int patch[] = {row, rows}, patch_stride[] = {pitch};
  int word[] = {8, words}, word_stride[] = {apart};
  BESIDE("puts4k", 500, ARMCI_PutS(here, patch_stride, peer, patch_stride, patch, 1, 1),
         loop_rows(plain, here, rows, row))
  BESIDE("gets4k", 500, ARMCI_GetS(peer, patch_stride, here, patch_stride, patch, 1, 1),
         loop_rows(here, plain, rows, row))
  BESIDE("puts8", 500, ARMCI_PutS(here, word_stride, peer, word_stride, word, 1, 1),
         loop_words(plain, here, words, apart))
}

static void vectors(char *peer) {
  static void *local[segments], *remote[segments], *private[segments];
  for (int i = 0; i < segments; i++) {
    int k = i * 769 % segments; /* in no order */
    local[i] = here + i * 8;
    remote[i] = peer + k * apart;
    private[i] = plain + k * apart;
  }
  armci_giov_t put = {local, remote, 8, segments}, get = {remote, local, 8, segments};
  BESIDE("putv8", 200, ARMCI_PutV(&put, 1, 1), loop_segments(private, local, segments))
  BESIDE("getv8", 200, ARMCI_GetV(&get, 1, 1), loop_segments(local, private, segments))
  BESIDE("accv8", 200, ARMCI_AccV(ARMCI_ACC_DBL, &one, &put, 1, 1),
         loop_add_segments(private, local, segments, one))
}

static void accumulates(char *peer) {
  long old;
  memset(here, 0, megabyte);
  MEASURE(source, "acc8", 20000, ARMCI_Acc(ARMCI_ACC_DBL, &one, here, peer, 8, 1))
  BESIDE("acc1m", 8, ARMCI_Acc(ARMCI_ACC_DBL, &one, here, peer, megabyte, 1),
         loop_add((double *)plain, (double *)here, doubles))
  BESIDE("accscaled1m", 8, ARMCI_Acc(ARMCI_ACC_DBL, &two, here, peer, megabyte, 1),
         loop_add_scaled((double *)plain, (double *)here, doubles, two))
  MEASURE(source, "rmw", 20000, ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, peer, 1, 1))
}

/* Gets from a process that computes for 20 ms and calls nothing meanwhile. */
static void busy(char *peer) {
  enum { gets = 1000 };
  for (int sample = -1; sample < samples; sample++) {
    ARMCI_Barrier();
    double begin = now();
    if (self == 0) {
      for (int i = 0; i < gets; i++)
        ARMCI_Get(peer, here, 8, 1);
      if (sample >= 0)
        report(source, "busyget8", (now() - begin) / gets);
    } else {
      while (now() - begin < 20e6) {
      }
    }
  }
  ARMCI_Barrier();
}

#ifdef ARMCI_GOACP
/* Seconds of processor of this process, in nanoseconds. */
static double processor(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e9 + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e3;
}

/* What process 1 uses of the processor while it waits a second for process 0. */
#define WAITING(name, keep, wait)                                              \
  ARMCI_Barrier();                                                             \
  if (self == 0) {                                                             \
    sleep(1);                                                                  \
    keep;                                                                      \
  } else {                                                                     \
    double begin_ = processor();                                               \
    wait;                                                                      \
    report(source, name, processor() - begin_);                                \
  }

static void waiting(void) {
  int n;
  if (self == 0)
    ARMCI_Lock(0, 1);
  WAITING("waitlock", ARMCI_Unlock(0, 1), (ARMCI_Lock(0, 1), ARMCI_Unlock(0, 1)))
  WAITING("waitrcv", armci_msg_snd(1, here, 8, 1), armci_msg_rcv(1, here, 8, &n, 0))
  WAITING("waitnotify", armci_notify(1), armci_notify_wait(0, &n))
  WAITING("waitbarrier", ARMCI_Barrier(), ARMCI_Barrier())
}
#endif

static void local(void) {
  char *peer = shared[1];
  ARMCI_Create_mutexes(1);
  if (self == 0) {
    contiguous(peer);
    strided(peer);
    vectors(peer);
    accumulates(peer);
    MEASURE(source, "lock", 5000, ARMCI_Lock(0, 1); ARMCI_Unlock(0, 1))
  }
  ARMCI_Barrier();
  busy(peer);
  memset(here, 0, megabyte);
  TOGETHER("acctwo1m", 8, ARMCI_Acc(ARMCI_ACC_DBL, &one, here, peer, megabyte, 1))
  TOGETHER("locktwo", 500, ARMCI_Lock(0, 1); ARMCI_Unlock(0, 1))
  TOGETHER("barrier", 2000, ARMCI_Barrier())
  double *x = (double *)here;
  TOGETHER("sum1", 2000, armci_msg_dgop(x, 1, "+"))
  TOGETHER("sum1000", 500, armci_msg_dgop(x, 1000, "+"))
  void *block[2];
  TOGETHER("malloc1m", 50, ARMCI_Malloc(block, megabyte); ARMCI_Free(block[self]))
#ifdef ARMCI_GOACP
  TOGETHER("sync", 2000, acp_sync())
  waiting();
#endif
  ARMCI_Destroy_mutexes();
}

/* Many short puts with an aggregate handle. */
static void aggregate(char *peer) {
  armci_hdl_t h;
  ARMCI_INIT_HANDLE(&h);
  ARMCI_SET_AGGREGATE_HANDLE(&h);
  MEASURE(source, "faraggregate", 20,
          for (int i = 0; i < 1000; i++) ARMCI_NbPut(here + i * 8, peer + i * apart, 8, 1, &h);
          ARMCI_Wait(&h); ARMCI_Fence(1))
}

static void remote(void) {
  char *peer = shared[1];
  long old;
  int count[] = {row, 2 * megabyte / row}, stride[] = {pitch};
  ARMCI_Create_mutexes(1);
  if (self == 0) {
    memset(here, 0, 4 * megabyte);
    FIRST("farput8", 500, ARMCI_Put(here, peer, 8, 1), ARMCI_Fence(1))
    MEASURE(source, "farputfence8", 500, ARMCI_Put(here, peer, 8, 1); ARMCI_Fence(1))
    MEASURE(source, "farget8", 500, ARMCI_Get(peer, here, 8, 1))
    MEASURE(source, "farrmw", 500, ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, peer, 1, 1))
    FIRST("farlock", 500, ARMCI_Lock(0, 1), ARMCI_Unlock(0, 1))
    for (int turn = 0; turn < 3; turn++) {
      MEASURE(source, "farput2m", 5, ARMCI_Put(here, peer, 2 * megabyte, 1); ARMCI_Fence(1))
      MEASURE(source, "farputs2m", 5, ARMCI_PutS(here, stride, peer, stride, count, 1, 1); ARMCI_Fence(1))
      MEASURE(source, "farget2m", 5, ARMCI_Get(peer, here, 2 * megabyte, 1))
      MEASURE(source, "fargets2m", 5, ARMCI_GetS(peer, stride, here, stride, count, 1, 1))
      MEASURE(source, "faracc2m", 5, ARMCI_Acc(ARMCI_ACC_DBL, &one, here, peer, 2 * megabyte, 1);
              ARMCI_Fence(1))
      MEASURE(source, "faraccs2m", 5,
              ARMCI_AccS(ARMCI_ACC_DBL, &one, here, stride, peer, stride, count, 1, 1);
              ARMCI_Fence(1))
    }
    aggregate(peer);
  }
  ARMCI_Barrier();
  ARMCI_Destroy_mutexes();
}

static void many(void) {
  char name[32];
  int procs = armci_msg_nproc();
  snprintf(name, sizeof name, "allfence%d", procs);
  if (self == 0) {
    usleep(500000); // until the others have gone to sleep
    MEASURE(source, name, 20000, ARMCI_AllFence())
  }
  ARMCI_Barrier();
}

int main(int argc, char **argv) {
#ifndef ARMCI_GOACP
  MPI_Init(&argc, &argv);
#endif
  if (ARMCI_Init_args(&argc, &argv) != 0)
    return 1;
  const char *part = argc > 2 ? argv[2] : "";
  source = argc > 1 ? argv[1] : "";
  self = armci_msg_me();
  here = malloc(4 * megabyte);
  plain = memory(4 * megabyte);
  if (here == NULL || ARMCI_Malloc(shared, strcmp(part, "many") == 0 ? 4096 : 4 * megabyte) != 0)
    ARMCI_Error("no memory", 1);
  memset(here, 0, 4 * megabyte);
  if (strcmp(part, "many") == 0)
    many();
  else if (strcmp(part, "local") == 0 && armci_msg_nproc() == 2)
    local();
  else if (strcmp(part, "remote") == 0 && armci_msg_nproc() == 2)
    remote();
  else
    ARMCI_Error("usage: armci_bench SOURCE local|remote|many", 2);
  ARMCI_Barrier();
  ARMCI_Free(shared[self]);
  ARMCI_Finalize();
#ifndef ARMCI_GOACP
  MPI_Finalize();
#endif
  return 0;
}
