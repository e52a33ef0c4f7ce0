/*
 * A sample sort. Each thread sorts its keys and cuts them at splitters, which come from samples of all threads. Then each thread reads the
 * keys of its range from all others, by a group, and sorts them.
 *
 *     dmimw -n 2 ./ssort_dmi 2 2 100000 1
 *
 * NODES THREADS KEYS SEED. The order of the keys and their sum are checked.
 */
#include "dmi_api.h"

enum { SAMPLES = 64 }; /* of each thread */

struct shared {
  int64_t keys, seed, parts, cuts, samples, results, barrier;
};

/* What a thread says of its sorted keys. */
struct result {
  uint64_t sum, first, last;
  int64_t count;
};

static int compare(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static uint64_t key(uint64_t seed, uint64_t i) {
  uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u + seed * 0xd1b54a32d192ed03u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

static int64_t first_of(int64_t keys, int rank, int all) { return keys * rank / all; }

void DMI_main(int argc, char **argv) {
  struct shared s;
  int64_t at;
  if (argc != 5 || atoi(argv[3]) < 1) {
    outn("usage: %s NODES THREADS KEYS SEED", argv[0]);
    error();
  }
  int32_t nodes = atoi(argv[1]), threads = atoi(argv[2]), all = nodes * threads;
  s.keys = atoi(argv[3]);
  s.seed = atoi(argv[4]);
  catch(DMI_mmap(&at, sizeof s, 1, NULL));
  catch(DMI_mmap(&s.parts, (s.keys / all + 1) * (int64_t)sizeof(uint64_t), all, NULL));
  catch(DMI_mmap(&s.cuts, (all + 1) * (int64_t)sizeof(int64_t), all, NULL));
  catch(DMI_mmap(&s.samples, SAMPLES * (int64_t)sizeof(uint64_t), all, NULL));
  catch(DMI_mmap(&s.results, sizeof(struct result), all, NULL));
  catch(DMI_mmap(&s.barrier, sizeof(DMI_barrier_t), 1, NULL));
  catch(DMI_barrier_init(s.barrier));
  catch(DMI_write(at, sizeof s, &s, DMI_EXCLUSIVE, NULL));
  catch(DMI_rescale(at, nodes, threads));

  struct result *results = malloc((size_t)all * sizeof *results), sum = {0, 0, 0, 0};
  catch(DMI_read(s.results, all * (int64_t)sizeof *results, results, DMI_GET, NULL));
  for (int i = 0; i < all; i++) {
    if (results[i].count > 0 && sum.count > 0 && results[i].first < sum.last) {
      outn("the keys of thread %d begin below those of the threads before", i);
      error();
    }
    if (results[i].count > 0)
      sum.last = results[i].last;
    sum.count += results[i].count;
    sum.sum += results[i].sum;
  }
  for (int64_t i = 0; i < s.keys; i++)
    sum.sum -= key((uint64_t)s.seed, (uint64_t)i);
  if (sum.count != s.keys || sum.sum != 0) {
    outn("%ld keys, expected %ld; their sum is off by %lu", (long)sum.count, (long)s.keys, (unsigned long)sum.sum);
    error();
  }
  outn("%ld keys by %d threads: sorted", (long)s.keys, all);
  free(results);
  catch(DMI_barrier_destroy(s.barrier));
  catch(DMI_munmap(s.barrier, NULL));
  catch(DMI_munmap(s.results, NULL));
  catch(DMI_munmap(s.samples, NULL));
  catch(DMI_munmap(s.cuts, NULL));
  catch(DMI_munmap(s.parts, NULL));
  catch(DMI_munmap(at, NULL));
}

/* Writes samples of sorted keys, and returns the splitters between the ranges of all threads. */
static uint64_t *choose_splitters(const struct shared *s, const uint64_t *keys, int64_t n, int rank, int all, DMI_local_barrier_t *b) {
  uint64_t samples[SAMPLES], *of_all = malloc((size_t)(all * SAMPLES) * sizeof *of_all), *splitters = malloc((size_t)all * sizeof *splitters);
  for (int i = 0; i < SAMPLES; i++)
    samples[i] = n > 0 ? keys[n * i / SAMPLES] : 0;
  catch(DMI_write(s->samples + rank * (int64_t)sizeof samples, sizeof samples, samples, DMI_EXCLUSIVE, NULL));
  catch(DMI_local_barrier_sync(b, all));
  catch(DMI_read(s->samples, all * (int64_t)sizeof samples, of_all, DMI_INVALIDATE, NULL));
  qsort(of_all, (size_t)(all * SAMPLES), sizeof *of_all, compare);
  for (int i = 1; i < all; i++)
    splitters[i] = of_all[i * SAMPLES];
  free(of_all);
  return splitters;
}

/* Writes sorted keys, and where those of each thread begin among them. */
static void publish(const struct shared *s, const uint64_t *keys, int64_t n, const uint64_t *splitters, int rank, int all) {
  int64_t *cuts = malloc((size_t)(all + 1) * sizeof *cuts), at = 0, page = (s->keys / all + 1) * (int64_t)sizeof *keys;
  for (int i = 0; i < all; i++) {
    while (i > 0 && at < n && keys[at] < splitters[i])
      at++;
    cuts[i] = at;
  }
  cuts[all] = n;
  catch(DMI_write(s->parts + rank * page, n * (int64_t)sizeof *keys, (void *)(uintptr_t)keys, DMI_EXCLUSIVE, NULL));
  catch(DMI_write(s->cuts + rank * (all + 1) * (int64_t)sizeof *cuts, (all + 1) * (int64_t)sizeof *cuts, cuts, DMI_EXCLUSIVE, NULL));
  free(cuts);
}

/* Reads the keys of a thread from all threads. */
static uint64_t *collect(const struct shared *s, int rank, int all, int64_t *count) {
  int64_t *addrs = malloc((size_t)all * 3 * sizeof *addrs), *offsets = addrs + all, *sizes = offsets + all, cuts[2];
  int64_t page = (s->keys / all + 1) * (int64_t)sizeof(uint64_t), bytes = 0;
  DMI_group_t group;
  for (int i = 0; i < all; i++) {
    catch(DMI_read(s->cuts + (i * (all + 1) + rank) * (int64_t)sizeof *cuts, sizeof cuts, cuts, DMI_INVALIDATE, NULL));
    addrs[i] = s->parts + i * page + cuts[0] * (int64_t)sizeof(uint64_t);
    offsets[i] = bytes;
    sizes[i] = (cuts[1] - cuts[0]) * (int64_t)sizeof(uint64_t);
    bytes += sizes[i];
  }
  uint64_t *keys = malloc((size_t)bytes + 1);
  catch(DMI_group_init(&group, addrs, offsets, sizes, all));
  catch(DMI_group_read(&group, keys, DMI_GET, NULL));
  catch(DMI_group_destroy(&group));
  free(addrs);
  *count = bytes / (int64_t)sizeof *keys;
  return keys;
}

int32_t DMI_scaleunit(int my_rank, int pnum, int64_t at) {
  struct shared s;
  DMI_local_barrier_t barrier;
  catch(DMI_read(at, sizeof s, &s, DMI_GET, NULL));
  bind_to_cpu(my_rank % PROCNUM);
  catch(DMI_local_barrier_init(&barrier, s.barrier));
  int64_t first = first_of(s.keys, my_rank, pnum), n = first_of(s.keys, my_rank + 1, pnum) - first;
  uint64_t *keys = malloc((size_t)n * sizeof *keys + 1);
  for (int64_t i = 0; i < n; i++)
    keys[i] = key((uint64_t)s.seed, (uint64_t)(first + i));
  qsort(keys, (size_t)n, sizeof *keys, compare);
  uint64_t *splitters = choose_splitters(&s, keys, n, my_rank, pnum, &barrier);
  publish(&s, keys, n, splitters, my_rank, pnum);
  catch(DMI_local_barrier_sync(&barrier, pnum));
  free(keys);
  free(splitters);

  struct result result = {0, 0, 0, 0};
  keys = collect(&s, my_rank, pnum, &result.count);
  qsort(keys, (size_t)result.count, sizeof *keys, compare);
  for (int64_t i = 0; i < result.count; i++)
    result.sum += keys[i];
  if (result.count > 0) {
    result.first = keys[0];
    result.last = keys[result.count - 1];
  }
  catch(DMI_write(s.results + my_rank * (int64_t)sizeof result, sizeof result, &result, DMI_EXCLUSIVE, NULL));
  catch(DMI_local_barrier_destroy(&barrier));
  free(keys);
  return 0;
}
