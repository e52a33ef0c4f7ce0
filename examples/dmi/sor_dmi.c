/*
 * The Poisson equation on a cube of N x N x N points, by the method of Jacobi. Each thread has some planes, and reads the planes beside
 * its own from those of its neighbours.
 *
 *     dmimw -n 2 ./sor_dmi 2 2 32 20
 *
 * NODES THREADS N STEPS: N is not less than NODES * THREADS. The result is compared with that of one thread.
 */
#include "dmi_api.h"

#include <math.h>

struct shared {
  int64_t n, steps, planes[2], barrier;
};

/* The values at the beginning: 1 on the plane i = 0, and 0 elsewhere. The outer points do not change. */
static double start(int64_t i) { return i == 0 ? 1 : 0; }

/* One step for a plane, from the plane before it, itself and the plane behind it. */
static void step(int64_t n, const double *before, const double *at, const double *behind, double *to) {
  memcpy(to, at, (size_t)(n * n) * sizeof *to);
  for (int64_t j = 1; j < n - 1; j++)
    for (int64_t k = 1; k < n - 1; k++) {
      int64_t x = j * n + k;
      to[x] = (before[x] + behind[x] + at[x - n] + at[x + n] + at[x - 1] + at[x + 1]) / 6;
    }
}

/* Ends the run unless the planes in global memory are those of one thread. */
static void check(const struct shared *s) {
  int64_t n = s->n, plane = n * n, bytes = plane * (int64_t)sizeof(double);
  double *now = malloc((size_t)(bytes * n)), *next = malloc((size_t)(bytes * n)), residual = 0;
  for (int64_t i = 0; i < n * plane; i++)
    now[i] = start(i / plane);
  memcpy(next, now, (size_t)(bytes * n));
  for (int64_t t = 0; t < s->steps; t++) {
    for (int64_t i = 1; i < n - 1; i++)
      step(n, now + (i - 1) * plane, now + i * plane, now + (i + 1) * plane, next + i * plane);
    double *other = now;
    now = next;
    next = other;
  }
  catch(DMI_read(s->planes[s->steps % 2], bytes * n, next, DMI_GET, NULL));
  for (int64_t i = 0; i < n * plane; i++) {
    if (next[i] != now[i]) {
      outn("point %ld of plane %ld is %g, expected %g", (long)(i % plane), (long)(i / plane), next[i], now[i]);
      error();
    }
    residual += now[i];
  }
  outn("%ld x %ld x %ld, %ld steps: the result is right, sum %.12g", (long)n, (long)n, (long)n, (long)s->steps, residual);
  free(now);
  free(next);
}

void DMI_main(int argc, char **argv) {
  struct shared s;
  int64_t at;
  if (argc != 5) {
    outn("usage: %s NODES THREADS N STEPS", argv[0]);
    error();
  }
  int32_t nodes = atoi(argv[1]), threads = atoi(argv[2]);
  s.n = atoi(argv[3]);
  s.steps = atoi(argv[4]);
  if (s.n < 3 || s.n < nodes * threads || s.steps < 0) {
    outn("%s: N is %ld, expected at least 3 and %d threads", argv[0], (long)s.n, nodes * threads);
    error();
  }
  catch(DMI_mmap(&at, sizeof s, 1, NULL));
  for (int i = 0; i < 2; i++)
    catch(DMI_mmap(&s.planes[i], s.n * s.n * (int64_t)sizeof(double), s.n, NULL));
  catch(DMI_mmap(&s.barrier, sizeof(DMI_barrier_t), 1, NULL));
  catch(DMI_barrier_init(s.barrier));
  catch(DMI_write(at, sizeof s, &s, DMI_EXCLUSIVE, NULL));
  catch(DMI_rescale(at, nodes, threads));
  check(&s);
  catch(DMI_barrier_destroy(s.barrier));
  catch(DMI_munmap(s.barrier, NULL));
  for (int i = 0; i < 2; i++)
    catch(DMI_munmap(s.planes[i], NULL));
  catch(DMI_munmap(at, NULL));
}

/* The planes of a thread, with one before them and one behind them. */
struct part {
  int64_t first, count, plane, bytes;
  double *now, *next;
};

/* Reads the plane of a neighbour, if there is one. */
static void fetch(const struct shared *s, const struct part *p, int64_t t, int64_t plane, double *to) {
  if (plane >= 0 && plane < s->n)
    catch(DMI_read(s->planes[t % 2] + plane * p->bytes, p->bytes, to, DMI_GET, NULL));
}

static void work(const struct shared *s, struct part *p, DMI_local_barrier_t *barrier, int32_t all) {
  int64_t n = s->n;
  for (int64_t t = 0; t < s->steps; t++) {
    fetch(s, p, t, p->first - 1, p->now);
    fetch(s, p, t, p->first + p->count, p->now + (p->count + 1) * p->plane);
    for (int64_t i = 1; i <= p->count; i++) {
      double *at = p->now + i * p->plane, *to = p->next + i * p->plane;
      int64_t plane = p->first + i - 1;
      if (plane == 0 || plane == n - 1)
        memcpy(to, at, (size_t)p->bytes);
      else
        step(n, at - p->plane, at, at + p->plane, to);
    }
    catch(DMI_write(s->planes[(t + 1) % 2] + p->first * p->bytes, p->count * p->bytes, p->next + p->plane, DMI_EXCLUSIVE, NULL));
    double *other = p->now;
    p->now = p->next;
    p->next = other;
    catch(DMI_local_barrier_sync(barrier, all));
  }
}

int32_t DMI_scaleunit(int my_rank, int pnum, int64_t at) {
  struct shared s;
  struct part p;
  DMI_local_barrier_t barrier;
  catch(DMI_read(at, sizeof s, &s, DMI_GET, NULL));
  bind_to_cpu(my_rank % PROCNUM);
  catch(DMI_local_barrier_init(&barrier, s.barrier));
  p.first = s.n * my_rank / pnum;
  p.count = s.n * (my_rank + 1) / pnum - p.first;
  p.plane = s.n * s.n;
  p.bytes = p.plane * (int64_t)sizeof(double);
  p.now = malloc((size_t)((p.count + 2) * p.bytes));
  p.next = malloc((size_t)((p.count + 2) * p.bytes));
  for (int64_t i = 0; i < (p.count + 2) * p.plane; i++)
    p.now[i] = p.next[i] = start(p.first + i / p.plane - 1);
  catch(DMI_write(s.planes[0] + p.first * p.bytes, p.count * p.bytes, p.now + p.plane, DMI_EXCLUSIVE, NULL));
  catch(DMI_local_barrier_sync(&barrier, pnum));
  work(&s, &p, &barrier, pnum);
  catch(DMI_local_barrier_destroy(&barrier));
  free(p.now);
  free(p.next);
  return 0;
}
