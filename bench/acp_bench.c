/* What GMAs cost by the C API.
 *
 *     acprun -np 2 acp_bench local     between two processes of a host
 *     acprun -np 2 -mhookhuge acp_bench pool   memory of malloc that peers map, beside starter memory
 *     acprun -np 3 acp_bench third     copies between two others
 *     acprun -np 2 acp_bench remote    between two hosts
 *     acprun -np 4 acp_bench map       a map over four processes of a host
 *     acprun -np 3 acp_bench asleep    two processes that work while a third sleeps
 *     acprun -np 4 acp_bench busy      processes that all work
 *     acprun -np N acp_bench memory    private memory of a process of N
 *     macprun ... acp_bench rma NAME   by windows of an MPI, between two processes
 *     macprun ... acp_bench hosts      by windows, between two hosts
 *
 * Each figure is of one GMA and acp_complete. Rank 0 measures; the others sleep in acp_sync, except
 * where ranks exchange messages. Starter memory of 4 MiB or more is needed, except for the figures
 * of memory. */

#define _GNU_SOURCE
#include "samples.h"

#include <acp.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
  megabyte = 1 << 20,
  /* Of starter memory: */
  exchange = 64,    /* where a rank publishes an address */
  block = megabyte, /* 2 MiB to be read and written */
};

static const char source[] = "c";
static acp_ga_t mine, peer;

static void copy(acp_ga_t dst, acp_ga_t src, size_t n) {
  acp_complete(acp_copy(dst, src, n, ACP_HANDLE_NULL));
}

/* Appends 8 bytes to a vector and takes them away again. */
static void append(acp_vector_t v, acp_ga_t bytes) {
  acp_push_back_vector(v, bytes, 8);
  acp_pop_back_vector(v, 8);
}

/* Appends 8 bytes to a deque and takes them away in front. */
static void queue(acp_deque_t d, acp_ga_t bytes) {
  acp_push_back_deque(d, bytes, 8);
  acp_pop_front_deque(d, 8);
}

/* Appends 8 bytes on rank 1 to a list and takes them away again. */
static void chain(acp_list_t l, acp_ga_t bytes) {
  acp_push_back_list(l, (acp_element_t){bytes, 8}, 1);
  acp_pop_back_list(l);
}

/* The GA of n bytes of malloc that this rank has registered, and of such of its peer. */
static void registered(acp_ga_t *own, acp_ga_t *other, size_t n) {
  void *heap = aligned_alloc(64, n);
  memset(heap, 0, n);
  *own = acp_query_ga(acp_register_memory(heap, n, 0), heap);
  memcpy((char *)acp_query_address(mine) + exchange, own, sizeof *own);
  acp_sync();
  copy(mine + exchange + 8, peer + exchange, 8);
  memcpy(other, (char *)acp_query_address(mine) + exchange + 8, sizeof *other);
  acp_sync();
}

/* Shared memory as that of GoACP is: pages of a memfd. */
static void *memory(void) {
  int fd = memfd_create("acp-bench", 0);
  if (fd < 0 || ftruncate(fd, megabyte) != 0)
    return NULL;
  void *p = mmap(NULL, megabyte, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  return p == MAP_FAILED ? NULL : p;
}

/* The sizes and the kind of memory are the same. The two take turns, so that a change of the
 * machine affects both. */
static void against_memcpy(void) {
  void *from = memory(), *to = memory();
  if (from == NULL || to == NULL) {
    perror("acp_bench: shared memory");
    exit(1);
  }
  memset(from, 1, megabyte);
  memset(to, 2, megabyte);
  memset(acp_query_address(mine + block), 1, megabyte);
  for (int sample = -1; sample < 2 * samples; sample++) {
    enum { loops = 16 };
    copy(peer + block, mine + block, megabyte);
    double t0 = now();
    for (int i = 0; i < loops; i++)
      copy(peer + block, mine + block, megabyte);
    double t1 = now();
    memcpy(to, from, megabyte);
    double t2 = now();
    for (int i = 0; i < loops; i++) {
      memcpy(to, from, megabyte);
      __asm__ volatile("" ::: "memory");
    }
    double t3 = now();
    if (sample >= 0) {
      report(source, "put1m", (t1 - t0) / loops);
      report("memcpy", "put1m", (t3 - t2) / loops);
    }
  }
}

/* The same accesses to memory of malloc and to starter memory take turns. */
static void pool(int rank) {
  acp_ga_t own, other, near = mine + block;
  registered(&own, &other, 2 * megabyte);
  if (rank != 0)
    return;
  memset(acp_query_address(near), 1, megabyte);
  for (int turn = 0; turn < 4; turn++) {
    const char *from = turn % 2 == 0 ? "starter" : source;
    acp_ga_t far = turn % 2 == 0 ? peer + block : other;
    MEASURE(from, "poolput8", 20000, copy(far, near, 8))
    MEASURE(from, "poolget8", 20000, copy(near, far, 8))
    MEASURE(from, "pooladd8", 20000, acp_complete(acp_add8(near, far, 1, ACP_HANDLE_NULL)))
    MEASURE(from, "poolput1m", 20, copy(far, near, megabyte))
    MEASURE(from, "poolput8own", 20000, copy(far, turn % 2 == 0 ? near : own, 8))
  }
}

static void syncs(int rank, const char *name) {
  for (int sample = -1; sample < samples; sample++) {
    double begin = now();
    for (int i = 0; i < 1000; i++)
      acp_sync();
    if (rank == 0 && sample >= 0)
      report(source, name, (now() - begin) / 1000);
  }
}

static void give(acp_ch_t ch, void *buf, size_t n) { acp_wait_ch(acp_nbsend_ch(ch, buf, n)); }
static void take(acp_ch_t ch, void *buf, size_t n) { acp_wait_ch(acp_nbrecv_ch(ch, buf, n)); }

/* Half a round trip of 8 bytes between ranks 0 and 1. */
static void turns(int rank, acp_ch_t out, acp_ch_t in, const char *name, int turns) {
  uint64_t word = 0;
  for (int sample = -1; sample < samples; sample++) {
    double begin = now();
    for (int i = 0; i < turns; i++) {
      if (rank == 0)
        give(out, &word, 8);
      take(in, &word, 8);
      if (rank == 1)
        give(out, &word, 8);
    }
    if (rank == 0 && sample >= 0)
      report(source, name, (now() - begin) / (2 * turns));
  }
}

/* Frees channels. The other ends may be freed later than these, so all of them are freed at once. */
static void release(acp_ch_t *ch, int n) {
  acp_request_t freed[4];
  for (int i = 0; i < n; i++)
    freed[i] = acp_nbfree_ch(ch[i]);
  acp_waitall_ch(freed, n, NULL);
}

/* Half a round trip of 8 bytes, and a stream of messages of 1 MiB, between ranks 0
 * and 1. */
static void channels(int rank, const char *small, int rounds, const char *large) {
  acp_ch_t ch[] = {acp_create_ch(rank, 1 - rank), acp_create_ch(1 - rank, rank)};
  char *buffer = malloc(megabyte);
  memset(buffer, rank, megabyte);
  turns(rank, ch[0], ch[1], small, rounds);
  for (int sample = -1; sample < samples; sample++) {
    enum { messages = 64 };
    double begin = now();
    for (int i = 0; i < messages; i++)
      if (rank == 0)
        give(ch[0], buffer, megabyte);
      else
        take(ch[1], buffer, megabyte);
    acp_sync();
    if (rank == 0 && sample >= 0)
      report(source, large, (now() - begin) / messages);
  }
  release(ch, 2);
  free(buffer);
}

static void local(int rank) {
  acp_ga_t own, other;
  syncs(rank, "sync");
  channels(rank, "ch8", 20000, "ch1m");
  registered(&own, &other, 4096);
  if (rank == 0) {
    acp_ga_t far = peer + block, near = mine + block;
    MEASURE(source, "put8", 20000, copy(far, near, 8))
    MEASURE(source, "get8", 20000, copy(near, far, 8))
    MEASURE(source, "add8", 20000,
            acp_complete(acp_add8(near, far, 1, ACP_HANDLE_NULL)))
    MEASURE(source, "cas8", 20000,
            acp_complete(acp_cas8(near, far, 1, 2, ACP_HANDLE_NULL)))
    MEASURE(source, "malloc64", 20000, acp_free(acp_malloc(64, 1)))
    acp_vector_t v = acp_create_vector(0, 1);
    MEASURE(source, "vector8", 20000, append(v, near))
    acp_destroy_vector(v);
    acp_deque_t d = acp_create_deque(0, 1);
    MEASURE(source, "deque8", 20000, queue(d, near))
    acp_destroy_deque(d);
    acp_list_t l = acp_create_list(0);
    MEASURE(source, "list8", 20000, chain(l, near))
    acp_destroy_list(l);
    MEASURE(source, "ownput8", 20000, copy(far, own, 8))
    MEASURE(source, "regput8", 5000, copy(other, near, 8))
    MEASURE(source, "regget8", 5000, copy(near, other, 8))
    MEASURE(source, "regadd8", 5000,
            acp_complete(acp_add8(near, other, 1, ACP_HANDLE_NULL)))
    against_memcpy();
  }
}

/* Inserts many keys of 8 bytes with values of 8 bytes in a map over all ranks but this
 * one if there are two, finds them, and removes them. */
static void maps(int rank, int keys, const char *insert, const char *find,
                 const char *erase) {
  if (rank != 0)
    return;
  int procs = acp_procs(), ranks[] = {procs == 2 ? 1 : 0, 1, 2, 3};
  acp_map_t map = acp_create_map(procs == 2 ? 1 : procs, ranks, 4096, 0);
  acp_pair_t pair = {{mine + block, 8}, {mine + block + 8, 8}};
  volatile uint64_t *key = acp_query_address(mine + block);
  for (int sample = -1; sample < samples; sample++) {
    double t[4];
    int right = 0;
    for (int phase = 0; phase < 4; phase++) {
      t[phase] = now();
      for (int i = 0; i < keys && phase < 3; i++) {
        *key = (uint64_t)i;
        if (phase == 0)
          right += acp_insert_map(map, pair);
        else if (phase == 1)
          right += acp_find_map(map, pair.first).elem != ACP_GA_NULL;
        else
          acp_remove_map(map, pair.first);
      }
    }
    if (right != 2 * keys || !acp_empty_map(map))
      acp_abort("the map is wrong");
    if (sample < 0)
      continue;
    report(source, insert, (t[1] - t[0]) / keys);
    report(source, find, (t[2] - t[1]) / keys);
    report(source, erase, (t[3] - t[2]) / keys);
  }
  acp_destroy_map(map);
}

/* The same with many keys in one call. */
static void many(int rank, int keys, const char *insert, const char *find,
                 const char *erase) {
  enum { at_once = 500 };
  static acp_pair_t pairs[at_once];
  static acp_element_t all[at_once];
  static acp_map_it_t its[at_once];
  if (rank != 0)
    return;
  int procs = acp_procs(), ranks[] = {procs == 2 ? 1 : 0, 1, 2, 3};
  acp_map_t map = acp_create_map(procs == 2 ? 1 : procs, ranks, 4096, 0);
  uint64_t *key = acp_query_address(mine + block);
  for (int i = 0; i < at_once; i++) {
    all[i] = (acp_element_t){mine + block + 8 * (acp_ga_t)i, 8};
    pairs[i] = (acp_pair_t){all[i], all[i]};
  }
  for (int sample = -1; sample < samples; sample++) {
    double t[4];
    int right = 0;
    for (int phase = 0; phase < 4; phase++) {
      t[phase] = now();
      for (int first = 0; first < keys && phase < 3; first += at_once) {
        for (int i = 0; i < at_once; i++)
          key[i] = (uint64_t)(first + i);
        if (phase == 0)
          right += acp_insert_many_map(map, pairs, at_once, NULL);
        else if (phase == 1)
          right += acp_find_many_map(map, all, at_once, its);
        else
          right += acp_remove_many_map(map, all, at_once, NULL);
      }
    }
    if (right != 3 * keys)
      acp_abort("the map is wrong");
    if (sample < 0)
      continue;
    report(source, insert, (t[1] - t[0]) / keys);
    report(source, find, (t[2] - t[1]) / keys);
    report(source, erase, (t[3] - t[2]) / keys);
  }
  acp_destroy_map(map);
}

static void third(int rank) {
  if (rank != 0)
    return;
  acp_ga_t from = acp_query_starter_ga(1) + block;
  acp_ga_t to = acp_query_starter_ga(2) + block;
  MEASURE(source, "third8", 20000, copy(to, from, 8))
  MEASURE(source, "third1m", 20, copy(to, from, megabyte))
}

/* Ranks 0 and 1 exchange messages while rank 2 sleeps, and rank 0 works alone while both others do. */
static void asleep(int rank) {
  acp_ga_t own, other;
  if (rank < 2) {
    acp_ch_t ch[] = {acp_create_ch(rank, 1 - rank), acp_create_ch(1 - rank, rank)};
    turns(rank, ch[0], ch[1], "asleepch8", 2000);
    release(ch, 2);
  }
  registered(&own, &other, 4096);
  if (rank == 0)
    MEASURE(source, "asleepregadd8", 200,
            acp_complete(acp_add8(mine + block, other, 1, ACP_HANDLE_NULL)))
  acp_sync();
  syncs(rank, "asleepsync");
}

/* Computes for some microseconds. */
static void compute(void) {
  for (volatile int i = 0; i < 5000; i++)
    ;
}

/* All ranks compute, exchange 8 bytes with both neighbours, and begin again. */
static void busy(int rank) {
  int procs = acp_procs(), right = (rank + 1) % procs, left = (rank + procs - 1) % procs;
  acp_ch_t ch[] = {acp_create_ch(rank, right), acp_create_ch(rank, left),
                   acp_create_ch(left, rank), acp_create_ch(right, rank)};
  uint64_t words[4] = {0};
  syncs(rank, "busysync");
  for (int sample = -1; sample < samples; sample++) {
    enum { steps = 1000 };
    double begin = now();
    for (int i = 0; i < steps; i++) {
      compute();
      acp_request_t r[] = {acp_nbsend_ch(ch[0], &words[0], 8), acp_nbsend_ch(ch[1], &words[1], 8),
                           acp_nbrecv_ch(ch[2], &words[2], 8), acp_nbrecv_ch(ch[3], &words[3], 8)};
      acp_waitall_ch(r, 4, NULL);
    }
    acp_sync();
    if (rank == 0 && sample >= 0)
      report(source, "busystep", (now() - begin) / steps);
  }
  release(ch, 4);
}

/* Issues GMAs of 8 bytes and waits for all of them at once: so many that several thousand are issued
 * per sample. The figure is what one of them takes. */
static void in_flight(const char *kind, const char *what, int depth, acp_ga_t far, acp_ga_t near) {
  char name[32];
  snprintf(name, sizeof name, "%s%s8x%d", kind, what, depth);
  for (int sample = -1; sample < samples; sample++) {
    int rounds = depth <= 64 ? 256 : 16384 / depth;
    double begin = now();
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < depth; i++)
        if (what[0] == 'p')
          acp_copy(far + 8 * i, near + 8 * i, 8, ACP_HANDLE_NULL);
        else if (what[0] == 'g')
          acp_copy(near + 8 * i, far + 8 * i, 8, ACP_HANDLE_NULL);
        else
          acp_add8(near + 8 * i, far + 8 * i, 1, ACP_HANDLE_NULL);
      acp_complete(ACP_HANDLE_ALL);
    }
    if (sample >= 0)
      report(source, name, (now() - begin) / (rounds * depth));
  }
}

static void rates(const char *kind, int depth, acp_ga_t far, acp_ga_t near) {
  for (; depth <= 4096; depth *= 8) {
    in_flight(kind, "put", depth, far, near);
    in_flight(kind, "get", depth, far, near);
    in_flight(kind, "add", depth, far, near);
  }
}

static void remote(int rank) {
  channels(rank, "farch8", 500, "farch1m");
  maps(rank, 500, "farmapinsert", "farmapfind", "farmapremove");
  many(rank, 500, "farmapinsertmany", "farmapfindmany", "farmapremovemany");
  if (rank != 0)
    return;
  acp_ga_t far = peer + block, near = mine + block;
  MEASURE(source, "farput8", 1000, copy(far, near, 8))
  MEASURE(source, "farget8", 1000, copy(near, far, 8))
  MEASURE(source, "faradd8", 1000,
          acp_complete(acp_add8(near, far, 1, ACP_HANDLE_NULL)))
  rates("far", 8, far, near);
  MEASURE(source, "farmalloc64", 500, acp_free(acp_malloc(64, 1)))
  acp_vector_t v = acp_create_vector(0, 1);
  MEASURE(source, "farvector8", 500, append(v, near))
  acp_destroy_vector(v);
  acp_list_t l = acp_create_list(1);
  MEASURE(source, "farlist8", 500, chain(l, near))
  acp_destroy_list(l);
  MEASURE(source, "farput2m", 20, copy(far, near, 2 * megabyte))
  enum { loops = 32 };
  for (int sample = -1; sample < samples; sample++) {
    double begin = now();
    for (int i = 0; i < loops; i++)
      acp_copy(far, near, 2 * megabyte, ACP_HANDLE_NULL);
    acp_complete(ACP_HANDLE_ALL);
    if (sample >= 0)
      report(source, "farstream2m", (now() - begin) / loops);
  }
}

/* The figures of windows, which are named after the MPI that serves them. */
static void windows(int rank, const char *mpi) {
  acp_ga_t own, other, far = peer + block, near = mine + block;
  registered(&own, &other, 4096);
  if (rank != 0)
    return;
  memset(acp_query_address(near), 1, megabyte);
  char name[64], *end = name + snprintf(name, sizeof name / 2, "%s-", mpi);
#define WINDOWS(what, loops, code)                                             \
  strcpy(end, what);                                                           \
  MEASURE(source, name, loops, code)
  WINDOWS("put8", 20000, copy(far, near, 8))
  WINDOWS("get8", 20000, copy(near, far, 8))
  WINDOWS("add8", 10000, acp_complete(acp_add8(near, far, 1, ACP_HANDLE_NULL)))
  WINDOWS("cas8", 10000, acp_complete(acp_cas8(near, far, 1, 2, ACP_HANDLE_NULL)))
  WINDOWS("put1m", 20, copy(far, near, megabyte))
  WINDOWS("regput8", 500, copy(other, near, 8))
  WINDOWS("regget8", 500, copy(near, other, 8))
}

/* Memory in KiB that this process has written and shares with no other. */
static double private_memory(void) {
  FILE *f = fopen("/proc/self/smaps_rollup", "r");
  char line[256];
  double size = 0;
  while (f != NULL && fgets(line, sizeof line, f) != NULL)
    if (sscanf(line, "Private_Dirty: %lf", &size) == 1)
      break;
  if (f != NULL)
    fclose(f);
  return size;
}

int main(int argc, char **argv) {
  if (acp_init(&argc, &argv) != 0)
    return 1;
  int rank = acp_rank(), procs = acp_procs();
  double size = private_memory();
  mine = acp_query_starter_ga(rank);
  peer = acp_query_starter_ga((rank + 1) % procs);
  const char *what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "memory") == 0) {
    char name[32];
    snprintf(name, sizeof name, "memory%d", procs);
    report(source, name, size * 1024);
  } else if (strcmp(what, "local") == 0 && procs == 2) {
    local(rank);
  } else if (strcmp(what, "pool") == 0 && procs == 2) {
    pool(rank);
  } else if (strcmp(what, "third") == 0 && procs == 3) {
    third(rank);
  } else if (strcmp(what, "map") == 0 && procs == 4) {
    maps(rank, 10000, "mapinsert", "mapfind", "mapremove");
    many(rank, 10000, "mapinsertmany", "mapfindmany", "mapremovemany");
  } else if (strcmp(what, "asleep") == 0 && procs == 3) {
    asleep(rank);
  } else if (strcmp(what, "busy") == 0) {
    busy(rank);
  } else if (strcmp(what, "remote") == 0 && procs == 2) {
    remote(rank);
  } else if (strcmp(what, "puts") == 0 && procs == 2) {
    for (double begin = now(); rank == 0 && now() - begin < 5e9;) /* for bench/profile.sh */
      in_flight("far", "put", 4096, peer + block, mine + block);
  } else if (strcmp(what, "hosts") == 0 && procs == 2) {
    if (rank == 0)
      rates("windows", 1, peer + block, mine + block);
  } else if (strcmp(what, "rma") == 0 && procs == 2 && argc == 3) {
    windows(rank, argv[2]);
  } else {
    acp_abort("usage: acprun -np N acp_bench local|pool|third|map|asleep|busy|remote|puts|hosts|memory|rma NAME");
  }
  acp_sync();
  return acp_finalize();
}
