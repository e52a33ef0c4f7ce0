/* Groups of the processes of ARMCI. armci.h includes this header. */

#ifndef ARMCI_GROUP_H
#define ARMCI_GROUP_H

#include <stddef.h>

#include <armci_mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef ARMCI_MPI
typedef MPI_Comm armci_comm_t_;
#else
typedef void *armci_comm_t_;
#endif

/* A group is a value: copies denote the same group, and ARMCI_Group_free ends them all. */
typedef struct {
  armci_comm_t_ comm;                /* communicator of the members; without MPI NULL */
  armci_comm_t_ noncoll_pgroup_comm; /* none */
  int *grp_to_abs, *abs_to_grp;      /* private */
  int rank;                          /* of the caller, -1 if it is no member */
  int size;                          /* number of members, 0 if the caller is none */
} ARMCI_Group;

/* Makes the group of the processes with the ranks pid_list in group_parent, or in the default
 * group, in this order. Collective over the processes in the list. Other processes may call it too,
 * and get a group of which they are no member. */
void ARMCI_Group_create(int n, int *pid_list, ARMCI_Group *group_out);
void PARMCI_Group_create(int n, int *pid_list, ARMCI_Group *group_out);
void ARMCI_Group_create_child(int n, int *pid_list, ARMCI_Group *group_out,
                              ARMCI_Group *group_parent);
void PARMCI_Group_create_child(int n, int *pid_list, ARMCI_Group *group_out,
                               ARMCI_Group *group_parent);
/* Frees the handle. Memory of the group stays. The world cannot be freed. Local; with MPI all members
 * call it. */
void ARMCI_Group_free(ARMCI_Group *group);
void PARMCI_Group_free(ARMCI_Group *group);
/* Stores the rank of the caller; the result is 1 if it is no member. This function and all
 * following are local. */
int ARMCI_Group_rank(ARMCI_Group *group, int *rank);
int PARMCI_Group_rank(ARMCI_Group *group, int *rank);
void ARMCI_Group_size(ARMCI_Group *group, int *size);
void PARMCI_Group_size(ARMCI_Group *group, int *size);
/* The default group is the parent of groups that ARMCI_Group_create makes. Other functions do not
 * use it. */
void ARMCI_Group_set_default(ARMCI_Group *group);
void PARMCI_Group_set_default(ARMCI_Group *group);
void ARMCI_Group_get_default(ARMCI_Group *group_out);
void PARMCI_Group_get_default(ARMCI_Group *group_out);
void ARMCI_Group_get_world(ARMCI_Group *group_out);
void PARMCI_Group_get_world(ARMCI_Group *group_out);
/* Returns the number in the world of a rank of the group, -1 if there is no such rank. */
int ARMCI_Absolute_id(ARMCI_Group *group, int group_rank);
int PARMCI_Absolute_id(ARMCI_Group *group, int group_rank);

#ifdef ARMCI_MPI
/* The communicator of the members of a group, and the communicator of the world. Programs must not
 * free them. The communicator of the world exists until MPI_Finalize. */
extern MPI_Comm ARMCI_COMM_WORLD;
MPI_Comm armci_group_comm(ARMCI_Group *group);
void ARMCIX_Get_world_comm(MPI_Comm *comm);
#endif

#ifdef __cplusplus
}
#endif

#endif
