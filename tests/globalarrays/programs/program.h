/* What the programs share: they start and end Global Arrays, and make random numbers of which all
   processes have the same. */
#ifndef GA_PROGRAM_H
#define GA_PROGRAM_H

#include <mpi.h>

#include <ga.h>
#include <macdecls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int self, procs;

/* begin initialises MPI, Global Arrays and its stack memory. */
static inline void begin(int *argc, char ***argv) {
  MPI_Init(argc, argv);
  GA_Initialize();
  self = GA_Nodeid();
  procs = GA_Nnodes();
  if (!MA_init(C_DBL, 1 << 18, 1 << 18))
    GA_Error("MA_init failed", 1);
}

/* end writes the line that says that all processes have come here. */
static inline int end(void) {
  GA_Sync();
  if (self == 0)
    printf("%d processes agree\n", procs);
  GA_Terminate();
  MPI_Finalize();
  return 0;
}

/* check ends the run unless ok. */
#define check(ok, ...)                                              \
  do {                                                              \
    if (!(ok)) {                                                    \
      fprintf(stderr, "%s:%d: process %d: ", __FILE__, __LINE__, self); \
      fprintf(stderr, __VA_ARGS__);                                 \
      fputc('\n', stderr);                                          \
      GA_Error("wrong result", 1);                                  \
    }                                                               \
  } while (0)

static unsigned long long seed = 88172645463325252ull;

/* below returns a number from 0 to n-1, the same on all processes. */
static inline int below(int n) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (int)(seed % (unsigned)n);
}

#endif
