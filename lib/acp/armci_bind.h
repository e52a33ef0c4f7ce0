// Declarations for libarmci and the Go functions that it calls.

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

// A side of a strided transfer: the caller's, or the owner's.
struct goacp_armci_strided {
  void *local, *remote;
  const int *local_stride, *remote_stride, *count;
  int levels, proc;
};

// The kind of a transfer, and the further arguments of an accumulate.
struct goacp_armci_action {
  int kind; // one of goacp_armci_kind
  int type;
  const void *scale;
  int blocking; // 0: the operation belongs to handle, or, if that is NULL, to the operations without a handle
  struct goacp_armci_handle *handle;
};

enum goacp_armci_kind { GOACP_ARMCI_PUT, GOACP_ARMCI_GET, GOACP_ARMCI_ACCUMULATE };

// Further tasks of ARMCI_Finalize.
enum { GOACP_ARMCI_ENDS_ACP = 1 };

// Instead of the number of a process: all processes, and no process.
enum { GOACP_ARMCI_ALL_PROCS = -1, GOACP_ARMCI_NO_PROC = -2 };

// libarmci calls goacp_armci_load before main. goacp_armci_loaded reports whether it has.
void goacp_armci_load(void);
int goacp_armci_loaded(void);

// Instead of the number of a process: the first process of a team.
enum { GOACP_ARMCI_FIRST_PROC = -3 };

// A group, as a process stores it. Its number is the number in the handle.
struct goacp_armci_group {
  uint64_t number;
  int rank, size; // of the caller, -1 and 0 if it is no member
  int has_comm;
  uint64_t comm;  // the bytes of a communicator of MPI, if it has one
  uint64_t among; // the number of the group, unique in the world
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
