// Handles, fences and the barrier.

#include "aggregate.h"
#include "area.h"
#include "atomics.h"

// Whether C can tell that a handle has no operations in flight: the check word of a handle with operations is never
// 0.
static int is_idle(const armci_hdl_t *handle) {
  return handle != NULL && handle->armci_private_[1] == 0 && goacp_armci_table() != NULL;
}

// The handle in Go. The operations that an aggregate handle holds back are started first.
static armci_hdl_t *started(call_t call, armci_hdl_t *handle, int *result) {
  *result = goacp_armci_start(call, handle);
  return (armci_hdl_t *)goacp_armci_inner((struct goacp_armci_handle *)handle);
}

int PARMCI_Wait(armci_hdl_t *handle) {
  if (is_idle(handle))
    return 0;
  call_t call = CALLED(handle);
  int failed, result;
  armci_hdl_t *inner = started(call, handle, &failed);
  result = is_idle(inner) ? 0 : goacp_armci_wait(call, inner);
  return failed != 0 ? failed : result;
}

int PARMCI_Test(armci_hdl_t *handle) {
  if (is_idle(handle))
    return 0;
  call_t call = CALLED(handle);
  int failed, result;
  armci_hdl_t *inner = started(call, handle, &failed);
  result = is_idle(inner) ? 0 : goacp_armci_test(call, inner);
  return failed != 0 ? failed : result;
}

// The number of a process for Go, where a negative number means all processes.
static int only(int proc) { return proc < 0 ? GOACP_ARMCI_NO_PROC : proc; }

int PARMCI_WaitProc(int proc) { return goacp_armci_wait_proc(CALLED(proc), only(proc)); }

int PARMCI_WaitAll(void) { return goacp_armci_wait_proc(CALLED0, GOACP_ARMCI_ALL_PROCS); }

void PARMCI_INIT_HANDLE(armci_hdl_t *handle) {
  if (handle == NULL)
    return;
  if (handle->armci_private_[1] != 0 && goacp_armci_table() != NULL) {
    goacp_armci_unset_aggregate(CALLED_OR_END(handle), handle);
    goacp_armci_forget(handle);
  }
  handle->armci_private_[0] = handle->armci_private_[1] = 0;
}

void PARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t *handle) {
  if (handle != NULL && goacp_armci_table() != NULL)
    goacp_armci_set_aggregate(handle);
}

void PARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t *handle) {
  if (handle != NULL && goacp_armci_table() != NULL)
    goacp_armci_unset_aggregate(CALLED_OR_END(handle), handle);
}

void PARMCI_Fence(int proc) {
  const struct goacp_armci *t = goacp_armci_table();
  goacp_fence_seq_cst();
  if (t == NULL || proc < 0 || (uint64_t)proc >= t->procs || !goacp_armci_nothing_held() ||
      !near_is_idle(&t->entries[proc]))
    goacp_armci_fence(goacp_armci_covering(CALLED_OR_END(proc)), only(proc));
}

void PARMCI_AllFence(void) {
  goacp_fence_seq_cst();
  if (!goacp_armci_all_are_visible())
    goacp_armci_fence(goacp_armci_covering(CALLED0_OR_END), GOACP_ARMCI_ALL_PROCS);
}

void PARMCI_Barrier(void) {
  struct goacp_armci_area *b = goacp_armci_area(GOACP_ARMCI_WORLD_GROUP);
  if (b != NULL && goacp_armci_all_are_visible())
    goacp_armci_meet(CALLED0_OR_END, b);
  else
    goacp_armci_barrier(goacp_armci_covering(CALLED0_OR_END));
}

ARMCI_ALIAS(int, Wait, (armci_hdl_t * handle));
ARMCI_ALIAS(int, Test, (armci_hdl_t * handle));
ARMCI_ALIAS(int, WaitProc, (int proc));
ARMCI_ALIAS(int, WaitAll, (void));
ARMCI_ALIAS(void, INIT_HANDLE, (armci_hdl_t * handle));
ARMCI_ALIAS(void, SET_AGGREGATE_HANDLE, (armci_hdl_t * handle));
ARMCI_ALIAS(void, UNSET_AGGREGATE_HANDLE, (armci_hdl_t * handle));
ARMCI_ALIAS(void, Fence, (int proc));
ARMCI_ALIAS(void, AllFence, (void));
ARMCI_ALIAS(void, Barrier, (void));
