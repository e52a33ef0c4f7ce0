/*
 * Barriers and reductions: in each of ROUNDS rounds all threads combine values of all types by all operations.
 *
 *     dmimw -n 2 ./allreduce_dmi 2 2 10
 *
 * NODES THREADS ROUNDS. Every thread checks every result.
 */
#include "dmi_api.h"

struct shared {
  int64_t rounds, barrier, arrived;
};

void DMI_main(int argc, char **argv) {
  struct shared s;
  int64_t at;
  if (argc != 4) {
    outn("usage: %s NODES THREADS ROUNDS", argv[0]);
    error();
  }
  s.rounds = atoi(argv[3]);
  catch(DMI_mmap(&at, sizeof s, 1, NULL));
  catch(DMI_mmap(&s.barrier, sizeof(DMI_barrier_t), 1, NULL));
  catch(DMI_mmap(&s.arrived, sizeof(int64_t), 1, NULL));
  catch(DMI_barrier_init(s.barrier));
  catch(DMI_write(at, sizeof s, &s, DMI_EXCLUSIVE, NULL));
  catch(DMI_rescale(at, atoi(argv[1]), atoi(argv[2])));
  outn("%ld rounds: all results are right", (long)s.rounds);
  catch(DMI_barrier_destroy(s.barrier));
  catch(DMI_munmap(s.arrived, NULL));
  catch(DMI_munmap(s.barrier, NULL));
  catch(DMI_munmap(at, NULL));
}

/* What the threads combine: thread 0 has 2 and thread 1 has 3, all others 1. So the product is small, too. */
static int value_of(int rank) { return rank == 0 ? 2 : rank == 1 ? 3 : 1; }

static int expected(int op, int pnum) {
  int sum = 0, product = 1, most = 0, least = 9;
  for (int rank = 0; rank < pnum; rank++) {
    int v = value_of(rank);
    sum += v;
    product *= v;
    most = v > most ? v : most;
    least = v < least ? v : least;
  }
  return op == DMI_OP_SUM ? sum : op == DMI_OP_PROD ? product : op == DMI_OP_MAX ? most : least;
}

/* Combines values of one type by all operations. */
#define COMBINE(type, name)                                                             \
  for (int8_t op = DMI_OP_MAX; op <= DMI_OP_PROD; op++) {                               \
    type mine = (type)value_of(my_rank), all = 0;                                       \
    catch(DMI_local_barrier_allreduce(&barrier, pnum, &mine, &all, op, name));          \
    if (all != (type)expected(op, pnum)) {                                              \
      outn("thread %d, operation %d of type " #type ": wrong result", my_rank, op);     \
      error();                                                                          \
    }                                                                                   \
  }

int32_t DMI_scaleunit(int my_rank, int pnum, int64_t at) {
  struct shared s;
  DMI_local_barrier_t barrier;
  int64_t arrived;
  catch(DMI_read(at, sizeof s, &s, DMI_GET, NULL));
  bind_to_cpu(my_rank % PROCNUM);
  catch(DMI_local_barrier_init(&barrier, s.barrier));
  for (int64_t round = 0; round < s.rounds; round++) {
    catch(DMI_fad(s.arrived, 1, &arrived, DMI_PUT, NULL));
    catch(DMI_local_barrier_sync(&barrier, pnum));
    catch(DMI_read(s.arrived, sizeof arrived, &arrived, DMI_GET, NULL));
    if (arrived < (round + 1) * pnum) {
      outn("thread %d: %ld threads have come to the barrier of round %ld", my_rank, (long)arrived, (long)round);
      error();
    }
    COMBINE(char, DMI_TYPE_CHAR)
    COMBINE(short, DMI_TYPE_SHORT)
    COMBINE(int, DMI_TYPE_INT)
    COMBINE(long, DMI_TYPE_LONG)
    COMBINE(long long, DMI_TYPE_LONGLONG)
    COMBINE(float, DMI_TYPE_FLOAT)
    COMBINE(double, DMI_TYPE_DOUBLE)
  }
  catch(DMI_local_barrier_destroy(&barrier));
  return 0;
}
