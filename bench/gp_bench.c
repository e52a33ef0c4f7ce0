/* What global pointer arrays cost by the C API.
 *
 *     acprun -np 2 gp_bench local     between two processes of a host
 *     acprun -np 2 gp_bench remote    between two hosts
 *
 * Rank 0 measures; rank 1 sleeps in GP_Sync. Heaps of 128 MiB are needed. The same done by hand is
 * one acp_copy for each element, whose address and size rank 0 knows already. */

#include "samples.h"

#include <acp.h>
#include <gp.h>
#include <stdint.h>
#include <string.h>

enum {
  edge = 32, /* places along each dimension of the section */
  listed = 1000,
  word = 64,             /* bytes of a short element */
  page = 32 << 10,       /* of one that just fits a message */
  large = 32 << 20,      /* of a long one */
  most = edge * edge * 264, /* of all elements of the section */
};

static const char source[] = "c";
static const char hand[] = "by hand";
static int rank;

static void *allocate(size_t n) {
  void *mem = malloc(n);
  if (mem == NULL) {
    perror("gp_bench");
    exit(1);
  }
  memset(mem, 1, n);
  return mem;
}

/* An element of this rank. */
static void *element(int n) {
  void *mem = GP_Malloc((size_t)n);
  if (mem == NULL)
    acp_abort("gp_bench: a larger heap is needed: -startermemsize-dl 128m");
  memset(mem, rank + 2, (size_t)n);
  return mem;
}

/* An array whose first half of places is of rank 0, the second half of rank 1. */
static int array(int ndim, int *dims) {
  int a = GP_Create_handle(), chunk[2] = {0, edge};
  GP_Set_dimensions(a, ndim, dims);
  GP_Set_chunk(a, chunk);
  if (GP_Allocate(a) != 1)
    acp_abort("gp_bench: no room for an array");
  return a;
}

/* Gets and puts one element of n bytes of rank 1. */
static void one(const char *get, const char *put, int n, int loops) {
  int dims[1] = {2}, a = array(1, dims), at = 1, size, bytes = n;
  if (rank == 1)
    GP_Assign_local_element(a, &at, element(n), n);
  GP_Sync();
  if (rank == 0) {
    void *buf = allocate((size_t)n), *where = buf;
    MEASURE(source, get, loops, GP_Get(a, &at, &at, buf, &where, NULL, &bytes, NULL, &size, 0));
    MEASURE(source, put, loops, GP_Put(a, &at, &at, &where, NULL, &bytes, NULL, &size, 1));
    free(buf);
  }
  GP_Sync();
  GP_Destroy(a);
}

/* Copies one element of 32 MiB, in turn with memcpy between memory of the same kind. */
static void one_large(void) {
  int dims[1] = {2}, a = array(1, dims), at = 1, size, bytes = large;
  void *mem = element(large);
  if (rank == 1)
    GP_Assign_local_element(a, &at, mem, large);
  GP_Sync();
  if (rank == 0) {
    void *buf = allocate(large), *where = buf;
    for (int sample = -1; sample < samples; sample++) {
      double t0 = now();
      GP_Get(a, &at, &at, buf, &where, NULL, &bytes, NULL, &size, 0);
      double t1 = now();
      memcpy(buf, mem, large);
      __asm__ volatile("" ::: "memory");
      double t2 = now();
      if (sample >= 0) {
        report(source, "gpget32m", t1 - t0);
        report("memcpy", "gpget32m", t2 - t1);
      }
    }
    free(buf);
  }
  GP_Sync();
  GP_Destroy(a);
  GP_Free(mem);
}

/* The bytes of the element of a place, 12 to 264. */
static int size_of(int i) { return 12 + (int)((uint32_t)i * 2654435761u >> 8) % 253; }

static void *pointers[edge * edge], *elements[edge * edge];
static int sizes[edge * edge];

/* Gets and puts a section of 32 x 32 elements, half of them of rank 1, in turn with memcpy of the
 * same pieces, all of them of rank 0. */
static void section(void) {
  int dims[2] = {edge, edge}, a = array(2, dims), lo[2], hi[2], ld[1] = {edge}, size;
  GP_Distribution(a, rank, lo, hi);
  for (int i = 0; i < edge * edge; i++) {
    int at[2] = {i / edge, i % edge};
    elements[i] = element(size_of(i));
    if (at[0] >= lo[0] && at[0] <= hi[0])
      GP_Assign_local_element(a, at, elements[i], size_of(i));
  }
  GP_Sync();
  if (rank == 0) {
    int first[2] = {0, 0}, last[2] = {edge - 1, edge - 1};
    char *buf = allocate(most);
    for (int sample = -1; sample < samples; sample++) {
      enum { loops = 500 };
      double t0 = now();
      for (int i = 0; i < loops; i++)
        GP_Get(a, first, last, buf, pointers, ld, sizes, ld, &size, 0);
      double t1 = now();
      for (int i = 0; i < loops; i++)
        GP_Put(a, first, last, pointers, ld, sizes, ld, &size, 1);
      double t2 = now();
      for (int i = 0; i < loops; i++) {
        char *next = buf;
        for (int k = 0; k < edge * edge; k++) {
          memcpy(next, elements[k], (size_t)sizes[k]);
          next += sizes[k];
        }
        __asm__ volatile("" ::: "memory");
      }
      double t3 = now();
      for (int i = 0; i < loops; i++) {
        const char *next = buf;
        for (int k = 0; k < edge * edge; k++) {
          memcpy(elements[k], next, (size_t)sizes[k]);
          next += sizes[k];
        }
        __asm__ volatile("" ::: "memory");
      }
      double t4 = now();
      if (sample >= 0) {
        report(source, "gpgetsection", (t1 - t0) / loops);
        report(source, "gpputsection", (t2 - t1) / loops);
        report("memcpy", "gpgetsection", (t3 - t2) / loops);
        report("memcpy", "gpputsection", (t4 - t3) / loops);
      }
    }
    free(buf);
  }
  GP_Sync();
  GP_Destroy(a);
  for (int i = 0; i < edge * edge; i++)
    GP_Free(elements[i]);
}

/* Gathers 1000 elements of 64 bytes of rank 1 in one call, and copies as many pieces of a block of
 * rank 1 by hand. */
static void gather(const char *name, int loops) {
  static int places[listed], got[listed];
  static void *where[listed];
  int dims[1] = {2 * listed}, a = array(1, dims), size;
  for (int i = 0; i < listed; i++) {
    /* In an order in which no two follow each other. */
    places[i] = listed + i * 7 % listed;
    if (rank == 1)
      GP_Assign_local_element(a, &places[i], element(word), word);
  }
  GP_Sync();
  if (rank == 0) {
    acp_ga_t there = acp_malloc(listed * word, 1), here = acp_query_starter_ga(0);
    char *buf = allocate(listed * word);
    MEASURE(source, name, loops, GP_Gather(a, listed, places, buf, where, got, &size, 0));
    MEASURE(hand, name, loops, {
      for (int i = 0; i < listed; i++)
        acp_copy(here + (size_t)i * word, there + (size_t)(i * 7 % listed) * word, word, ACP_HANDLE_NULL);
      acp_complete(ACP_HANDLE_ALL);
    });
    free(buf);
    acp_free(there);
  }
  GP_Sync();
  GP_Destroy(a);
}

int main(int argc, char **argv) {
  if (acp_init(&argc, &argv) != 0)
    return EXIT_FAILURE;
  GP_Initialize();
  rank = acp_rank();
  if (argc != 2 || acp_procs() != 2)
    acp_abort("usage: acprun -np 2 gp_bench local | remote");
  if (strcmp(argv[1], "local") == 0) {
    one("gpget64", "gpput64", word, 20000);
    section();
    gather("gpgather1000", 500);
    one_large();
  } else {
    one("fargpget64", "fargpput64", word, 1000);
    one("fargpget32k", "fargpput32k", page, 500);
    gather("fargpgather1000", 200);
  }
  GP_Terminate();
  acp_finalize();
  return EXIT_SUCCESS;
}
