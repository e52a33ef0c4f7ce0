// Read-modify-write.

#include "near.h"

#include "count.h"

#include <string.h>

// Rmw on mapped memory: 1 if it has been executed.
static int near_rmw(int op, void *ploc, void *prem, int value, int proc) {
  size_t width = op == ARMCI_FETCH_AND_ADD || op == ARMCI_SWAP ? sizeof(int) : sizeof(long);
  if (ploc == NULL || prem == NULL || (uintptr_t)prem % width != 0)
    return 0;
  const struct goacp_armci *t = goacp_armci_table();
  void *at = near_at(t, proc, (uintptr_t)prem, width);
  if (at == NULL)
    return 0;
  int old4;
  long old8;
  switch (op) {
  case ARMCI_FETCH_AND_ADD:
    old4 = __atomic_fetch_add((int *)at, value, __ATOMIC_SEQ_CST);
    break;
  case ARMCI_SWAP:
    memcpy(&old4, ploc, sizeof old4);
    old4 = __atomic_exchange_n((int *)at, old4, __ATOMIC_SEQ_CST);
    break;
  case ARMCI_FETCH_AND_ADD_LONG:
    old8 = __atomic_fetch_add((long *)at, value, __ATOMIC_SEQ_CST);
    break;
  case ARMCI_SWAP_LONG:
    memcpy(&old8, ploc, sizeof old8);
    old8 = __atomic_exchange_n((long *)at, old8, __ATOMIC_SEQ_CST);
    break;
  default:
    return 0;
  }
  memcpy(ploc, width == sizeof old4 ? (void *)&old4 : (void *)&old8, width);
  return count_bytes(t, proc, GOACP_TRAFFIC_ATOMIC, width);
}

// Rmw elsewhere, and with wrong arguments.
GOACP_RARE int far_rmw(call_t call, int op, void *ploc, void *prem, int value, int proc) {
  int swap = op == ARMCI_SWAP || op == ARMCI_SWAP_LONG;
  int width = op == ARMCI_FETCH_AND_ADD || op == ARMCI_SWAP ? sizeof(int) : sizeof(long);
  uint64_t operand = (uint64_t)(int64_t)value, old = 0;
  if (op < ARMCI_FETCH_AND_ADD || op > ARMCI_SWAP_LONG || ploc == NULL)
    return goacp_armci_wrong(call, ploc == NULL ? ARMCI_ERROR_ADDRESS : ARMCI_ERROR_LEVELS,
                             ploc == NULL ? 0 : op);
  if (swap)
    memcpy(&operand, ploc, (size_t)width);
  int result = goacp_armci_modify(call, swap, width, operand, prem, proc, &old);
  if (result == 0)
    memcpy(ploc, &old, (size_t)width);
  return result;
}

int PARMCI_Rmw(int op, void *ploc, void *prem, int value, int proc) {
  return near_rmw(op, ploc, prem, value, proc)
             ? 0
             : far_rmw(CALLED(op, ploc, prem, value, proc), op, ploc, prem, value, proc);
}

ARMCI_ALIAS(int, Rmw, (int op, void *ploc, void *prem, int value, int proc));
