/*
 * The ranks of the vertices of a graph. Each thread has a region of vertices: it writes what they give along each of their edges, and reads what
 * the sources of its edges give, by a read-write-set.
 *
 *     dmimw -n 2 ./pagerank_dmi 2 2 10 20
 *
 * NODES THREADS SCALE STEPS: 2^SCALE vertices. The ranks are compared with those of one thread.
 */
#include "web.h"

#include <math.h>

static const double damping = 0.85;

struct shared {
  int64_t vertices, steps, set, ranks, barrier;
};

static void check(const struct shared *s) {
  int64_t n = s->vertices, targets[MOST_EDGES];
  double *rank = malloc((size_t)n * sizeof *rank), *next = malloc((size_t)n * sizeof *next), sum = 0;
  for (int64_t v = 0; v < n; v++)
    rank[v] = 1;
  for (int64_t t = 0; t < s->steps; t++) {
    for (int64_t v = 0; v < n; v++)
      next[v] = 1 - damping;
    for (int64_t v = 0; v < n; v++) {
      int count = edges_of(v, n, targets);
      for (int i = 0; i < count; i++)
        next[targets[i]] += damping * rank[v] / count;
    }
    double *other = rank;
    rank = next;
    next = other;
  }
  catch(DMI_read(s->ranks, n * (int64_t)sizeof *next, next, DMI_GET, NULL));
  for (int64_t v = 0; v < n; v++) {
    if (fabs(next[v] - rank[v]) > 1e-9 * rank[v]) {
      outn("the rank of vertex %ld is %g, expected %g", (long)v, next[v], rank[v]);
      error();
    }
    sum += rank[v];
  }
  outn("%ld vertices, %ld steps: the ranks are right, their sum is %.6f", (long)n, (long)s->steps, sum);
  free(rank);
  free(next);
}

void DMI_main(int argc, char **argv) {
  struct shared s;
  int64_t at;
  if (argc != 5 || atoi(argv[3]) < 1 || atoi(argv[3]) > 26) {
    outn("usage: %s NODES THREADS SCALE STEPS, with SCALE from 1 to 26", argv[0]);
    error();
  }
  int32_t nodes = atoi(argv[1]), threads = atoi(argv[2]), all = nodes * threads;
  s.vertices = (int64_t)1 << atoi(argv[3]);
  s.steps = atoi(argv[4]);
  catch(DMI_mmap(&at, sizeof s, 1, NULL));
  catch(DMI_mmap(&s.set, sizeof(DMI_rwset_t), 1, NULL));
  catch(DMI_mmap(&s.ranks, s.vertices * (int64_t)sizeof(double), 1, NULL));
  catch(DMI_mmap(&s.barrier, sizeof(DMI_barrier_t), 1, NULL));
  catch(DMI_barrier_init(s.barrier));
  catch(DMI_rwset_init(s.set, s.vertices, sizeof(double), all));
  catch(DMI_write(at, sizeof s, &s, DMI_EXCLUSIVE, NULL));
  catch(DMI_rescale(at, nodes, threads));
  check(&s);
  catch(DMI_rwset_destroy(s.set));
  catch(DMI_barrier_destroy(s.barrier));
  catch(DMI_munmap(s.barrier, NULL));
  catch(DMI_munmap(s.ranks, NULL));
  catch(DMI_munmap(s.set, NULL));
  catch(DMI_munmap(at, NULL));
}

/* The vertices of a thread, and the edges that lead to them. */
struct region {
  int64_t first, count, edges, *sources, *targets;
  int *counts; /* edges of each own vertex */
};

/* Finds the edges that lead to the vertices of a region: their sources are what the region reads. */
static void find_edges(struct region *r, int64_t vertices) {
  int64_t targets[MOST_EDGES], room = 0;
  r->edges = 0;
  r->sources = r->targets = NULL;
  for (int64_t v = 0; v < vertices; v++) {
    int count = edges_of(v, vertices, targets);
    for (int i = 0; i < count; i++) {
      if (targets[i] < r->first || targets[i] >= r->first + r->count)
        continue;
      if (r->edges == room) {
        room = room * 2 + 64;
        r->sources = realloc(r->sources, (size_t)room * sizeof *r->sources);
        r->targets = realloc(r->targets, (size_t)room * sizeof *r->targets);
      }
      r->sources[r->edges] = v;
      r->targets[r->edges++] = targets[i];
    }
  }
}

static void work(const struct shared *s, const struct region *r, DMI_local_rwset_t *set, DMI_local_barrier_t *barrier, int32_t all) {
  double *rank = malloc((size_t)r->count * sizeof *rank + 1), *gives = malloc((size_t)r->count * sizeof *gives + 1);
  double *gets = malloc((size_t)r->edges * sizeof *gets + 1);
  for (int64_t i = 0; i < r->count; i++)
    rank[i] = 1;
  for (int64_t t = 0; t < s->steps; t++) {
    for (int64_t i = 0; i < r->count; i++)
      gives[i] = rank[i] / r->counts[i];
    catch(DMI_local_rwset_write(set, gives, NULL));
    catch(DMI_local_barrier_sync(barrier, all));
    catch(DMI_local_rwset_read(set, gets, NULL));
    for (int64_t i = 0; i < r->count; i++)
      rank[i] = 1 - damping;
    for (int64_t e = 0; e < r->edges; e++)
      rank[r->targets[e] - r->first] += damping * gets[e];
    catch(DMI_local_barrier_sync(barrier, all)); /* all have read before one writes */
  }
  catch(DMI_write(s->ranks + r->first * (int64_t)sizeof *rank, r->count * (int64_t)sizeof *rank, rank, DMI_PUT, NULL));
  free(rank);
  free(gives);
  free(gets);
}

int32_t DMI_scaleunit(int my_rank, int pnum, int64_t at) {
  struct shared s;
  struct region r;
  DMI_local_barrier_t barrier;
  DMI_local_rwset_t set;
  int64_t targets[MOST_EDGES];
  catch(DMI_read(at, sizeof s, &s, DMI_GET, NULL));
  bind_to_cpu(my_rank % PROCNUM);
  catch(DMI_local_barrier_init(&barrier, s.barrier));
  r.first = first_of(s.vertices, my_rank, pnum);
  r.count = first_of(s.vertices, my_rank + 1, pnum) - r.first;
  r.counts = malloc((size_t)r.count * sizeof *r.counts + 1);
  int64_t *own = malloc((size_t)r.count * sizeof *own + 1);
  for (int64_t i = 0; i < r.count; i++) {
    own[i] = r.first + i;
    r.counts[i] = edges_of(own[i], s.vertices, targets);
  }
  catch(DMI_rwset_decompose(s.set, my_rank, own, (int32_t)r.count));
  free(own);
  catch(DMI_local_barrier_sync(&barrier, pnum));
  find_edges(&r, s.vertices);
  catch(DMI_local_rwset_init(&set, s.set, my_rank, r.sources, (int32_t)r.edges));
  work(&s, &r, &set, &barrier, pnum);
  catch(DMI_local_rwset_destroy(&set));
  catch(DMI_local_barrier_destroy(&barrier));
  free(r.sources);
  free(r.targets);
  free(r.counts);
  return 0;
}
