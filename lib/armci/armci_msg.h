/* The message layer of ARMCI. armci.h includes this header, and message.h is another name for
 * it. */

#ifndef ARMCI_MSG_H
#define ARMCI_MSG_H

#include "armci_group.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The processes that take part: all of the world or group, all in the caller's domain, or the first
 * of each domain. */
enum armci_scope_e { SCOPE_ALL, SCOPE_NODE, SCOPE_MASTERS };

enum armci_type_e { ARMCI_INT, ARMCI_LONG, ARMCI_LONG_LONG, ARMCI_FLOAT, ARMCI_DOUBLE };

/* These functions initialise and finalise MPI, or ACP in the library without MPI. A second call
 * does nothing. finalize also finalises ARMCI and ACP. */
void armci_msg_init(int *argc, char ***argv);
void armci_msg_finalize(void);
/* Return the number of this process, and the number of processes. They may be called before
 * ARMCI_Init. */
int armci_msg_me(void);
int armci_msg_nproc(void);
/* Ends the run. If code is 1 to 127, it is the exit status. */
void armci_msg_abort(int code);
/* Seconds since some moment in the past. */
double armci_timer(void);

/* Messages between two processes with the same tag arrive in order. snd returns when the program
 * may change buffer; up to 64 KiB it does not wait for the receiver. A message longer than buflen
 * ends the run. msglen may be NULL. rcvany returns the sender. */
void armci_msg_snd(int tag, void *buffer, int len, int to);
void armci_msg_rcv(int tag, void *buffer, int buflen, int *msglen, int from);
int armci_msg_rcvany(int tag, void *buffer, int buflen, int *msglen);

/* Collective functions. Without a group, the processes are those of the world. */
void armci_msg_barrier(void);
void parmci_msg_barrier(void);
void armci_msg_group_barrier(ARMCI_Group *group);
void parmci_msg_group_barrier(ARMCI_Group *group);

/* Stores the neighbours of the caller in a binary tree over the processes of a scope; -1 for a
 * missing neighbour. Local. */
void armci_msg_bintree(int scope, int *root, int *up, int *left, int *right);

/* Copies the buffer of root to all processes; root is a number in the world. */
void armci_msg_bcast(void *buffer, int len, int root);
void armci_msg_brdcst(void *buffer, int len, int root);
void armci_msg_bcast_scope(int scope, void *buffer, int len, int root);
void armci_msg_group_bcast_scope(int scope, void *buf, int len, int root, ARMCI_Group *group);

/* Combine n elements of all processes, element by element, and store the result on all processes.
 * The result has the same bits in every run with the same number of processes. op begins with + *
 * max min absmax absmin, for integers also with or & band | bor (bits), && land || lor (truth).
 * type is one of armci_type_e. */
void armci_msg_igop(int *x, int n, char *op);
void armci_msg_lgop(long *x, int n, char *op);
void armci_msg_llgop(long long *x, int n, char *op);
void armci_msg_fgop(float *x, int n, char *op);
void armci_msg_dgop(double *x, int n, char *op);
void armci_msg_gop_scope(int scope, void *x, int n, char *op, int type);
void armci_msg_group_igop(int *x, int n, char *op, ARMCI_Group *group);
void armci_msg_group_lgop(long *x, int n, char *op, ARMCI_Group *group);
void armci_msg_group_llgop(long long *x, int n, char *op, ARMCI_Group *group);
void armci_msg_group_fgop(float *x, int n, char *op, ARMCI_Group *group);
void armci_msg_group_dgop(double *x, int n, char *op, ARMCI_Group *group);
void armci_msg_group_gop_scope(int scope, void *x, int n, char *op, int type, ARMCI_Group *group);
void armci_msg_reduce(void *x, int n, char *op, int type);
void armci_msg_reduce_scope(int scope, void *x, int n, char *op, int type);

/* Compares the numbers at x of all processes with contribute != 0. Copies n bytes at x from the
 * process with the greatest (op is max) or least (op is min) number to all processes. If several
 * are equal, the process with the lowest rank is the source. */
void armci_msg_sel(void *x, int n, char *op, int type, int contribute);
void armci_msg_sel_scope(int scope, void *x, int n, char *op, int type, int contribute);

/* Sets element i to element i of process i, or of rank i of the group. n is the number of
 * processes. */
void armci_exchange_address(void *ptr_ar[], int n);
void armci_exchange_address_grp(void *ptr_arr[], int n, ARMCI_Group *group);

/* Collective functions over the processes of the caller's domain. The first process of the domain
 * is the root of the broadcast. */
void armci_msg_clus_brdcst(void *buf, int len);
void armci_msg_clus_igop(int *x, int n, char *op);
void armci_msg_clus_lgop(long *x, int n, char *op);
void armci_msg_clus_llgop(long long *x, int n, char *op);
void armci_msg_clus_fgop(float *x, int n, char *op);
void armci_msg_clus_dgop(double *x, int n, char *op);
/* Broadcast from rank grp_master of the group to the grp_clus_nproc ranks that start with it. */
void armci_grp_clus_brdcst(void *buf, int len, int grp_master, int grp_clus_nproc,
                           ARMCI_Group *mastergroup);

#ifdef __cplusplus
}
#endif

#endif
