/*
 * The method of Jacobi on a plate, by processes that come and go: the program begins with one process, grows to NODES, and shrinks to
 * two, while it computes.
 *
 *     dmimw -n 1 ./grow_dmi 4 2 60
 *
 * NODES THREADS STEPS. The plate lies in global memory between the phases, so it does not matter which processes take part. The result
 * is compared with that of one thread.
 */
#include "dmi_api.h"

enum { N = 96 }; /* rows and columns of the plate */

struct shared {
  int64_t plates[2], barrier, first, steps; /* of the phase */
};

/* One step for a row, from the row before it, itself and the row behind it. */
static void step(const double *before, const double *at, const double *behind, double *to) {
  to[0] = at[0];
  to[N - 1] = at[N - 1];
  for (int i = 1; i < N - 1; i++)
    to[i] = (before[i] + behind[i] + at[i - 1] + at[i + 1]) / 4;
}

static double start(int row, int column) { return row == 0 ? 100 : column == 0 ? row : 0; }

static void fill(double plate[N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      plate[i][j] = start(i, j);
}

/* Ends the run unless the plate in global memory is that of one thread. */
static void check(const struct shared *s, int64_t steps) {
  static double plates[2][N][N], found[N][N];
  fill(plates[0]);
  fill(plates[1]);
  for (int64_t t = 0; t < steps; t++)
    for (int i = 1; i < N - 1; i++)
      step(plates[t % 2][i - 1], plates[t % 2][i], plates[t % 2][i + 1], plates[(t + 1) % 2][i]);
  catch(DMI_read(s->plates[steps % 2], sizeof found, found, DMI_GET, NULL));
  if (memcmp(found, plates[steps % 2], sizeof found) != 0) {
    outn("the plate is wrong after %ld steps", (long)steps);
    error();
  }
}

/* Lets processes come or go until the run has so many. */
static void become(int32_t nodes) {
  enum { MOST = 64 };
  DMI_node_t list[MOST], made;
  int32_t n;
  catch(DMI_nodes(list, &n, MOST));
  for (; n < nodes; n++)
    catch(DMI_fork(NULL, 0, &made));
  for (; n > nodes; n--)
    catch(DMI_goodbye(list[n - 1].dmi_id));
}

void DMI_main(int argc, char **argv) {
  struct shared s;
  static double plate[N][N];
  int64_t at;
  if (argc != 4 || atoi(argv[1]) < 2) {
    outn("usage: %s NODES THREADS STEPS, with at least 2 NODES", argv[0]);
    error();
  }
  int32_t most = atoi(argv[1]), threads = atoi(argv[2]), phases = most + 1, nodes = 1;
  int64_t steps = atoi(argv[3]);
  fill(plate);
  catch(DMI_mmap(&at, sizeof s, 1, NULL));
  for (int i = 0; i < 2; i++) {
    catch(DMI_mmap(&s.plates[i], sizeof plate[0], N, NULL));
    catch(DMI_write(s.plates[i], sizeof plate, plate, DMI_EXCLUSIVE, NULL));
  }
  catch(DMI_mmap(&s.barrier, sizeof(DMI_barrier_t), 1, NULL));
  catch(DMI_barrier_init(s.barrier));
  for (int32_t phase = 0; phase < phases; phase++) {
    nodes = phase < most ? phase + 1 : 2;
    become(nodes);
    s.first = steps * phase / phases;
    s.steps = steps * (phase + 1) / phases - s.first;
    catch(DMI_write(at, sizeof s, &s, DMI_EXCLUSIVE, NULL));
    catch(DMI_rescale(at, nodes, threads));
    outn("%ld steps by %d processes", (long)s.steps, nodes);
  }
  check(&s, steps);
  outn("%ld steps: the plate is right", (long)steps);
  catch(DMI_barrier_destroy(s.barrier));
  catch(DMI_munmap(s.barrier, NULL));
  for (int i = 0; i < 2; i++)
    catch(DMI_munmap(s.plates[i], NULL));
  catch(DMI_munmap(at, NULL));
}

int32_t DMI_scaleunit(int my_rank, int pnum, int64_t at) {
  struct shared s;
  DMI_local_barrier_t barrier;
  catch(DMI_read(at, sizeof s, &s, DMI_GET, NULL));
  catch(DMI_local_barrier_init(&barrier, s.barrier));
  int first = 1 + (N - 2) * my_rank / pnum, end = 1 + (N - 2) * (my_rank + 1) / pnum, rows = end - first;
  double (*now)[N] = malloc((size_t)(rows + 2) * sizeof *now), (*next)[N] = malloc((size_t)rows * sizeof *next + 1);
  for (int64_t t = s.first; t < s.first + s.steps; t++) {
    if (rows > 0) {
      catch(DMI_read(s.plates[t % 2] + (first - 1) * (int64_t)sizeof *now, (rows + 2) * (int64_t)sizeof *now, now, DMI_GET, NULL));
      for (int i = 0; i < rows; i++)
        step(now[i], now[i + 1], now[i + 2], next[i]);
      catch(DMI_write(s.plates[(t + 1) % 2] + first * (int64_t)sizeof *next, rows * (int64_t)sizeof *next, next, DMI_EXCLUSIVE, NULL));
    }
    catch(DMI_local_barrier_sync(&barrier, pnum));
  }
  catch(DMI_local_barrier_destroy(&barrier));
  free(now);
  free(next);
  return 0;
}
