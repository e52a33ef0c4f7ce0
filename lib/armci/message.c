// The message layer.

#include "aggregate.h"
#include "area.h"

#include <time.h>

#ifdef ARMCI_MPI

// Whether MPI can be used: it has been initialised and not finalised.
static int mpi_is_there(void) {
  int begun = 0, ended = 0;
  return MPI_Initialized(&begun) == MPI_SUCCESS && begun &&
         MPI_Finalized(&ended) == MPI_SUCCESS && !ended;
}

void armci_msg_init(int *argc, char ***argv) {
  int begun = 0, level;
  MPI_Initialized(&begun);
  if (!begun)
    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level);
}

static void end_mpi(void) {
  if (mpi_is_there())
    MPI_Finalize();
}

int armci_msg_me(void) {
  int me = goacp_armci_me();
  if (me < 0 && mpi_is_there())
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
  return me;
}

int armci_msg_nproc(void) {
  int procs = goacp_armci_nproc();
  if (procs < 0 && mpi_is_there())
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
  return procs;
}

#else

void armci_msg_init(int *argc, char ***argv) {
  if (!goacp_armci_started())
    acp_init(argv == NULL ? NULL : argc, argc == NULL ? NULL : argv);
}

static void end_mpi(void) {}

int armci_msg_me(void) { return goacp_armci_me(); }

int armci_msg_nproc(void) { return goacp_armci_nproc(); }

#endif

void armci_msg_finalize(void) {
  goacp_armci_finalize(goacp_armci_covering(CALLED0_OR_END), 1);
  goacp_armci_unset_all();
  if (goacp_armci_started())
    acp_finalize();
  end_mpi();
}

void armci_msg_abort(int code) { goacp_armci_error("armci_msg_abort", code); }

double armci_timer(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void armci_msg_snd(int tag, void *buffer, int len, int to) {
  goacp_armci_send(CALLED_OR_END(tag, buffer, len, to), tag, buffer, len, to);
}

void armci_msg_rcv(int tag, void *buffer, int buflen, int *msglen, int from) {
  goacp_armci_receive(CALLED_OR_END(tag, buffer, buflen, msglen, from), tag, buffer, buflen, msglen,
                      from < 0 ? GOACP_ARMCI_NO_PROC : from);
}

int armci_msg_rcvany(int tag, void *buffer, int buflen, int *msglen) {
  return goacp_armci_receive(CALLED(tag, buffer, buflen, msglen), tag, buffer, buflen, msglen,
                             GOACP_ARMCI_ALL_PROCS);
}

static void barrier(call_t call, uint64_t group) {
  struct goacp_armci_area *b = goacp_armci_area(group);
  if (b != NULL)
    goacp_armci_meet(call, b);
  else
    goacp_armci_group_barrier(call, group);
}

void parmci_msg_barrier(void) { barrier(CALLED0_OR_END, GOACP_ARMCI_WORLD_GROUP); }

void parmci_msg_group_barrier(ARMCI_Group *group) { barrier(CALLED_OR_END(group), number_of(group)); }

void armci_msg_bintree(int scope, int *root, int *up, int *left, int *right) {
  int tree[4];
  goacp_armci_tree(CALLED_OR_END(scope), scope, tree);
  *root = tree[0];
  *up = tree[1];
  *left = tree[2];
  *right = tree[3];
}

void armci_msg_bcast(void *buffer, int len, int root) {
  goacp_armci_broadcast(CALLED_OR_END(buffer, len, root), SCOPE_ALL, buffer, len, root, GOACP_ARMCI_WORLD_GROUP);
}

void armci_msg_brdcst(void *buffer, int len, int root) {
  goacp_armci_broadcast(CALLED_OR_END(buffer, len, root), SCOPE_ALL, buffer, len, root, GOACP_ARMCI_WORLD_GROUP);
}

void armci_msg_bcast_scope(int scope, void *buffer, int len, int root) {
  goacp_armci_broadcast(CALLED_OR_END(scope, buffer, len, root), scope, buffer, len, root, GOACP_ARMCI_WORLD_GROUP);
}

void armci_msg_group_bcast_scope(int scope, void *buf, int len, int root, ARMCI_Group *group) {
  goacp_armci_broadcast(CALLED_OR_END(scope, buf, len, root, group), scope, buf, len, root,
                        number_of(group));
}

void armci_msg_clus_brdcst(void *buf, int len) {
  goacp_armci_broadcast(CALLED_OR_END(buf, len), SCOPE_NODE, buf, len, GOACP_ARMCI_FIRST_PROC, GOACP_ARMCI_WORLD_GROUP);
}

void armci_grp_clus_brdcst(void *buf, int len, int grp_master, int grp_clus_nproc,
                           ARMCI_Group *mastergroup) {
  goacp_armci_broadcast_run(CALLED_OR_END(buf, len, grp_master, grp_clus_nproc, mastergroup), buf, len,
                            grp_master, grp_clus_nproc, number_of(mastergroup));
}

static void reduce(call_t call, int scope, void *x, int n, const char *op, int type, uint64_t group) {
  struct goacp_armci_area *b = scope == SCOPE_ALL ? goacp_armci_area(group) : NULL;
  size_t size;
  const struct goacp_armci_combiner *f = goacp_armci_combiner(op, type, &size);
  if (b != NULL && f != NULL && x != NULL && n >= 0)
    goacp_armci_combine(call, b, x, (size_t)n, size, f);
  else
    goacp_armci_reduce(call, scope, x, n, op, type, group);
}

// GLOBAL_OPERATION defines the functions that combine elements of a C type, whose number is type.
#define GLOBAL_OPERATION(letter, ctype, type)                                                      \
  void armci_msg_##letter##gop(ctype *x, int n, char *op) {                                        \
    reduce(CALLED_OR_END(x, n, op), SCOPE_ALL, x, n, op, type, GOACP_ARMCI_WORLD_GROUP);           \
  }                                                                                                \
  void armci_msg_group_##letter##gop(ctype *x, int n, char *op, ARMCI_Group *group) {              \
    reduce(CALLED_OR_END(x, n, op, group), SCOPE_ALL, x, n, op, type, number_of(group));           \
  }                                                                                                \
  void armci_msg_clus_##letter##gop(ctype *x, int n, char *op) {                                   \
    reduce(CALLED_OR_END(x, n, op), SCOPE_NODE, x, n, op, type, GOACP_ARMCI_WORLD_GROUP);          \
  }

GLOBAL_OPERATION(i, int, ARMCI_INT)
GLOBAL_OPERATION(l, long, ARMCI_LONG)
GLOBAL_OPERATION(ll, long long, ARMCI_LONG_LONG)
GLOBAL_OPERATION(f, float, ARMCI_FLOAT)
GLOBAL_OPERATION(d, double, ARMCI_DOUBLE)

void armci_msg_gop_scope(int scope, void *x, int n, char *op, int type) {
  reduce(CALLED_OR_END(scope, x, n, op, type), scope, x, n, op, type, GOACP_ARMCI_WORLD_GROUP);
}

void armci_msg_group_gop_scope(int scope, void *x, int n, char *op, int type, ARMCI_Group *group) {
  reduce(CALLED_OR_END(scope, x, n, op, type, group), scope, x, n, op, type, number_of(group));
}

void armci_msg_reduce(void *x, int n, char *op, int type) {
  reduce(CALLED_OR_END(x, n, op, type), SCOPE_ALL, x, n, op, type, GOACP_ARMCI_WORLD_GROUP);
}

void armci_msg_reduce_scope(int scope, void *x, int n, char *op, int type) {
  reduce(CALLED_OR_END(scope, x, n, op, type), scope, x, n, op, type, GOACP_ARMCI_WORLD_GROUP);
}

void armci_msg_sel(void *x, int n, char *op, int type, int contribute) {
  goacp_armci_select(CALLED_OR_END(x, n, op, type, contribute), SCOPE_ALL, x, n, op, type, contribute);
}

void armci_msg_sel_scope(int scope, void *x, int n, char *op, int type, int contribute) {
  goacp_armci_select(CALLED_OR_END(scope, x, n, op, type, contribute), scope, x, n, op, type, contribute);
}

void armci_exchange_address(void *ptr_ar[], int n) {
  goacp_armci_exchange_address(CALLED_OR_END(ptr_ar, n), ptr_ar, n, GOACP_ARMCI_WORLD_GROUP);
}

void armci_exchange_address_grp(void *ptr_arr[], int n, ARMCI_Group *group) {
  goacp_armci_exchange_address(CALLED_OR_END(ptr_arr, n, group), ptr_arr, n, number_of(group));
}

armci_alias(void, msg_barrier, (void));
armci_alias(void, msg_group_barrier, (ARMCI_Group * group));
