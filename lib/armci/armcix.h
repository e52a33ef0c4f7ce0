/* Extensions of ARMCI. */

#ifndef ARMCIX_H
#define ARMCIX_H

#include "armci.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ACP_GA_NULL
typedef uint64_t acp_ga_t;
#define ACP_GA_NULL 0LLU
#endif

/* Sets of mutexes, as by ARMCI_Create_mutexes. There may be any number of sets, each over a group.
 * proc is a number in the world. Trylock returns 1 if another process or thread holds the mutex. */
typedef struct armcix_mutex_hdl_s *armcix_mutex_hdl_t;
armcix_mutex_hdl_t ARMCIX_Create_mutexes_hdl(int count, ARMCI_Group *group);
int ARMCIX_Destroy_mutexes_hdl(armcix_mutex_hdl_t hdl);
void ARMCIX_Lock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);
int ARMCIX_Trylock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);
void ARMCIX_Unlock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);

/* The promise of a program about accesses to shared memory of all members of a group. The library
 * stores it, and it has no effect. Mode_get returns -1 if ptr is not shared memory of the
 * caller. */
enum armcix_access_mode_e {
  ARMCIX_MODE_ALL = 1,
  ARMCIX_MODE_CONFLICT_FREE = 2,
  ARMCIX_MODE_NO_LOAD_STORE = 4
};
int ARMCIX_Mode_set(int mode, void *ptr, ARMCI_Group *group);
int ARMCIX_Mode_get(void *ptr);

/* May execute operations that are due. Programs do not have to call it for progress. */
void ARMCIX_Progress(void);

/* split makes groups of the members of parent with the same color, in order of key and rank; a
 * process with a negative color gets no group. dup makes another group of the same members.
 * Collective over parent. */
int ARMCIX_Group_split(ARMCI_Group *parent, int color, int key, ARMCI_Group *new_group);
int ARMCIX_Group_dup(ARMCI_Group *parent, ARMCI_Group *new_group);

/* Return the global address of a byte of shared memory, or ACP_GA_NULL, and the ACP rank of a
 * process, or -1. With them a program of the same run without ARMCI can access global arrays. */
acp_ga_t ARMCIX_Acp_ga(void *addr, int proc);
int ARMCIX_Acp_rank(int proc);

#ifdef __cplusplus
}
#endif

#endif
