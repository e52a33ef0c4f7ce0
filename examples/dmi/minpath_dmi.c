/*
 * The shortest paths from one vertex of a graph to all others. Each thread reads the distances of the targets of its edges by a group, and makes
 * them smaller by compare-and-swap, until no thread has found a shorter path.
 *
 *     dmimw -n 2 ./minpath_dmi 2 2 10 0
 *
 * NODES THREADS SCALE SOURCE: 2^SCALE vertices. The distances are compared with those of one thread.
 */
#include "web.h"

static const int64_t far_away = INT64_MAX / 2;

struct shared {
  int64_t vertices, source, distances, barrier;
};

static void check(const struct shared *s) {
  int64_t n = s->vertices, targets[MOST_EDGES], reached = 0, sum = 0;
  int64_t *distance = malloc((size_t)n * sizeof *distance), *found = malloc((size_t)n * sizeof *found);
  for (int64_t v = 0; v < n; v++)
    distance[v] = v == s->source ? 0 : far_away;
  for (int changed = 1; changed;) {
    changed = 0;
    for (int64_t v = 0; v < n; v++) {
      int count = edges_of(v, n, targets);
      for (int i = 0; i < count; i++)
        if (distance[v] + length_of(v, i) < distance[targets[i]]) {
          distance[targets[i]] = distance[v] + length_of(v, i);
          changed = 1;
        }
    }
  }
  catch(DMI_read(s->distances, n * (int64_t)sizeof *found, found, DMI_GET, NULL));
  for (int64_t v = 0; v < n; v++) {
    if (found[v] != distance[v]) {
      outn("vertex %ld has distance %ld, expected %ld", (long)v, (long)found[v], (long)distance[v]);
      error();
    }
    if (distance[v] < far_away) {
      reached++;
      sum += distance[v];
    }
  }
  outn("%ld vertices: %ld are reached, the sum of the distances is %ld, all are right", (long)n, (long)reached, (long)sum);
  free(distance);
  free(found);
}

void DMI_main(int argc, char **argv) {
  struct shared s;
  int64_t at;
  if (argc != 5 || atoi(argv[3]) < 1 || atoi(argv[3]) > 26) {
    outn("usage: %s NODES THREADS SCALE SOURCE, with SCALE from 1 to 26", argv[0]);
    error();
  }
  s.vertices = (int64_t)1 << atoi(argv[3]);
  s.source = atoi(argv[4]);
  if (s.source < 0 || s.source >= s.vertices) {
    outn("%s: SOURCE is %ld, expected a vertex from 0 to %ld", argv[0], (long)s.source, (long)s.vertices - 1);
    error();
  }
  enum { PAGE = 512 }; /* bytes: few threads change one page at the same time */
  catch(DMI_mmap(&at, sizeof s, 1, NULL));
  catch(DMI_mmap(&s.distances, PAGE, (s.vertices * (int64_t)sizeof(int64_t) + PAGE - 1) / PAGE, NULL));
  catch(DMI_mmap(&s.barrier, sizeof(DMI_barrier_t), 1, NULL));
  catch(DMI_barrier_init(s.barrier));
  catch(DMI_write(at, sizeof s, &s, DMI_EXCLUSIVE, NULL));
  catch(DMI_rescale(at, atoi(argv[1]), atoi(argv[2])));
  check(&s);
  catch(DMI_barrier_destroy(s.barrier));
  catch(DMI_munmap(s.barrier, NULL));
  catch(DMI_munmap(s.distances, NULL));
  catch(DMI_munmap(at, NULL));
}

/* Makes the distance of a vertex smaller, unless it is as small already. old is what it has been. Returns whether it has. */
static int shorten(int64_t at, int64_t old, int64_t distance) {
  int8_t swapped = FALSE;
  while (distance < old && !swapped) {
    catch(DMI_cas(at, sizeof old, &old, &distance, &swapped, DMI_PUT, NULL));
    if (!swapped)
      catch(DMI_read(at, sizeof old, &old, DMI_GET, NULL));
  }
  return swapped;
}

/* Follows the edges of a vertex. Returns how many distances it has made smaller. */
static int follow(const struct shared *s, int64_t v, int64_t distance) {
  int64_t targets[MOST_EDGES], addrs[MOST_EDGES], offsets[MOST_EDGES], sizes[MOST_EDGES], old[MOST_EDGES];
  int count = edges_of(v, s->vertices, targets), changed = 0;
  DMI_group_t group;
  for (int i = 0; i < count; i++) {
    addrs[i] = s->distances + targets[i] * (int64_t)sizeof *old;
    offsets[i] = i * (int64_t)sizeof *old;
    sizes[i] = sizeof *old;
  }
  catch(DMI_group_init(&group, addrs, offsets, sizes, count));
  catch(DMI_group_read(&group, old, DMI_GET, NULL));
  catch(DMI_group_destroy(&group));
  for (int i = 0; i < count; i++)
    changed += shorten(addrs[i], old[i], distance + length_of(v, i));
  return changed;
}

int32_t DMI_scaleunit(int my_rank, int pnum, int64_t at) {
  struct shared s;
  DMI_local_barrier_t barrier;
  catch(DMI_read(at, sizeof s, &s, DMI_GET, NULL));
  bind_to_cpu(my_rank % PROCNUM);
  catch(DMI_local_barrier_init(&barrier, s.barrier));
  int64_t first = first_of(s.vertices, my_rank, pnum), n = first_of(s.vertices, my_rank + 1, pnum) - first;
  int64_t bytes = n * (int64_t)sizeof(int64_t), place = s.distances + first * (int64_t)sizeof(int64_t);
  int64_t *now = malloc((size_t)bytes + 1), *done = malloc((size_t)bytes + 1);
  for (int64_t i = 0; i < n; i++) {
    now[i] = first + i == s.source ? 0 : far_away;
    done[i] = far_away;
  }
  catch(DMI_write(place, bytes, now, DMI_PUT, NULL));
  catch(DMI_local_barrier_sync(&barrier, pnum));
  for (int32_t changed = 1, mine = 0; changed; mine = 0) {
    catch(DMI_read(place, bytes, now, DMI_GET, NULL));
    for (int64_t i = 0; i < n; i++)
      if (now[i] < done[i]) {
        done[i] = now[i];
        mine += follow(&s, first + i, now[i]);
      }
    catch(DMI_local_barrier_allreduce(&barrier, pnum, &mine, &changed, DMI_OP_MAX, DMI_TYPE_INT));
  }
  catch(DMI_local_barrier_destroy(&barrier));
  free(now);
  free(done);
  return 0;
}
