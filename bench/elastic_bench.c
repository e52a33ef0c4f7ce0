/* What it costs a run to grow and to shrink.
 *
 *     acprun -max 6 -np 6 elastic_bench adopt SOURCE                    an epoch with the same ranks
 *     acprun -max 42 -np 2 elastic_bench grow                           from 2 to 6 ranks, and back
 *     acprun -max 2 -np 2 -startermemsize-dl 2g elastic_bench leave     a rank that leaves with 1 GiB in its heap */

#define _GNU_SOURCE
#include "samples.h"

#include <acp.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { further = 4 }; /* ranks by which the run grows */

static const size_t gigabyte = 1 << 30;

/* Ends the run unless a call has succeeded. */
#define CHECK(call)                                                            \
  do {                                                                         \
    if (!(call)) {                                                             \
      fprintf(stderr, "rank %d: %s: %s\n", acp_rank(), #call,                  \
              acp_error_message());                                            \
      acp_abort("a call has failed");                                          \
      abort();                                                                 \
    }                                                                          \
  } while (0)

static void adopt(int rank, const char *source) {
  enum { loops = 100 };
  for (int sample = -1; sample < samples; sample++) {
    double begin = now();
    for (int i = 0; i < loops; i++)
      CHECK(acp_adopt(1) > 0);
    if (rank == 0 && sample >= 0)
      report(source, "adopt", (now() - begin) / loops);
  }
}

static int waiting(void) {
  int n = 0;
  for (int rank = 0; rank < acp_seats(); rank++)
    n += acp_state(rank) == ACP_STATE_WAITING;
  return n;
}

/* Each growth has new ranks, which leave at once. */
static void grow(int rank) {
  if (acp_epoch() > 0) {
    CHECK(acp_adopt(0) == 0);
    return;
  }
  for (int sample = -1; sample < samples; sample++) {
    double begin = now();
    if (rank == 0) {
      int64_t seen = -1;
      CHECK(acp_ask_join(further) == 0);
      while (waiting() < further)
        CHECK((seen = acp_await_change(seen, -1)) >= 0);
    }
    CHECK(acp_adopt(1) > 0);
    if (rank == 0 && sample >= 0)
      report("c", "grow", now() - begin);
    CHECK(acp_epoch_ranks(NULL, 0) == 2 + further);
    CHECK(acp_adopt(1) > 0);
  }
}

/* Returns the bytes of shared memory that the host has in use. */
static double shared(void) {
  char line[128];
  long long kilobytes = -1;
  FILE *f = fopen("/proc/meminfo", "r");
  while (f != NULL && fgets(line, sizeof line, f) != NULL)
    if (sscanf(line, "Shmem: %lld kB", &kilobytes) == 1)
      break;
  if (f != NULL)
    fclose(f);
  return (double)kilobytes * 1024;
}

/* Reports how long the system takes to free memory as that of the heap: pages of a memfd. */
static void unmap(void) {
  int fd = memfd_create("elastic-bench", 0);
  CHECK(fd >= 0 && ftruncate(fd, (off_t)gigabyte) == 0);
  void *p = mmap(NULL, gigabyte, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  CHECK(p != MAP_FAILED);
  close(fd);
  memset(p, 1, gigabyte);
  double begin = now();
  munmap(p, gigabyte);
  report("munmap", "leave", now() - begin);
}

static void leave(int rank) {
  if (rank == 1) {
    unmap();
    void *p = acp_query_address(acp_malloc(gigabyte, rank));
    CHECK(p != NULL);
    memset(p, 1, gigabyte);
  }
  CHECK(acp_sync() == 0);
  if (rank == 0) {
    CHECK(acp_adopt(1) > 0);
    return;
  }
  double before = shared(), begin = now();
  if (acp_adopt(0) != 0 || acp_finalize() != 0) {
    fprintf(stderr, "rank 1 cannot leave: %s\n", acp_error_message());
    exit(1);
  }
  double end = now(), after = shared();
  report("c", "leave", end - begin);
  report("c", "leavekept", 100 * (1 - (before - after) / (double)gigabyte));
  exit(0);
}

int main(int argc, char **argv) {
  if (acp_init(&argc, &argv) != 0 || argc < 2)
    return 1;
  int rank = acp_rank();
  if (strcmp(argv[1], "adopt") == 0 && argc > 2)
    adopt(rank, argv[2]);
  else if (strcmp(argv[1], "grow") == 0)
    grow(rank);
  else
    leave(rank);
  return acp_finalize();
}
