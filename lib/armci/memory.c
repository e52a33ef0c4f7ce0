// Allocation.

#include "aggregate.h"

#include <stdlib.h>

int PARMCI_Malloc(void *ptr_arr[], armci_size_t bytes) {
  return goacp_armci_malloc(CALLED(ptr_arr, bytes), ptr_arr, bytes);
}

int PARMCI_Free(void *ptr) { return goacp_armci_free(goacp_armci_covering(CALLED(ptr)), ptr); }

int PARMCI_Malloc_memdev(void *ptr_arr[], armci_size_t bytes, const char *device) {
  return goacp_armci_malloc(CALLED(ptr_arr, bytes, device), ptr_arr, bytes);
}

int PARMCI_Free_memdev(void *ptr) { return goacp_armci_free(goacp_armci_covering(CALLED(ptr)), ptr); }

// The caller's side of a transfer may be any memory, so this is memory of the C library, which costs nothing until it
// is used.
void *PARMCI_Malloc_local(armci_size_t bytes) {
  if (bytes < 0) {
    goacp_armci_wrong(CALLED(bytes), ARMCI_ERROR_COUNT, bytes);
    return NULL;
  }
  return malloc(bytes == 0 ? 1 : (size_t)bytes);
}

int PARMCI_Free_local(void *ptr) {
  free(ptr);
  return 0;
}

void PARMCI_Memget(size_t bytes, armci_meminfo_t *meminfo, int memflg) {
  call_t call = CALLED_OR_END(bytes, meminfo, memflg);
  if (meminfo == NULL)
    goacp_armci_wrong(call, ARMCI_ERROR_ADDRESS, 0);
  if (memflg != 0)
    goacp_armci_wrong(call, ARMCI_ERROR_LEVELS, memflg);
  void *at = NULL;
  goacp_armci_memget(call, bytes, &at);
  meminfo->armci_addr = meminfo->addr = at;
  meminfo->size = bytes;
  meminfo->cpid = goacp_armci_self();
  meminfo->idlist[0] = (long)(uintptr_t)at; // changes of the addresses by programs have no effect
}

void *PARMCI_Memat(armci_meminfo_t *meminfo, long offset) {
  if (meminfo == NULL || meminfo->idlist[0] == 0)
    return NULL;
  return (char *)(uintptr_t)meminfo->idlist[0] + offset;
}

void PARMCI_Memdt(armci_meminfo_t *meminfo, long offset) {
  (void)meminfo;
  (void)offset;
}

void PARMCI_Memctl(armci_meminfo_t *meminfo) {
  call_t call = CALLED_OR_END(meminfo);
  if (meminfo == NULL)
    goacp_armci_wrong(call, ARMCI_ERROR_ADDRESS, 0);
  if (meminfo->cpid == goacp_armci_self() && meminfo->idlist[0] != 0)
    goacp_armci_memfree(goacp_armci_covering(call), (void *)(uintptr_t)meminfo->idlist[0]);
  meminfo->armci_addr = meminfo->addr = NULL;
  meminfo->idlist[0] = 0;
}

void PARMCI_Set_shm_limit(unsigned long shmemlimit) {
  goacp_armci_enter(NAME_, GOACP_SITE_);
  goacp_armci_limit(shmemlimit);
}

int PARMCI_Uses_shm(void) {
  return goacp_armci_domain_size(CALLED0, -1) > 1;
}

ARMCI_ALIAS(int, Malloc, (void *ptr_arr[], armci_size_t bytes));
ARMCI_ALIAS(int, Free, (void *ptr));
ARMCI_ALIAS(int, Malloc_memdev, (void *ptr_arr[], armci_size_t bytes, const char *device));
ARMCI_ALIAS(int, Free_memdev, (void *ptr));
ARMCI_ALIAS(void *, Malloc_local, (armci_size_t bytes));
ARMCI_ALIAS(int, Free_local, (void *ptr));
ARMCI_ALIAS(void, Memget, (size_t bytes, armci_meminfo_t *meminfo, int memflg));
ARMCI_ALIAS(void *, Memat, (armci_meminfo_t * meminfo, long offset));
ARMCI_ALIAS(void, Memdt, (armci_meminfo_t * meminfo, long offset));
ARMCI_ALIAS(void, Memctl, (armci_meminfo_t * meminfo));
ARMCI_ALIAS(void, Set_shm_limit, (unsigned long shmemlimit));
ARMCI_ALIAS(int, Uses_shm, (void));
