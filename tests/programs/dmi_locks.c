/*
 * Random use of mutexes and spin locks by all threads:
 *
 *     dmimw dmi_locks NODES THREADS ROUNDS SEED
 *
 * C locks and unlocks by itself what lies on this host and is free, and Go does the rest. Each lock shares its page with two
 * counters, which are equal unless a thread holds the lock. Accesses to the counters move the page between processes, and
 * copy it. The counters have the sum of all additions at the end. Calls of threads that may not make them fail.
 */
#include "dmi_api.h"

enum { LOCKS = 3, PAGE = 256, FIRST = 128, SECOND = 136 }; /* offsets of the counters */

static struct run {
  int64_t mutexes, spins, added, rounds; /* added: the additions that threads report, by lock */
  uint64_t seed;
} run;

struct lock {
  int64_t at;
  int spins;
};

static uint64_t next(uint64_t *state) { /* xorshift64* */
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * UINT64_C(2685821657736338717);
}

static int pick(uint64_t *state, int n) { return (int)(next(state) >> 33) % n; }

static int32_t lock(struct lock l) { return l.spins ? DMI_spin_lock(l.at) : DMI_mutex_lock(l.at); }

static int32_t unlock(struct lock l) { return l.spins ? DMI_spin_unlock(l.at) : DMI_mutex_unlock(l.at); }

static int32_t try(struct lock l, int32_t *has) { return l.spins ? DMI_spin_trylock(l.at, has) : DMI_mutex_trylock(l.at, has); }

static void fails(const char *what, int32_t result) {
  if (result)
    DMI_CATCH((outn("%s has not failed", what), FALSE));
}

/* The caller holds the lock. */
static void add(struct lock l, uint64_t *state) {
  static const int8_t reads[] = {DMI_GET, DMI_INVALIDATE, DMI_UPDATE}, writes[] = {DMI_PUT, DMI_EXCLUSIVE};
  int64_t first, second;
  catch(DMI_read(l.at + FIRST, sizeof first, &first, reads[pick(state, 3)], NULL));
  catch(DMI_read(l.at + SECOND, sizeof second, &second, reads[pick(state, 3)], NULL));
  if (first != second)
    DMI_CATCH((outn("lock at %lx: the counters are %ld and %ld", (long)l.at, (long)first, (long)second), FALSE));
  first++;
  catch(DMI_write(l.at + FIRST, sizeof first, &first, writes[pick(state, 2)], NULL));
  catch(DMI_write(l.at + SECOND, sizeof first, &first, writes[pick(state, 2)], NULL));
}

/* Returns how often the thread has added to the counters of the lock. */
static int use(struct lock l, uint64_t *state) {
  int32_t has;
  switch (pick(state, 8)) {
  case 0:
    fails("to unlock a lock of no thread, or of another one", unlock(l));
    return 0;
  case 1:
    fails("a call for the other kind of lock", unlock((struct lock){l.at, !l.spins}));
    return 0;
  case 2:
  case 3:
    catch(try(l, &has));
    if (!has)
      return 0;
    break;
  default:
    catch(lock(l));
  }
  add(l, state);
  if (pick(state, 8) == 0) {
    fails("to lock a lock of the thread", lock(l));
    catch(try(l, &has));
    if (has)
      DMI_CATCH((outn("the thread has its lock twice"), FALSE));
  }
  catch(unlock(l));
  return 1;
}

int32_t DMI_scaleunit(int my_rank, int pnum, int64_t addr) {
  struct run r;
  int64_t before;
  (void)pnum;
  catch(DMI_read(addr, sizeof r, &r, DMI_GET, NULL));
  uint64_t state = r.seed + (uint64_t)my_rank * UINT64_C(0x9e3779b97f4a7c15) + 1;
  for (int64_t i = 0; i < r.rounds; i++) {
    const int spins = pick(&state, 2), n = pick(&state, LOCKS);
    const struct lock l = {(spins ? r.spins : r.mutexes) + n * PAGE, spins};
    if (use(l, &state))
      catch(DMI_fad(r.added + 8 * (n + spins * LOCKS), 1, &before, DMI_PUT, NULL));
  }
  return 0;
}

static void check(int64_t at, int64_t added) {
  int64_t first, second, want;
  catch(DMI_read(at + FIRST, sizeof first, &first, DMI_GET, NULL));
  catch(DMI_read(at + SECOND, sizeof second, &second, DMI_GET, NULL));
  catch(DMI_read(added, sizeof want, &want, DMI_GET, NULL));
  if (first != want || second != want)
    DMI_CATCH((outn("the counters are %ld and %ld, expected %ld", (long)first, (long)second, (long)want), FALSE));
}

void DMI_main(int argc, char **argv) {
  int64_t at;
  if (argc != 5)
    DMI_CATCH((outn("usage: %s NODES THREADS ROUNDS SEED", argv[0]), FALSE));
  run.rounds = atoi(argv[3]);
  run.seed = strtoull(argv[4], NULL, 10);
  catch(DMI_mmap(&run.mutexes, PAGE, LOCKS, NULL));
  catch(DMI_mmap(&run.spins, PAGE, LOCKS, NULL));
  catch(DMI_mmap(&run.added, 8, 2 * LOCKS, NULL));
  catch(DMI_mmap(&at, sizeof run, 1, NULL));
  catch(DMI_write(at, sizeof run, &run, DMI_PUT, NULL));
  for (int n = 0; n < LOCKS; n++)
    catch(DMI_mutex_init(run.mutexes + n * PAGE) && DMI_spin_init(run.spins + n * PAGE));
  catch(DMI_rescale(at, atoi(argv[1]), atoi(argv[2])));
  for (int n = 0; n < LOCKS; n++) {
    check(run.mutexes + n * PAGE, run.added + 8 * n);
    check(run.spins + n * PAGE, run.added + 8 * (n + LOCKS));
    catch(DMI_mutex_destroy(run.mutexes + n * PAGE) && DMI_spin_destroy(run.spins + n * PAGE));
    fails("to lock what has been destroyed", DMI_mutex_lock(run.mutexes + n * PAGE) || DMI_spin_lock(run.spins + n * PAGE));
  }
  outn("all is right");
}
