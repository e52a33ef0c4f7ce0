/*
 * Random accesses of all threads to the same pages, some by way of Go:
 *
 *     dmimw dmi_near NODES THREADS ACCESSES SEED
 *
 * Short accesses to pages of this host are made by C, those with a status and long ones by Go, and pages of other hosts move and are
 * copied meanwhile. A page of numbers is always uniform. The counters have the sum of all additions at the end. Each round ends a space
 * and makes others, which get its memory: the threads then find that the space is gone.
 */
#include "dmi_api.h"

#include <string.h>

enum { SPACES = 5, PAGES = 3, LARGEST = 3000, ROUNDS = 5 };

static const int64_t sizes[SPACES] = {8, 64, 504, 520, LARGEST};

static struct run {
  int64_t spaces[SPACES], counters, added, barrier, accesses; /* added: the additions that threads report */
  uint64_t seed;
} run;

static uint64_t next(uint64_t *state) { /* xorshift64* */
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * UINT64_C(2685821657736338717);
}

static int pick(uint64_t *state, int n) { return (int)(next(state) >> 33) % n; }

/* No thread writes meanwhile: all modes read the same. */
static void compare(const struct run *r) {
  static const int8_t modes[] = {DMI_GET, DMI_INVALIDATE, DMI_UPDATE};
  for (int i = 0; i < SPACES; i++)
    for (int page = 0; page < PAGES; page++) {
      int64_t x[3];
      for (int m = 0; m < 3; m++)
        catch(DMI_read(r->spaces[i] + page * sizes[i], 8, &x[m], modes[m], NULL));
      if (x[1] != x[0] || x[2] != x[0])
        DMI_CATCH((outn("page %d of %ld bytes: %lx, its copies %lx, %lx", page, (long)sizes[i], (long)x[0], (long)x[1], (long)x[2]), FALSE));
    }
}

/* Waits for a function that has been started with a status. */
static int32_t ended(DMI_local_status_t *status) {
  int32_t result;
  DMI_wait(status, &result);
  return result;
}

static void read_uniform(int64_t at, int64_t size, uint64_t *state) {
  static const int8_t modes[] = {DMI_GET, DMI_GET, DMI_GET, DMI_INVALIDATE, DMI_UPDATE};
  int64_t b[LARGEST / 8];
  DMI_local_status_t status;
  const int8_t mode = modes[pick(state, 5)];
  if (pick(state, 4) == 0)
    catch(DMI_read(at, size, b, mode, &status) && ended(&status));
  else
    catch(DMI_read(at, size, b, mode, NULL));
  for (int64_t i = 1; i < size / 8; i++)
    if (b[i] != b[0])
      DMI_CATCH((outn("%ld bytes at %lx are torn: %lx and %lx", (long)size, (long)at, (long)b[0], (long)b[i]), FALSE));
}

static void write_uniform(int64_t at, int64_t size, uint64_t *state) {
  int64_t b[LARGEST / 8];
  DMI_local_status_t status;
  const int8_t mode = pick(state, 3) == 0 ? DMI_EXCLUSIVE : DMI_PUT;
  const int64_t value = (int64_t)next(state);
  for (int64_t i = 0; i < size / 8; i++)
    b[i] = value;
  if (pick(state, 4) == 0)
    catch(DMI_write(at, size, b, mode, &status) && ended(&status));
  else
    catch(DMI_write(at, size, b, mode, NULL));
}

static void count(int64_t at, uint64_t *state) {
  int64_t before;
  DMI_local_status_t status;
  const int8_t mode = pick(state, 3) == 0 ? DMI_EXCLUSIVE : DMI_PUT;
  if (pick(state, 4) == 0)
    catch(DMI_fad(at, 1, &before, mode, &status) && ended(&status));
  else
    catch(DMI_fad(at, 1, &before, mode, NULL));
}

int32_t DMI_scaleunit(int my_rank, int pnum, int64_t addr) {
  struct run r;
  DMI_local_barrier_t barrier;
  int64_t gone, added = 0;
  catch(DMI_read(addr, sizeof r, &r, DMI_GET, NULL));
  uint64_t state = r.seed + (uint64_t)my_rank * UINT64_C(0x9e3779b97f4a7c15) + 1;
  catch(DMI_local_barrier_init(&barrier, r.barrier));
  for (int64_t i = 0; i < r.accesses; i++) {
    const int space = pick(&state, SPACES + 1), page = pick(&state, PAGES);
    if (space == SPACES) {
      count(r.counters + 8 * page, &state);
      added++;
    } else if (pick(&state, 2) == 0)
      write_uniform(r.spaces[space] + page * sizes[space], sizes[space], &state);
    else
      read_uniform(r.spaces[space] + page * sizes[space], sizes[space], &state);
  }
  catch(DMI_local_barrier_sync(&barrier, pnum));
  compare(&r);
  catch(DMI_local_barrier_sync(&barrier, pnum));
  if (my_rank == 0) /* others have used the pages a moment ago, and their memory is used again */
    for (int i = 0; i < SPACES; i++) {
      int64_t again;
      catch(DMI_munmap(r.spaces[i], NULL));
      for (int k = 0; k < 2; k++) {
        catch(DMI_mmap(&again, sizes[i], PAGES, NULL));
        write_uniform(again, sizes[i], &state);
      }
    }
  catch(DMI_local_barrier_sync(&barrier, pnum));
  for (int i = 0; i < SPACES; i++)
    for (int page = 0; page < PAGES; page++) {
      const int64_t at = r.spaces[i] + page * sizes[i];
      if (DMI_read(at, 8, &gone, DMI_GET, NULL) || DMI_write(at, 8, &gone, DMI_PUT, NULL) || DMI_fad(at, 1, &gone, DMI_PUT, NULL))
        DMI_CATCH((outn("the space of %ld bytes has ended, and its page %d is there", (long)sizes[i], page), FALSE));
    }
  catch(DMI_local_barrier_destroy(&barrier));
  catch(DMI_fad(r.added, added, &gone, DMI_PUT, NULL));
  return 0;
}

void DMI_main(int argc, char **argv) {
  int64_t at, zero[PAGES] = {0}, counted[PAGES], sum = 0, want;
  if (argc != 5)
    DMI_CATCH((outn("usage: dmi_near NODES THREADS ACCESSES SEED"), FALSE));
  const int nodes = atoi(argv[1]), threads = atoi(argv[2]);
  run.accesses = atoll(argv[3]);
  run.seed = strtoull(argv[4], NULL, 10);
  catch(DMI_mmap(&at, sizeof run, 1, NULL));
  catch(DMI_mmap(&run.barrier, sizeof(DMI_barrier_t), 1, NULL));
  catch(DMI_mmap(&run.counters, 8, PAGES, NULL));
  catch(DMI_mmap(&run.added, 8, 1, NULL));
  catch(DMI_write(run.counters, sizeof zero, zero, DMI_PUT, NULL));
  catch(DMI_barrier_init(run.barrier));
  for (int round = 0; round < ROUNDS; round++, run.seed++) {
    for (int i = 0; i < SPACES; i++)
      catch(DMI_mmap(&run.spaces[i], sizes[i], PAGES, NULL));
    catch(DMI_write(at, sizeof run, &run, DMI_EXCLUSIVE, NULL));
    catch(DMI_rescale(at, nodes, threads));
  }
  catch(DMI_read(run.counters, sizeof counted, counted, DMI_GET, NULL));
  for (int i = 0; i < PAGES; i++)
    sum += counted[i];
  catch(DMI_read(run.added, sizeof want, &want, DMI_GET, NULL));
  if (sum != want)
    DMI_CATCH((outn("the counters have %ld, expected %ld", (long)sum, (long)want), FALSE));
  outn("all is right");
}
