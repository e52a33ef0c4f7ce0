// The state that the threads of a process share which call MPI for its windows, in C and in Go.
// Go uses these types by cgo. Integers that change are changed by atomic operations. layout.h has
// the definitions of Go.

#ifndef GOACP_RMA_CALLS_H
#define GOACP_RMA_CALLS_H

#include "futex.h"
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

// A member, as a target.
struct goacp_rma_member {
  uint32_t awake;  // its agent has been woken lately and calls MPI
  uint32_t helped; // bit 1 << kind: operations of this kind need the agent to call MPI
  uint32_t far;    // it is on another host
};

// Memory of the library of a rank.
struct goacp_rma_target {
  uint64_t from[2], size[2]; // positions: starter memory and heap
  int64_t disp;              // displacement of position 0
  int32_t rank;              // in the window; -1 if it is not there
  uint32_t member;
};

struct goacp_rma {
  // What lib/acp calls. A function returns 0 if it has not carried out the operation; Go
  // does so then. It also returns 0 if MPI reports an error, because the second try in Go gets
  // the same error and can report it. atomic is NULL if the atomics of the run are not MPI's.
  struct goacp_windows windows;

  MPI_Win window;
  uint64_t procs;
  struct goacp_rma_target *targets; // by rank
  struct goacp_rma_member *members; // by member

  struct goacp_mutex lock; // a thread holds it while it calls MPI
  uint32_t wanted;  // a thread waits for the lock; the progress thread unlocks it then
  uint32_t asleep;  // the monitor sleeps
  uint64_t current; // operation under way, see GOACP_RMA_OPERATION; 0 if there is none
  uint64_t count;   // operations begun

  // For the progress thread.
  uint32_t asked; // how often a member has asked for progress
  uint32_t quit;  // it is to end
  uint32_t spins; // it may call MPI without a pause
  // Only the progress thread uses these, in nanoseconds.
  int64_t sleep_until;  // it does not spin before this time
  int64_t shared_until; // until when it has shared its processor; 0: it has not
  MPI_Fint never;  // request whose test makes MPI progress
};

// The word in current for an operation on n bytes of a member. It has the number of binary
// digits of n, because a long operation takes time even if it needs no help.
#define GOACP_RMA_OPERATION(member, kind, n)                                                       \
  (1 + (64 - (uint64_t)__builtin_clzll((n) | 1)) +                                                 \
   GOACP_RMA_DIGITS * ((uint64_t)(kind) + GOACP_RMA_KINDS * (uint64_t)(member)))
#define GOACP_RMA_DIGITS 65

struct goacp_rma *goacp_rma_new(int procs);
void goacp_rma_free(struct goacp_rma *c);
void goacp_rma_set_window(struct goacp_rma *c, MPI_Fint window);

// Calls MPI until no member has asked for progress for the time lease. It spins for the time
// eager after a member has asked, if it may, and otherwise sleeps for the time pause between
// calls. Times are nanoseconds. Returns 1 if MPI has failed or has completed the request never.
int goacp_rma_progress(struct goacp_rma *c, int64_t eager, int64_t lease,
                       int64_t pause);

#endif
