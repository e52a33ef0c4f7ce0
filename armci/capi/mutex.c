// Mutexes.

#include "aggregate.h"

#include <pthread.h>

int PARMCI_Create_mutexes(int count) { return goacp_armci_create_mutexes(CALLED(count), count); }

int PARMCI_Destroy_mutexes(void) { return goacp_armci_destroy_mutexes(CALLED0); }

void PARMCI_Lock(int mutex, int proc) {
  goacp_armci_lock(CALLED_OR_END(mutex, proc), mutex, proc, (uint64_t)pthread_self());
}

void PARMCI_Unlock(int mutex, int proc) {
  goacp_armci_unlock(goacp_armci_covering(CALLED_OR_END(mutex, proc)), mutex, proc, (uint64_t)pthread_self());
}

ARMCI_ALIAS(int, Create_mutexes, (int count));
ARMCI_ALIAS(int, Destroy_mutexes, (void));
ARMCI_ALIAS(void, Lock, (int mutex, int proc));
ARMCI_ALIAS(void, Unlock, (int mutex, int proc));
