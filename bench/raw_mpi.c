/* What MPI-3 one-sided access costs between two ranks of one job: the measure for
 * the same accesses by GoACP.
 *
 *     mpirun -np 2 raw_mpi NAME           on one host
 *     mpirun -np 2 raw_mpi NAME remote    between two hosts: many operations and one flush
 *
 * NAME stands before each figure and says which MPI and settings were used. The
 * operations that some implementations refuse or crash on come last. */

#include "samples.h"

#include <mpi.h>
#include <stdint.h>
#include <string.h>

enum { megabyte = 1 << 20 };

static int rank;
static const char *source;

#define RANK0(name, loops, code)                                               \
  do {                                                                         \
    if (rank == 0)                                                             \
      MEASURE(source, name, loops, code)                                       \
    MPI_Barrier(MPI_COMM_WORLD);                                               \
  } while (0)

static void window_operations(void) {
  char *mine;
  MPI_Win win;
  MPI_Win_allocate(megabyte, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  char *buffer = malloc(megabyte);
  memset(mine, rank + 1, megabyte);
  memset(buffer, 3, megabyte);
  uint64_t one = 1, old = 0, expected = 0;
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  MPI_Barrier(MPI_COMM_WORLD);

  RANK0("put8", 20000, MPI_Put(&one, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, win);
        MPI_Win_flush(1, win));
  RANK0("get8", 20000, MPI_Get(&old, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, win);
        MPI_Win_flush(1, win));
  RANK0("put1m", 20,
        MPI_Put(buffer, megabyte, MPI_BYTE, 1, 0, megabyte, MPI_BYTE, win);
        MPI_Win_flush(1, win));
  double sum = 1;
  RANK0("acc8", 10000,
        MPI_Accumulate(&sum, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, MPI_SUM, win);
        MPI_Win_flush(1, win));
  RANK0("add8", 10000,
        MPI_Fetch_and_op(&one, &old, MPI_UINT64_T, 1, 0, MPI_SUM, win);
        MPI_Win_flush(1, win));
  RANK0("cas8", 10000,
        MPI_Compare_and_swap(&one, &expected, &old, MPI_UINT64_T, 1, 0, win);
        MPI_Win_flush(1, win); expected = old);

  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  free(buffer);
}

/* Starts operations of 8 bytes and completes all of them by one flush. */
static void in_flight(const char *what, int depth, MPI_Win win, uint64_t *words) {
  static const uint64_t one = 1;
  char name[32];
  snprintf(name, sizeof name, "far%s8x%d", what, depth);
  int rounds = depth <= 64 ? 16 : 4;
  for (int sample = -1; sample < samples; sample++) {
    double begin = now();
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < depth; i++)
        if (what[0] == 'p')
          MPI_Put(&words[i], 8, MPI_BYTE, 1, 8 * i, 8, MPI_BYTE, win);
        else if (what[0] == 'g')
          MPI_Get(&words[i], 8, MPI_BYTE, 1, 8 * i, 8, MPI_BYTE, win);
        else
          MPI_Fetch_and_op(&one, &words[i], MPI_UINT64_T, 1, 8 * i, MPI_SUM, win);
      MPI_Win_flush(1, win);
    }
    if (sample >= 0)
      report(source, name, (now() - begin) / (rounds * depth));
  }
}

static void between_hosts(void) {
  static uint64_t words[4096];
  static const char *const what[] = {"put", "get", "add"};
  char *mine;
  MPI_Win win;
  MPI_Win_allocate(megabyte, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  memset(mine, 0, megabyte);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 3 && rank == 0; i++)
    for (int depth = 1; depth <= 4096; depth *= 8)
      in_flight(what[i], depth, win, words);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

/* The counterpart of registered memory: heap memory attached to a dynamic window. */
static void dynamic_window(void) {
  MPI_Win win;
  if (MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win) != MPI_SUCCESS)
    return;
  char *heap = malloc(4096);
  memset(heap, 0, 4096);
  MPI_Win_attach(win, heap, 4096);
  MPI_Aint at, other;
  MPI_Get_address(heap, &at);
  MPI_Sendrecv(&at, 1, MPI_AINT, 1 - rank, 0, &other, 1, MPI_AINT, 1 - rank, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  MPI_Barrier(MPI_COMM_WORLD);
  uint64_t one = 1;
  RANK0("regput8", 5000, MPI_Put(&one, 8, MPI_BYTE, 1, other, 8, MPI_BYTE, win);
        MPI_Win_flush(1, win));
  RANK0("regget8", 5000, MPI_Get(&one, 8, MPI_BYTE, 1, other, 8, MPI_BYTE, win);
        MPI_Win_flush(1, win));
  MPI_Win_unlock_all(win);
  MPI_Win_detach(win, heap);
  MPI_Win_free(&win);
  free(heap);
}

/* The counterparts of reductions of ARMCI. */
static void reductions(void) {
  static double x[1000];
  for (int n = 1; n <= 1000; n *= 1000)
    for (int sample = -1; sample < samples; sample++) {
      enum { turns = 1000 };
      double begin = now();
      for (int i = 0; i < turns; i++)
        MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      if (rank == 0 && sample >= 0)
        report(source, n == 1 ? "sum1" : "sum1000", (now() - begin) / turns);
    }
}

/* The counterparts of channels. */
static void messages(void) {
  uint64_t word = 0;
  char *buffer = malloc(megabyte);
  memset(buffer, rank, megabyte);
  for (int sample = -1; sample < samples; sample++) {
    enum { turns = 20000 };
    double begin = now();
    for (int i = 0; i < turns; i++) {
      if (rank == 0)
        MPI_Send(&word, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(&word, 8, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (rank == 1)
        MPI_Send(&word, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
    if (rank == 0 && sample >= 0)
      report(source, "ch8", (now() - begin) / (2 * turns));
  }
  for (int sample = -1; sample < samples; sample++) {
    enum { turns = 64 };
    double begin = now();
    for (int i = 0; i < turns; i++)
      if (rank == 0)
        MPI_Send(buffer, megabyte, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
      else
        MPI_Recv(buffer, megabyte, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && sample >= 0)
      report(source, "ch1m", (now() - begin) / turns);
  }
  free(buffer);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int remote = argc == 3 && strcmp(argv[2], "remote") == 0;
  if (size != 2 || (argc != 2 && !remote)) {
    fprintf(stderr, "usage: mpirun -np 2 raw_mpi NAME [remote]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  source = argv[1];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (remote) {
    between_hosts();
    MPI_Finalize();
    return 0;
  }
  for (int sample = -1; sample < samples; sample++) {
    double begin = now();
    for (int i = 0; i < 1000; i++)
      MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && sample >= 0)
      report(source, "sync", (now() - begin) / 1000);
  }
  reductions();
  messages();
  window_operations();
  dynamic_window();
  MPI_Finalize();
  return 0;
}
