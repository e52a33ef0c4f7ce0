// Sets of mutexes with handles.

#include "aggregate.h"
#include "armcix.h"

#include <pthread.h>

// A handle is the number that Go has for the set.
static uint64_t number(armcix_mutex_hdl_t hdl) { return (uintptr_t)hdl; }

armcix_mutex_hdl_t ARMCIX_Create_mutexes_hdl(int count, ARMCI_Group *group) {
  uint64_t made = 0;
  goacp_armci_create_mutex_set(CALLED(count, group), count, number_of(group), &made);
  return (armcix_mutex_hdl_t)(uintptr_t)made;
}

int ARMCIX_Destroy_mutexes_hdl(armcix_mutex_hdl_t hdl) {
  return goacp_armci_destroy_mutex_set(CALLED(hdl), number(hdl));
}

void ARMCIX_Lock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc) {
  goacp_armci_lock_of_set(CALLED_OR_END(hdl, mutex, proc), number(hdl), mutex, proc,
                          (uint64_t)pthread_self());
}

int ARMCIX_Trylock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc) {
  return goacp_armci_trylock_of_set(CALLED(hdl, mutex, proc), number(hdl), mutex, proc,
                                    (uint64_t)pthread_self());
}

void ARMCIX_Unlock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc) {
  call_t call = goacp_armci_covering(CALLED_OR_END(hdl, mutex, proc));
  goacp_armci_unlock_of_set(call, number(hdl), mutex, proc, (uint64_t)pthread_self());
}
