/*
 * A bar of elastic cubes that is pulled, by finite elements. The bar has N x N x N cubes of 8 nodes, and the equations are solved by
 * conjugate gradients without a matrix. Each thread has some layers of nodes. It writes the values of its nodes, and reads those of the layers beside
 * them, by a read-write-set.
 *
 *     dmimw -n 2 ./fem_dmi 2 2 6 200
 *
 * NODES THREADS N STEPS: at most STEPS steps of the method. With no sideways contraction, the displacement under load grows linearly along the bar,
 * which is checked.
 */
#include "dmi_api.h"

#include <math.h>

static const double young = 200, load = 3; /* force per area of a layer, and its stretch */

struct shared {
  int64_t n, steps, set, barrier, result;
};

/* The layers of nodes of a thread. x runs along the bar. */
struct part {
  int64_t n, first, count, plane; /* plane: nodes of a layer */
  int32_t all;
  DMI_local_barrier_t *barrier;
  DMI_local_rwset_t *set;
  double *halo; /* the values of the own layers, with one before and one behind */
  double stiffness[8][8];
};

/* The stiffness of a cube with edges of 1 / n for displacements along the bar: integrals of products of gradients. */
static void make_stiffness(struct part *p) {
  static const double same[2][2] = {{1.0 / 3, 1.0 / 6}, {1.0 / 6, 1.0 / 3}}, slope[2][2] = {{1, -1}, {-1, 1}};
  double h = 1.0 / (double)p->n;
  for (int a = 0; a < 8; a++)
    for (int b = 0; b < 8; b++) {
      int i[3] = {a & 1, a >> 1 & 1, a >> 2}, j[3] = {b & 1, b >> 1 & 1, b >> 2};
      double along = slope[i[0]][j[0]] * same[i[1]][j[1]] * same[i[2]][j[2]];
      double across = same[i[0]][j[0]] * (slope[i[1]][j[1]] * same[i[2]][j[2]] + same[i[1]][j[1]] * slope[i[2]][j[2]]);
      p->stiffness[a][b] = young * h * (along + across / 2);
    }
}

static int64_t node(const struct part *p, int64_t x, int64_t y, int64_t z) { return x * p->plane + y * (p->n + 1) + z; }

/* to = K v for the nodes of the thread. Nodes of layer 0 are fixed. */
static void apply(const struct part *p, double *v, double *to) {
  int64_t n = p->n;
  catch(DMI_local_rwset_write(p->set, v, NULL));
  catch(DMI_local_barrier_sync(p->barrier, p->all));
  catch(DMI_local_rwset_read(p->set, p->halo, NULL));
  catch(DMI_local_barrier_sync(p->barrier, p->all));
  memset(to, 0, (size_t)(p->count * p->plane) * sizeof *to);
  int64_t from = p->first > 0 ? p->first - 1 : 0; /* the layer that is first in the halo */
  for (int64_t x = from; x < n && x < p->first + p->count; x++)
    for (int64_t y = 0; y < n; y++)
      for (int64_t z = 0; z < n; z++)
        for (int a = 0; a < 8; a++) {
          int64_t layer = x + (a & 1);
          if (layer < p->first || layer >= p->first + p->count || layer == 0)
            continue;
          double sum = 0;
          for (int b = 0; b < 8; b++)
            if (x + (b & 1) != 0)
              sum += p->stiffness[a][b] * p->halo[node(p, x - from + (b & 1), y + (b >> 1 & 1), z + (b >> 2))];
          to[node(p, layer - p->first, y + (a >> 1 & 1), z + (a >> 2))] += sum;
        }
}

static double dot(const struct part *p, const double *a, const double *b) {
  double mine = 0, sum;
  for (int64_t i = 0; i < p->count * p->plane; i++)
    mine += a[i] * b[i];
  catch(DMI_local_barrier_allreduce(p->barrier, p->all, &mine, &sum, DMI_OP_SUM, DMI_TYPE_DOUBLE));
  return sum;
}

/* The forces: load on the last layer, by the part of its area that belongs to each node. */
static void make_forces(const struct part *p, double *f) {
  memset(f, 0, (size_t)(p->count * p->plane) * sizeof *f);
  if (p->first + p->count != p->n + 1)
    return;
  for (int64_t y = 0; y <= p->n; y++)
    for (int64_t z = 0; z <= p->n; z++)
      f[node(p, p->count - 1, y, z)] =
          load / (double)(p->n * p->n) * (y == 0 || y == p->n ? 0.5 : 1) * (z == 0 || z == p->n ? 0.5 : 1);
}

/* Conjugate gradients: u is the solution. Returns the steps. */
static int64_t solve(const struct part *p, double *u, int64_t steps) {
  size_t bytes = (size_t)(p->count * p->plane) * sizeof *u;
  double *r = malloc(bytes), *d = malloc(bytes), *k = malloc(bytes);
  memset(u, 0, bytes);
  make_forces(p, r);
  memcpy(d, r, bytes);
  double square = dot(p, r, r), goal = square * 1e-24;
  int64_t t = 0;
  for (; t < steps && square > goal; t++) {
    apply(p, d, k);
    double alpha = square / dot(p, d, k);
    for (int64_t i = 0; i < p->count * p->plane; i++) {
      u[i] += alpha * d[i];
      r[i] -= alpha * k[i];
    }
    double next = dot(p, r, r);
    for (int64_t i = 0; i < p->count * p->plane; i++)
      d[i] = r[i] + next / square * d[i];
    square = next;
  }
  free(r);
  free(d);
  free(k);
  return t;
}

void DMI_main(int argc, char **argv) {
  struct shared s;
  double result[2]; /* the greatest error, and the steps */
  int64_t at;
  if (argc != 5 || atoi(argv[3]) < 1) {
    outn("usage: %s NODES THREADS N STEPS", argv[0]);
    error();
  }
  int32_t nodes = atoi(argv[1]), threads = atoi(argv[2]), all = nodes * threads;
  s.n = atoi(argv[3]);
  s.steps = atoi(argv[4]);
  if (all > s.n + 1) {
    outn("%s: %d threads, expected at most the %ld layers of nodes", argv[0], all, (long)s.n + 1);
    error();
  }
  catch(DMI_mmap(&at, sizeof s, 1, NULL));
  catch(DMI_mmap(&s.set, sizeof(DMI_rwset_t), 1, NULL));
  catch(DMI_mmap(&s.barrier, sizeof(DMI_barrier_t), 1, NULL));
  catch(DMI_mmap(&s.result, sizeof result, 1, NULL));
  catch(DMI_barrier_init(s.barrier));
  catch(DMI_rwset_init(s.set, (s.n + 1) * (s.n + 1) * (s.n + 1), sizeof(double), all));
  catch(DMI_write(at, sizeof s, &s, DMI_EXCLUSIVE, NULL));
  catch(DMI_rescale(at, nodes, threads));
  catch(DMI_read(s.result, sizeof result, result, DMI_GET, NULL));
  if (!(result[0] < 1e-9)) {
    outn("after %g steps a displacement is off by %g", result[1], result[0]);
    error();
  }
  outn("%ld x %ld x %ld cubes: the displacements are right after %g steps", (long)s.n, (long)s.n, (long)s.n, result[1]);
  catch(DMI_rwset_destroy(s.set));
  catch(DMI_barrier_destroy(s.barrier));
  catch(DMI_munmap(s.result, NULL));
  catch(DMI_munmap(s.barrier, NULL));
  catch(DMI_munmap(s.set, NULL));
  catch(DMI_munmap(at, NULL));
}

/* Says which nodes the thread writes and reads. */
static void decompose(struct part *p, int64_t set, int rank) {
  int64_t before = p->first > 0, behind = p->first + p->count <= p->n, own = p->count * p->plane;
  int64_t reads = own + (before + behind) * p->plane, *list = malloc((size_t)reads * sizeof *list);
  for (int64_t i = 0; i < reads; i++)
    list[i] = (p->first - before) * p->plane + i;
  catch(DMI_rwset_decompose(set, rank, list + before * p->plane, (int32_t)own));
  catch(DMI_local_barrier_sync(p->barrier, p->all));
  catch(DMI_local_rwset_init(p->set, set, rank, list, (int32_t)reads));
  p->halo = malloc((size_t)reads * sizeof *p->halo);
  free(list);
}

int32_t DMI_scaleunit(int my_rank, int pnum, int64_t at) {
  struct shared s;
  struct part p;
  DMI_local_barrier_t barrier;
  DMI_local_rwset_t set;
  catch(DMI_read(at, sizeof s, &s, DMI_GET, NULL));
  bind_to_cpu(my_rank % PROCNUM);
  catch(DMI_local_barrier_init(&barrier, s.barrier));
  p.n = s.n;
  p.all = pnum;
  p.plane = (s.n + 1) * (s.n + 1);
  p.first = (s.n + 1) * my_rank / pnum;
  p.count = (s.n + 1) * (my_rank + 1) / pnum - p.first;
  p.barrier = &barrier;
  p.set = &set;
  make_stiffness(&p);
  decompose(&p, s.set, my_rank);
  double *u = malloc((size_t)(p.count * p.plane) * sizeof *u), result[2], wrong = 0;
  result[1] = (double)solve(&p, u, s.steps);
  for (int64_t i = 0; i < p.count * p.plane; i++)
    wrong = fmax(wrong, fabs(u[i] - load / young * (double)(p.first + i / p.plane) / (double)p.n));
  catch(DMI_local_barrier_allreduce(&barrier, pnum, &wrong, &result[0], DMI_OP_MAX, DMI_TYPE_DOUBLE));
  if (my_rank == 0)
    catch(DMI_write(s.result, sizeof result, result, DMI_PUT, NULL));
  catch(DMI_local_rwset_destroy(&set));
  catch(DMI_local_barrier_destroy(&barrier));
  free(p.halo);
  free(u);
  return 0;
}
