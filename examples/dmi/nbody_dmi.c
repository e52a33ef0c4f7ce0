/*
 * Bodies on a lattice that attract each other. Each thread moves some bodies, and reads the places of all.
 *
 *     dmimw -n 2 ./nbody_dmi 2 2 6 10
 *
 * NODES THREADS CELLS STEPS: CELLS^3 bodies. Momentum and energy are checked: the first stays zero, the second nearly the same.
 */
#include "dmi_api.h"

#include <math.h>

struct body {
  double at[3], speed[3];
};

struct shared {
  int64_t cells, steps, places, barrier, results;
};

static const double time_step = 1e-3, softening = 0.05;

static int64_t first_of(int64_t bodies, int rank, int all) { return bodies * rank / all; }

void DMI_main(int argc, char **argv) {
  struct shared s;
  double results[2][2]; /* energy and momentum, before and after */
  int64_t at;
  if (argc != 5 || atoi(argv[3]) < 2 || atoi(argv[4]) < 0) {
    outn("usage: %s NODES THREADS CELLS STEPS, with at least 2 CELLS", argv[0]);
    error();
  }
  s.cells = atoi(argv[3]);
  s.steps = atoi(argv[4]);
  int64_t bodies = s.cells * s.cells * s.cells;
  catch(DMI_mmap(&at, sizeof s, 1, NULL));
  catch(DMI_mmap(&s.places, bodies * 3 * (int64_t)sizeof(double), 1, NULL));
  catch(DMI_mmap(&s.results, sizeof results, 1, NULL));
  catch(DMI_mmap(&s.barrier, sizeof(DMI_barrier_t), 1, NULL));
  catch(DMI_barrier_init(s.barrier));
  catch(DMI_write(at, sizeof s, &s, DMI_EXCLUSIVE, NULL));
  catch(DMI_rescale(at, atoi(argv[1]), atoi(argv[2])));
  catch(DMI_read(s.results, sizeof results, results, DMI_GET, NULL));
  double change = fabs((results[1][0] - results[0][0]) / results[0][0]);
  if (!(change < 1e-4) || !(results[1][1] < 1e-9)) {
    outn("the energy has changed by %g of itself, and the momentum is %g", change, results[1][1]);
    error();
  }
  outn("%ld bodies, %ld steps: energy and momentum are right", (long)bodies, (long)s.steps);
  catch(DMI_barrier_destroy(s.barrier));
  catch(DMI_munmap(s.barrier, NULL));
  catch(DMI_munmap(s.results, NULL));
  catch(DMI_munmap(s.places, NULL));
  catch(DMI_munmap(at, NULL));
}

/* The bodies of a thread, and the places of all. */
struct part {
  int64_t first, count, all;
  struct body *mine;
  double (*places)[3];
};

/* Sets the acceleration of a body and returns its part of the potential energy. Bodies have mass 1 / all. */
static double pull(const struct part *p, int64_t body, double acceleration[3]) {
  double energy = 0;
  acceleration[0] = acceleration[1] = acceleration[2] = 0;
  for (int64_t i = 0; i < p->all; i++) {
    double d[3], square = softening * softening;
    if (i == body)
      continue;
    for (int x = 0; x < 3; x++) {
      d[x] = p->places[i][x] - p->places[body][x];
      square += d[x] * d[x];
    }
    double inverse = 1 / sqrt(square);
    energy -= inverse / 2;
    for (int x = 0; x < 3; x++)
      acceleration[x] += d[x] * inverse * inverse * inverse / (double)p->all;
  }
  return energy / (double)p->all / (double)p->all;
}

/* Lets all threads know the places of all bodies. */
static void exchange(const struct shared *s, struct part *p, DMI_local_barrier_t *barrier, int32_t all) {
  double (*own)[3] = malloc((size_t)p->count * sizeof *own + 1);
  for (int64_t i = 0; i < p->count; i++)
    memcpy(own[i], p->mine[i].at, sizeof *own);
  catch(DMI_local_barrier_sync(barrier, all)); /* all have read the places before */
  catch(DMI_write(s->places + p->first * (int64_t)sizeof *own, p->count * (int64_t)sizeof *own, own, DMI_PUT, NULL));
  catch(DMI_local_barrier_sync(barrier, all));
  catch(DMI_read(s->places, p->all * (int64_t)sizeof *own, p->places, DMI_INVALIDATE, NULL));
  free(own);
}

/* Stores energy and momentum of all bodies. */
static void measure(const struct shared *s, const struct part *p, DMI_local_barrier_t *barrier, int32_t all, int rank, int which) {
  double mine[4] = {0, 0, 0, 0}, sum[4], result[2], unused[3];
  for (int64_t i = 0; i < p->count; i++) {
    mine[0] += pull(p, p->first + i, unused);
    for (int x = 0; x < 3; x++) {
      mine[0] += p->mine[i].speed[x] * p->mine[i].speed[x] / 2 / (double)p->all;
      mine[1 + x] += p->mine[i].speed[x] / (double)p->all;
    }
  }
  for (int i = 0; i < 4; i++)
    catch(DMI_local_barrier_allreduce(barrier, all, &mine[i], &sum[i], DMI_OP_SUM, DMI_TYPE_DOUBLE));
  result[0] = sum[0];
  result[1] = fabs(sum[1]) + fabs(sum[2]) + fabs(sum[3]);
  if (rank == 0)
    catch(DMI_write(s->results + which * (int64_t)sizeof result, sizeof result, result, DMI_PUT, NULL));
}

/* Half a step of the speeds. */
static void kick(struct part *p) {
  for (int64_t i = 0; i < p->count; i++) {
    double acceleration[3];
    pull(p, p->first + i, acceleration);
    for (int x = 0; x < 3; x++)
      p->mine[i].speed[x] += acceleration[x] * time_step / 2;
  }
}

int32_t DMI_scaleunit(int my_rank, int pnum, int64_t at) {
  struct shared s;
  struct part p;
  DMI_local_barrier_t barrier;
  catch(DMI_read(at, sizeof s, &s, DMI_GET, NULL));
  bind_to_cpu(my_rank % PROCNUM);
  catch(DMI_local_barrier_init(&barrier, s.barrier));
  p.all = s.cells * s.cells * s.cells;
  p.first = first_of(p.all, my_rank, pnum);
  p.count = first_of(p.all, my_rank + 1, pnum) - p.first;
  p.mine = calloc((size_t)p.count + 1, sizeof *p.mine);
  p.places = malloc((size_t)p.all * sizeof *p.places);
  for (int64_t i = 0; i < p.count; i++) {
    int64_t body = p.first + i, place[3] = {body % s.cells, body / s.cells % s.cells, body / s.cells / s.cells};
    for (int x = 0; x < 3; x++)
      p.mine[i].at[x] = (double)place[x] / (double)(s.cells - 1);
  }
  exchange(&s, &p, &barrier, pnum);
  measure(&s, &p, &barrier, pnum, my_rank, 0);
  for (int64_t t = 0; t < s.steps; t++) {
    kick(&p);
    for (int64_t i = 0; i < p.count; i++)
      for (int x = 0; x < 3; x++)
        p.mine[i].at[x] += p.mine[i].speed[x] * time_step;
    exchange(&s, &p, &barrier, pnum);
    kick(&p);
  }
  measure(&s, &p, &barrier, pnum, my_rank, 1);
  catch(DMI_local_barrier_destroy(&barrier));
  free(p.mine);
  free(p.places);
  return 0;
}
