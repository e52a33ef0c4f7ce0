// How memory is unregistered while threads of this process use it in C. Mirrors table.drain of
// internal/memory/segment/underway.go, where threads are counted instead. Here a use takes
// no atomic instruction. docs/performance.md measures it as "own registered memory: put 8 B".

#define _GNU_SOURCE // syscall

#include "readers.h"
#include "atomics.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

_Thread_local struct goacp_reader *goacp_reader;

// All records that were ever made. A record is never freed, because a waiting thread may read it. A new thread gets
// the record of a thread that has ended.
static struct goacp_reader *readers;

static pthread_key_t ending; // its destructor gives the record of a thread back
static int usable;           // whether records can be waited for
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void give_back(void *reader) {
  goacp_reader = NULL;
  goacp_store_release(&((struct goacp_reader *)reader)->taken, 0);
}

static long membarrier(int command) { return syscall(SYS_membarrier, command, 0, 0); }

static void prepare(void) {
  usable = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0 &&
           pthread_key_create(&ending, give_back) == 0;
}

// Returns a record of a thread that has ended, or NULL.
static struct goacp_reader *reuse(void) {
  struct goacp_reader *r = goacp_load_acquire(&readers);
  for (; r != NULL; r = r->next) {
    uint32_t free = 0;
    if (goacp_compare_exchange_acquire(&r->taken, &free, 1))
      return r;
  }
  return NULL;
}

static struct goacp_reader *make(void) {
  struct goacp_reader *r = calloc(1, sizeof *r);
  if (r == NULL)
    return NULL;
  r->taken = 1;
  r->next = goacp_load_relaxed(&readers);
  while (!goacp_compare_exchange_release(&readers, &r->next, r))
    ;
  return r;
}

struct goacp_reader *goacp_new_reader(void) {
  if (pthread_once(&once, prepare) != 0 || !usable)
    return NULL;
  struct goacp_reader *r = reuse();
  if (r == NULL && (r = make()) == NULL)
    return NULL;
  if (pthread_setspecific(ending, r) != 0) {
    give_back(r);
    return NULL;
  }
  // This thread has found or entered a record, and then loads the table. goacp_await_readers is called after a change
  // of the table, and then checks the records. With a fence on each side, either that call sees the record, or this
  // thread sees the changed table.
  goacp_fence_seq_cst();
  return goacp_reader = r;
}

void goacp_await_readers(void) {
  goacp_fence_seq_cst(); // between the change of the table and the load: see goacp_new_reader
  if (goacp_load_acquire(&readers) == NULL)
    return;
  // Each thread has either marked itself before this, or looks up the region after it.
  membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  const struct timespec pause = {0, 100000};
  struct goacp_reader *r = goacp_load_acquire(&readers);
  for (; r != NULL; r = r->next) {
    uint32_t seen = goacp_load_acquire(&r->visits);
    for (int i = 0; seen % 2 != 0 && goacp_load_acquire(&r->visits) == seen; i++)
      if (i < GOACP_DRAIN_LOOKS) // most uses last less than a microsecond
        sched_yield();
      else
        nanosleep(&pause, NULL);
  }
}
