/* How the C benchmarks measure: several samples of each figure, each the mean of a
 * short loop, so that the median over samples is not that of a disturbed one. */

#ifndef GOACP_BENCH_SAMPLES_H
#define GOACP_BENCH_SAMPLES_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { samples = 9 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

/* Prints one line: the source of the figure, its name and the nanoseconds. It flushes the line, so
 * that the figure is not lost if a later operation crashes. */
static void report(const char *source, const char *name, double ns) {
  printf("%s\t%s\t%.2f\n", source, name, ns);
  fflush(stdout);
}

/* Repeats code loops times per sample and reports the mean time of one. The first
 * run warms caches and opens connections. */
#define MEASURE(source, name, loops, code)                                     \
  for (int sample_ = -1; sample_ < samples; sample_++) {                       \
    double begin_ = now();                                                     \
    for (int i_ = 0; i_ < (loops); i_++) {                                     \
      code;                                                                    \
    }                                                                          \
    double end_ = now();                                                       \
    if (sample_ >= 0)                                                          \
      report(source, name, (end_ - begin_) / (loops));                         \
  }

#endif
