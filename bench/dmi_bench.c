/* Measures global memory of DMI between two processes: dmi_bench near on one host, dmi_bench far by sockets. The thread of process 1
   measures, and process 0 owns the pages. */

#include "dmi_api.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "samples.h"

enum { LARGE = 16 << 20, MIB = 1 << 20, MANY = 128, ELEMENTS = 100000, READ = 10000 };

struct places {
  int64_t barrier, word, copied, counter, mutex, turn, large, set;
};

/* The process that held the mutex last, and the number of changes of the holder. */
struct turn {
  int64_t holder, changes;
};

static const char *prefix; /* of the names of figures */

static const char *figure(const char *name) {
  static _Thread_local char text[64];
  snprintf(text, sizeof text, "%s%s", prefix, name);
  return text;
}

void DMI_main(int argc, char **argv) {
  struct places p;
  int64_t at, zero = 0;
  char *large = calloc(1, LARGE);
  (void)argc;
  (void)argv;
  catch(DMI_mmap(&at, sizeof p, 1, NULL));
  catch(DMI_mmap(&p.barrier, sizeof(DMI_barrier_t), 1, NULL));
  catch(DMI_mmap(&p.word, 8, MANY, NULL));
  catch(DMI_mmap(&p.copied, 8, 1, NULL));
  catch(DMI_mmap(&p.counter, 8, 1, NULL));
  catch(DMI_mmap(&p.mutex, sizeof(DMI_mutex_t), 1, NULL));
  catch(DMI_mmap(&p.turn, sizeof(struct turn), 1, NULL));
  catch(DMI_mmap(&p.large, LARGE, 1, NULL));
  catch(DMI_mmap(&p.set, sizeof(DMI_rwset_t), 1, NULL));
  catch(DMI_barrier_init(p.barrier));
  catch(DMI_mutex_init(p.mutex));
  catch(DMI_rwset_init(p.set, ELEMENTS, sizeof(double), 2));
  for (int i = 0; i < MANY; i++)
    catch(DMI_write(p.word + 8 * i, 8, &zero, DMI_EXCLUSIVE, NULL));
  catch(DMI_write(p.copied, 8, &zero, DMI_EXCLUSIVE, NULL));
  catch(DMI_write(p.counter, 8, &zero, DMI_EXCLUSIVE, NULL));
  catch(DMI_write(p.turn, sizeof(struct turn), &(struct turn){0, 0}, DMI_EXCLUSIVE, NULL));
  catch(DMI_write(p.large, LARGE, large, DMI_EXCLUSIVE, NULL));
  catch(DMI_write(at, sizeof p, &p, DMI_EXCLUSIVE, NULL));
  catch(DMI_rescale(at, 2, 1));
  free(large);
}

/* Reads many words, each with a status of its own. */
static void read_many(int64_t at, int64_t *to) {
  DMI_local_status_t status[MANY];
  for (int i = 0; i < MANY; i++)
    catch(DMI_read(at + 8 * i, 8, &to[i], DMI_GET, &status[i]));
  for (int i = 0; i < MANY; i++)
    DMI_wait(&status[i], NULL);
}

static void measure(const struct places *p, char *buf, int loops) {
  int64_t word = 0, old, many[MANY];
  char *other = malloc(MIB);
  MEASURE("c", figure("get8"), loops, catch(DMI_read(p->word, 8, &word, DMI_GET, NULL)))
  MEASURE("c", figure("put8"), loops, catch(DMI_write(p->word, 8, &word, DMI_PUT, NULL)))
  MEASURE("c", figure("fad"), loops, catch(DMI_fad(p->counter, 1, &old, DMI_PUT, NULL)))
  MEASURE("c", figure("lock"), loops, {
    catch(DMI_mutex_lock(p->mutex));
    catch(DMI_mutex_unlock(p->mutex));
  })
  MEASURE("c", figure("many"), loops / 50 + 1, read_many(p->word, many))
  MEASURE("c", figure("read1m"), 20, catch(DMI_read(p->large, MIB, buf, DMI_GET, NULL)))
  MEASURE("memcpy", figure("read1m"), 20, {
    memcpy(other, buf, MIB);
    __asm__ volatile("" ::"r"(other) : "memory");
  })
  MEASURE("c", figure("read16m"), 2, catch(DMI_read(p->large, LARGE, buf, DMI_GET, NULL)))
  free(other);
}

/* Process 0 writes all elements of a read-write-set, and process 1 reads some of them, one in each ten. */
static void read_scattered(const struct places *p, int my_rank, int pnum, DMI_local_barrier_t *barrier, int loops) {
  int64_t *elements = malloc(ELEMENTS * sizeof *elements);
  double *values = calloc(ELEMENTS, sizeof *values);
  DMI_local_rwset_t set;
  for (int64_t i = 0; i < ELEMENTS; i++)
    elements[i] = i;
  catch(DMI_rwset_decompose(p->set, my_rank, elements, my_rank == 0 ? ELEMENTS : 0));
  catch(DMI_local_barrier_sync(barrier, pnum));
  if (my_rank == 0) {
    catch(DMI_local_rwset_init(&set, p->set, my_rank, elements, 0));
    catch(DMI_local_rwset_write(&set, values, NULL));
  } else {
    for (int64_t i = 0; i < READ; i++)
      elements[i] = i * 10 + i * i % 7;
    catch(DMI_local_rwset_init(&set, p->set, my_rank, elements, READ));
  }
  catch(DMI_local_barrier_sync(barrier, pnum));
  if (my_rank == 1)
    MEASURE("c", figure("rwset"), loops, catch(DMI_local_rwset_read(&set, values, NULL)))
  catch(DMI_local_barrier_sync(barrier, pnum));
  catch(DMI_local_rwset_destroy(&set));
  free(elements);
  free(values);
}

/* Both processes lock and unlock a mutex all the time. The figure is the time for each change of its holder. */
static void hand_over(const struct places *p, int my_rank, int pnum, DMI_local_barrier_t *barrier, int loops) {
  struct turn turn;
  for (int sample = -1; sample < samples; sample++) {
    catch(DMI_read(p->turn, sizeof turn, &turn, DMI_GET, NULL));
    int64_t before = turn.changes;
    catch(DMI_local_barrier_sync(barrier, pnum));
    double begin = now();
    for (int i = 0; i < loops; i++) {
      catch(DMI_mutex_lock(p->mutex));
      catch(DMI_read(p->turn, sizeof turn, &turn, DMI_GET, NULL));
      if (turn.holder != my_rank) {
        turn.holder = my_rank;
        turn.changes++;
        catch(DMI_write(p->turn, sizeof turn, &turn, DMI_PUT, NULL));
      }
      catch(DMI_mutex_unlock(p->mutex));
    }
    catch(DMI_local_barrier_sync(barrier, pnum));
    double took = now() - begin;
    catch(DMI_read(p->turn, sizeof turn, &turn, DMI_GET, NULL));
    catch(DMI_local_barrier_sync(barrier, pnum));
    if (my_rank == 1 && sample >= 0 && turn.changes > before)
      report("c", figure("handover"), took / (turn.changes - before));
  }
}

/* The number of the thread that may go on; the other one waits. */
static _Atomic uint32_t whose;

static void take_turns(uint32_t me, int loops) {
  for (int i = 0; i < loops; i++) {
    while (whose != me)
      syscall(SYS_futex, &whose, FUTEX_WAIT, 1 - me, NULL, NULL, 0);
    whose = 1 - me;
    syscall(SYS_futex, &whose, FUTEX_WAKE, 1, NULL, NULL, 0);
  }
}

static void *other_thread(void *loops) {
  bind_to_cpu(0);
  for (int sample = -1; sample < samples; sample++)
    take_turns(0, *(int *)loops);
  return NULL;
}

/* The reference of hand_over: two threads that wake each other by a futex. */
static void futex_turns(int loops) {
  pthread_t other;
  if (pthread_create(&other, NULL, other_thread, &loops) != 0)
    abort();
  for (int sample = -1; sample < samples; sample++) {
    double begin = now();
    take_turns(1, loops);
    if (sample >= 0)
      report("futex", figure("handover"), (now() - begin) / loops / 2);
  }
  pthread_join(other, NULL);
}

int32_t DMI_scaleunit(int my_rank, int pnum, int64_t at) {
  struct places p;
  DMI_local_barrier_t barrier;
  int64_t word = 0;
  char *buf = calloc(1, LARGE);
  const char *kind = getenv("DMI_BENCH");
  const int far = kind != NULL && strcmp(kind, "far") == 0;
  prefix = far ? "dmifar" : "dmi";
  const int loops = far ? 200 : 5000;
  bind_to_cpu(my_rank);
  catch(DMI_read(at, sizeof p, &p, DMI_GET, NULL));
  catch(DMI_local_barrier_init(&barrier, p.barrier));
  catch(DMI_local_barrier_sync(&barrier, pnum));
  if (my_rank == 1)
    measure(&p, buf, loops);
  if (my_rank == 1 && !far)
    futex_turns(loops);
  if (!far)
    hand_over(&p, my_rank, pnum, &barrier, loops);
  else
    read_scattered(&p, my_rank, pnum, &barrier, loops);
  catch(DMI_local_barrier_sync(&barrier, pnum));
  if (my_rank == 1)
    catch(DMI_read(p.copied, 8, &word, DMI_UPDATE, NULL)); /* process 1 has a copy, and process 0 writes */
  catch(DMI_local_barrier_sync(&barrier, pnum));
  if (my_rank == 0)
    MEASURE("c", figure("putcopy"), loops, catch(DMI_write(p.copied, 8, &word, DMI_PUT, NULL)))
  catch(DMI_local_barrier_sync(&barrier, pnum));
  for (int sample = -1; sample < samples; sample++) {
    double begin = now();
    for (int i = 0; i < loops; i++)
      catch(DMI_local_barrier_sync(&barrier, pnum));
    if (my_rank == 1 && sample >= 0)
      report("c", figure("barrier"), (now() - begin) / loops);
  }
  catch(DMI_local_barrier_sync(&barrier, pnum));
  free(buf);
  return 0;
}
