/* Measures a matrix product and the method of Jacobi with DMI, which mpi_work_bench.c makes with MPI: dmi_work_bench NAME, where
   NAME begins the names of the figures. Two processes have one thread each, and then two. */

#include "dmi_api.h"

#include "samples.h"
#include "work.h"

enum { PROCESSES = 2, THREADS = 2 };

/* The rows of the plate that a thread sends: its first row and its last one, of each of two steps. */
enum { SENT = 2 };

struct places {
  int64_t barrier, a, b, c, edges[2];
  char name[32];
};

void DMI_main(int argc, char **argv) {
  struct places p;
  int64_t at;
  const int64_t row = ORDER * sizeof(double);
  snprintf(p.name, sizeof p.name, "%s", argc > 1 ? argv[1] : "dmi");
  catch(DMI_mmap(&at, sizeof p, 1, NULL));
  catch(DMI_mmap(&p.barrier, sizeof(DMI_barrier_t), 1, NULL));
  catch(DMI_mmap(&p.a, row * ORDER / PROCESSES, PROCESSES, NULL));
  catch(DMI_mmap(&p.b, row * ORDER, 1, NULL));
  catch(DMI_mmap(&p.c, row * ORDER / PROCESSES, PROCESSES, NULL));
  for (int i = 0; i < 2; i++)
    catch(DMI_mmap(&p.edges[i], PLATE * sizeof(double), SENT * PROCESSES * THREADS, NULL));
  catch(DMI_barrier_init(p.barrier));
  catch(DMI_write(at, sizeof p, &p, DMI_EXCLUSIVE, NULL));
  catch(DMI_rescale(at, PROCESSES, 1));
  catch(DMI_rescale(at, PROCESSES, THREADS));
}

/* Reports a figure of a sample as rank 0. Samples before the first one warm up. */
static void say(const struct places *p, int my_rank, int sample, const char *name, double ns) {
  char figure[64];
  snprintf(figure, sizeof figure, "%s%s", p->name, name);
  if (my_rank == 0 && sample >= 0)
    report("c", figure, ns);
}

/* Rank 0 has both matrices at first. Each thread computes some rows of the product. */
static void product(const struct places *p, int my_rank, int pnum, DMI_local_barrier_t *barrier) {
  const int rows = ORDER / pnum;
  const int64_t bytes = (int64_t)rows * ORDER * (int64_t)sizeof(double);
  double *a = malloc((size_t)bytes), *c = malloc((size_t)bytes), *b = malloc((size_t)bytes * (size_t)pnum);
  for (int sample = -1; sample < PRODUCTS; sample++) {
    if (my_rank == 0) {
      for (int i = 0; i < ORDER * ORDER; i++)
        b[i] = element(i / ORDER, i % ORDER);
      catch(DMI_write(p->a, bytes * pnum, b, DMI_EXCLUSIVE, NULL));
      catch(DMI_write(p->b, bytes * pnum, b, DMI_EXCLUSIVE, NULL));
    }
    catch(DMI_local_barrier_sync(barrier, pnum));
    double begin = now();
    catch(DMI_read(p->a + my_rank * bytes, bytes, a, DMI_GET, NULL));
    catch(DMI_read(p->b, bytes * pnum, b, DMI_INVALIDATE, NULL));
    multiply(rows, a, b, c);
    catch(DMI_write(p->c + my_rank * bytes, bytes, c, DMI_EXCLUSIVE, NULL));
    catch(DMI_local_barrier_sync(barrier, pnum));
    say(p, my_rank, sample, "product", now() - begin);
  }
  if (my_rank == 0)
    fprintf(stderr, "product: sum %g\n", sum_of(c, rows * ORDER));
  free(a);
  free(b);
  free(c);
}

/* Where thread rank writes an edge: 0 is its first row, and 1 its last one. */
static int64_t edge(const struct places *p, int step, int rank, int which) {
  return p->edges[step % 2] + (rank * SENT + which) * PLATE * (int64_t)sizeof(double);
}

/* Each thread has some rows, keeps them, and writes the first and the last one into global memory after each step. */
static void jacobi(const struct places *p, int my_rank, int pnum, DMI_local_barrier_t *barrier) {
  enum { ROW = PLATE * sizeof(double) };
  const int rows = PLATE / pnum, first = my_rank * rows;
  double *now_at = malloc((size_t)(rows + 2) * ROW), *next = malloc((size_t)(rows + 2) * ROW);
  for (int sample = -1; sample < samples; sample++) {
    heat(now_at, first - 1, rows + 2);
    heat(next, first - 1, rows + 2);
    catch(DMI_local_barrier_sync(barrier, pnum));
    double begin = now();
    for (int t = 0; t < STEPS; t++) {
      catch(DMI_write(edge(p, t, my_rank, 0), ROW, now_at + PLATE, DMI_EXCLUSIVE, NULL));
      catch(DMI_write(edge(p, t, my_rank, 1), ROW, now_at + rows * PLATE, DMI_EXCLUSIVE, NULL));
      catch(DMI_local_barrier_sync(barrier, pnum));
      if (my_rank > 0)
        catch(DMI_read(edge(p, t, my_rank - 1, 1), ROW, now_at, DMI_GET, NULL));
      if (my_rank < pnum - 1)
        catch(DMI_read(edge(p, t, my_rank + 1, 0), ROW, now_at + (rows + 1) * PLATE, DMI_GET, NULL));
      relax(first, rows, now_at, next);
      double *other = now_at;
      now_at = next;
      next = other;
    }
    catch(DMI_local_barrier_sync(barrier, pnum));
    say(p, my_rank, sample, "jacobi", (now() - begin) / STEPS);
  }
  if (my_rank == 0)
    fprintf(stderr, "jacobi: sum %g\n", sum_of(now_at + PLATE, rows * PLATE));
  free(now_at);
  free(next);
}

int32_t DMI_scaleunit(int my_rank, int pnum, int64_t at) {
  struct places p;
  DMI_local_barrier_t barrier;
  catch(DMI_read(at, sizeof p, &p, DMI_GET, NULL));
  bind_to_cpu(my_rank % PROCNUM);
  catch(DMI_local_barrier_init(&barrier, p.barrier));
  if (pnum == PROCESSES)
    product(&p, my_rank, pnum, &barrier);
  else
    jacobi(&p, my_rank, pnum, &barrier);
  catch(DMI_local_barrier_destroy(&barrier));
  return 0;
}
