// What libarmci shares with the Go that it calls.

#ifndef GOACP_ARMCI_BIND_H
#define GOACP_ARMCI_BIND_H

#include "call.h"

// armci_giov_t of armci.h.
struct goacp_armci_giov {
  void **src, **dst;
  int bytes, length;
};

// armci_hdl_t of armci.h.
struct goacp_armci_handle {
  unsigned int slot, check;
};

// One side each of a strided transfer: the caller's, and the owner's.
struct goacp_armci_strided {
  void *local, *remote;
  const int *local_stride, *remote_stride, *count;
  int levels, proc;
};

// What a transfer does, and what an accumulate has besides.
struct goacp_armci_action {
  int kind; // one of goacp_armci_kind
  int type;
  const void *scale;
  int blocking; // 0: handle says which operations it is one of, NULL those without a handle
  struct goacp_armci_handle *handle;
};

enum goacp_armci_kind { GOACP_ARMCI_PUT, GOACP_ARMCI_GET, GOACP_ARMCI_ACCUMULATE };

// What ARMCI_Finalize has to do besides.
enum { GOACP_ARMCI_ENDS_ACP = 1 };

// In place of the number of a process: all, and none that there is.
enum { GOACP_ARMCI_ALL_PROCS = -1, GOACP_ARMCI_NO_PROC = -2 };

// libarmci calls goacp_armci_load before main. goacp_armci_loaded reports whether it has.
void goacp_armci_load(void);
int goacp_armci_loaded(void);

// In place of the number of a process: the first one of a team.
enum { GOACP_ARMCI_FIRST_PROC = -3 };

// What a process knows of a group. Its number is that of the handle.
struct goacp_armci_group {
  uint64_t number;
  int rank, size; // of the caller, -1 and 0 if it is no member
  int has_comm;
  uint64_t comm;  // the bytes of a communicator of MPI, if it has one
  uint64_t among; // the number of the group among all of the world; that of no other one
};

// Numbers of groups: none, and the world.
enum { GOACP_ARMCI_NO_GROUP, GOACP_ARMCI_WORLD_GROUP };

// The mode of memory for which none was set, and all bits that a mode may have.
enum { GOACP_ARMCI_MODE_ALL = 1, GOACP_ARMCI_MODES = 7 };

// goacp_armci_enter ends a forked child with a line, and notes which function this thread has called, and
// where: its return address.
void goacp_armci_enter(const char *function, const void *site);

// goacp_armci_table returns the table of the world, or NULL. goacp_armci_publish sets it.
struct goacp_armci *goacp_armci_table(void);
void goacp_armci_publish(void *table);

#endif
