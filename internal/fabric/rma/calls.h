// What those threads of a process share that call MPI for its windows, whether they come
// from C or from Go, which has these types by cgo. Integers that change are changed
// atomically. What is defined in Go comes from layout.h.

#ifndef GOACP_RMA_CALLS_H
#define GOACP_RMA_CALLS_H

#include "layout.h"

#include <mpi.h>
#include <stdint.h>

// Kinds of operations: on memory of the library, and on registered memory.
enum {
  GOACP_RMA_COPY,
  GOACP_RMA_ATOMIC,
  GOACP_RMA_REGISTERED,
  GOACP_RMA_KINDS,
};

// States of the turn to call MPI.
enum {
  GOACP_RMA_FREE,
  GOACP_RMA_TAKEN,
  GOACP_RMA_AWAITED, // taken, and others sleep on the word
};

// A member, as a target.
struct goacp_rma_member {
  uint32_t awake;  // its agent is
  uint32_t helped; // bit 1 << kind: the operations need the agent
};

// Memory of the library of a rank.
struct goacp_rma_target {
  uint64_t from[2], size[2]; // positions: starter memory and heap
  int64_t disp;              // displacement of position 0
  int32_t rank;              // in the window; -1 if it is not there
  uint32_t member;
};

struct goacp_rma {
  // What acp/capi calls. The functions return 0 if more is to be done about an operation
  // than a call of MPI. If MPI reports an error, they return 0, too: a second try in Go gets
  // the same error, and can tell it. atomic is NULL if atomics are not MPI's.
  struct goacp_windows windows;

  MPI_Win window;
  uint64_t procs;
  struct goacp_rma_target *targets; // by rank
  struct goacp_rma_member *members; // by member

  uint32_t turn;    // GOACP_RMA_FREE and so on
  uint32_t wanted;  // who has the turn only to make progress is to end it
  uint32_t asleep;  // the keeper is
  uint64_t current; // operation under way, see GOACP_RMA_OPERATION; 0 if there is none
  uint64_t count;   // operations begun

  uint32_t asked;  // how often somebody asked for progress
  uint32_t quit;   // the helper shall stop
  uint32_t spins;  // it may take a processor for itself
  int64_t shy;     // but not before this time, in nanoseconds; the helper's alone
  int64_t company; // until when it had company, in nanoseconds, or 0; the helper's alone
  MPI_Fint never;  // request whose test makes MPI progress
};

// What stands in current for an operation on n bytes of a member: that, and how many binary
// digits n has, since those that are long take their time without needing help.
#define GOACP_RMA_OPERATION(member, kind, n)                                                       \
  (1 + (64 - (uint64_t)__builtin_clzll((n) | 1)) +                                                 \
   GOACP_RMA_DIGITS * ((uint64_t)(kind) + GOACP_RMA_KINDS * (uint64_t)(member)))
#define GOACP_RMA_DIGITS 65

struct goacp_rma *goacp_rma_new(int procs);
void goacp_rma_free(struct goacp_rma *c);
void goacp_rma_set_window(struct goacp_rma *c, MPI_Fint window);

// Calls MPI until it has not been asked to for the time lease; for the time eager after
// it was asked, without a pause if it may, otherwise with pauses. Times are
// nanoseconds. Returns 1 if MPI has come to an end.
int goacp_rma_progress(struct goacp_rma *c, int64_t eager, int64_t lease,
                       int64_t pause);

#endif
