/* The message layer of ARMCI. armci.h includes this header, and message.h is another name of it. */

#ifndef ARMCI_MSG_H
#define ARMCI_MSG_H

#include "armci_group.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which processes take part: all of the world or group, those in the caller's domain, or the first of
 * each domain. */
enum armci_scope_e { SCOPE_ALL, SCOPE_NODE, SCOPE_MASTERS };

enum armci_type_e { ARMCI_INT, ARMCI_LONG, ARMCI_LONG_LONG, ARMCI_FLOAT, ARMCI_DOUBLE };

/* These begin and end the use of MPI, or of ACP in the library without MPI. Called twice they do
 * nothing. finalize ends the use of ARMCI and ACP, too. */
void armci_msg_init(int *argc, char ***argv);
void armci_msg_finalize(void);
/* The number of this process, and of processes. They work before ARMCI_Init, too. */
int armci_msg_me(void);
int armci_msg_nproc(void);
/* Ends the run. The status is code if that is 1 to 127. */
void armci_msg_abort(int code);
/* Seconds since some moment in the past. */
double armci_timer(void);

/* Messages of one pair and tag arrive in order. snd returns when buffer may be changed; with up to 64
 * KiB it does not wait for the receiver. A message that is longer than buflen is a mistake. msglen may
 * be NULL. rcvany returns the sender. */
void armci_msg_snd(int tag, void *buffer, int len, int to);
void armci_msg_rcv(int tag, void *buffer, int buflen, int *msglen, int from);
int armci_msg_rcvany(int tag, void *buffer, int buflen, int *msglen);

/* Collective functions. Without a group, the processes are those of the world. */
void armci_msg_barrier(void);
void parmci_msg_barrier(void);
void armci_msg_group_barrier(ARMCI_Group *group);
void parmci_msg_group_barrier(ARMCI_Group *group);

/* A binary tree over the processes of a scope; -1 where there is none. Local. */
void armci_msg_bintree(int scope, int *root, int *up, int *left, int *right);

/* Gives all processes what root has; root is a number in the world. */
void armci_msg_bcast(void *buffer, int len, int root);
void armci_msg_brdcst(void *buffer, int len, int root);
void armci_msg_bcast_scope(int scope, void *buffer, int len, int root);
void armci_msg_group_bcast_scope(int scope, void *buf, int len, int root, ARMCI_Group *group);

/* Combine n elements of all processes, one by one, and give the result to all: the same bits in every
 * run with as many processes. op begins with + * max min absmax absmin, for integers also with
 * or & band | bor (bits), && land || lor (truth). type is one of armci_type_e. */
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

/* Gives all processes the n bytes of the one whose number at x is the greatest or the least, as op is
 * max or min, among those with contribute; of equal ones the lowest wins. */
void armci_msg_sel(void *x, int n, char *op, int type, int contribute);
void armci_msg_sel_scope(int scope, void *x, int n, char *op, int type, int contribute);

/* Element i becomes that of process, or rank, i. n is the number of processes. */
void armci_exchange_address(void *ptr_ar[], int n);
void armci_exchange_address_grp(void *ptr_arr[], int n, ARMCI_Group *group);

/* The same over the processes of the caller's domain. The broadcast comes from the first of them. */
void armci_msg_clus_brdcst(void *buf, int len);
void armci_msg_clus_igop(int *x, int n, char *op);
void armci_msg_clus_lgop(long *x, int n, char *op);
void armci_msg_clus_llgop(long long *x, int n, char *op);
void armci_msg_clus_fgop(float *x, int n, char *op);
void armci_msg_clus_dgop(double *x, int n, char *op);
/* From rank grp_master of the group to the grp_clus_nproc ranks from there on. */
void armci_grp_clus_brdcst(void *buf, int len, int grp_master, int grp_clus_nproc,
                           ARMCI_Group *mastergroup);

#ifdef __cplusplus
}
#endif

#endif
