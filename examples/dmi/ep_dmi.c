/*
 * The kernel EP of the NAS Parallel Benchmarks: 2^M pairs of random numbers become pairs of Gaussian deviates, which are added and
 * counted by squares.
 *
 *     dmimw -n 2 ./ep_dmi 2 2 24
 *
 * NODES THREADS M. The sums for M = 24, 25, 28, 30 and 32 are known and checked.
 */
#include "dmi_api.h"

#include <math.h>

enum { BLOCK = 16, SQUARES = 10 }; /* 2^16 pairs are made at a time */

static const double factor = 1220703125.0, seed = 271828183.0; /* 5^13 */

struct shared {
  int64_t m, next, sums;
};

struct sums {
  double x, y;
  int64_t counts[SQUARES], blocks;
};

void DMI_main(int argc, char **argv) {
  static const struct { int m; double x, y; } known[] = {
    {24, -3.247834652034740e+3, -6.958407078382297e+3}, {25, -2.863319731645753e+3, -6.320053679109499e+3},
    {28, -4.295875165629892e+3, -1.580732573678431e+4}, {30, 4.033815542441498e+4, -2.660669192809235e+4},
    {32, 4.764367927995374e+4, -8.084072988043731e+4},
  };
  struct shared s;
  struct sums all;
  int64_t at, pairs = 0;
  if (argc != 4 || atoi(argv[3]) < BLOCK || atoi(argv[3]) > 40) {
    outn("usage: %s NODES THREADS M, with M from %d to 40", argv[0], BLOCK);
    error();
  }
  s.m = atoi(argv[3]);
  memset(&all, 0, sizeof all);
  catch(DMI_mmap(&at, sizeof s, 1, NULL));
  catch(DMI_mmap(&s.next, sizeof(int64_t), 1, NULL));
  catch(DMI_mmap(&s.sums, sizeof all, 1, NULL));
  catch(DMI_write(at, sizeof s, &s, DMI_EXCLUSIVE, NULL));
  catch(DMI_rescale(at, atoi(argv[1]), atoi(argv[2])));
  catch(DMI_read(s.sums, sizeof all, &all, DMI_GET, NULL));
  for (int i = 0; i < SQUARES; i++)
    pairs += all.counts[i];
  outn("2^%ld pairs: sums %.15e %.15e, %ld Gaussian pairs", (long)s.m, all.x, all.y, (long)pairs);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (known[i].m == s.m) {
      if (fabs((all.x - known[i].x) / known[i].x) > 1e-8 || fabs((all.y - known[i].y) / known[i].y) > 1e-8) {
        outn("the sums are wrong, expected %.15e %.15e", known[i].x, known[i].y);
        error();
      }
      outn("the sums are right");
    }
  catch(DMI_munmap(s.sums, NULL));
  catch(DMI_munmap(s.next, NULL));
  catch(DMI_munmap(at, NULL));
}

/* x * y modulo 2^46, both below 2^46. */
static uint64_t times(uint64_t x, uint64_t y) { return (uint64_t)((unsigned __int128)x * y & (((uint64_t)1 << 46) - 1)); }

/* The state of the generator behind 2 * pairs numbers. */
static uint64_t jump(int64_t pairs) {
  uint64_t state = (uint64_t)seed, power = (uint64_t)factor;
  for (uint64_t n = (uint64_t)pairs * 2; n != 0; n >>= 1) {
    if (n & 1)
      state = times(state, power);
    power = times(power, power);
  }
  return state;
}

static void do_block(struct sums *s, int64_t block) {
  uint64_t state = jump(block << BLOCK);
  for (int i = 0; i < 1 << BLOCK; i++) {
    state = times(state, (uint64_t)factor);
    double x = 2 * ((double)state * 0x1p-46) - 1;
    state = times(state, (uint64_t)factor);
    double y = 2 * ((double)state * 0x1p-46) - 1;
    double t = x * x + y * y;
    if (t > 1)
      continue;
    double f = sqrt(-2 * log(t) / t);
    x *= f;
    y *= f;
    s->counts[(int)fmax(fabs(x), fabs(y))]++;
    s->x += x;
    s->y += y;
  }
  s->blocks++;
}

/* Adds the sums of a thread to those of all. The bytes of the page are old; new ones replace them unless another thread has replaced them. */
static void add(int64_t at, const struct sums *mine) {
  struct sums old, sum;
  int8_t swapped = FALSE;
  while (!swapped) {
    catch(DMI_read(at, sizeof old, &old, DMI_GET, NULL));
    sum = old;
    sum.x += mine->x;
    sum.y += mine->y;
    sum.blocks += mine->blocks;
    for (int i = 0; i < SQUARES; i++)
      sum.counts[i] += mine->counts[i];
    catch(DMI_cas(at, sizeof old, &old, &sum, &swapped, DMI_PUT, NULL));
  }
}

int32_t DMI_scaleunit(int my_rank, int pnum, int64_t at) {
  struct shared s;
  struct sums mine;
  int64_t block;
  (void)pnum;
  catch(DMI_read(at, sizeof s, &s, DMI_GET, NULL));
  bind_to_cpu(my_rank % PROCNUM);
  memset(&mine, 0, sizeof mine);
  for (;;) {
    catch(DMI_fad(s.next, 1, &block, DMI_PUT, NULL));
    if (block >= (int64_t)1 << (s.m - BLOCK))
      break;
    do_block(&mine, block);
  }
  add(s.sums, &mine);
  return 0;
}
