// All functions that the Go files call. The names begin with goacp_mpi_, so they
// differ from those of another binding in the same program. Handles and constants
// that MPI defines as macros stay in C, since cgo cannot read all of them. A function
// without a comment is the MPI function of that name, with these differences:
// communicators and windows that it makes return errors; errors that belong to no
// communicator or window are returned, too; numbers of bytes or elements are long and
// may exceed the limit of MPI.

#ifndef GOACP_MPI_SHIM_H
#define GOACP_MPI_SHIM_H

#include <mpi.h>
#include <stdint.h>

// --- shim_env.c

// The implementation that the headers belong to.
const char *goacp_mpi_vendor(void);
const char *goacp_mpi_version(void);

// Thread levels are numbered 0 to 3 on both sides.
int goacp_mpi_init_thread(int level, int *provided);
int goacp_mpi_query_thread(int *provided);

// True while MPI was initialized by goacp_mpi_init_thread and the program has
// not taken it over with MPI_Init.
int goacp_mpi_owned(void);

// Adds to the number of abandoned calls and returns it.
int goacp_mpi_abandoned(int more);

// --- shim_finalizing.c

// True from MPI_Init to MPI_Finalize.
int goacp_mpi_running(void);

// Makes MPI call goacp_mpi_finalizing with the handle when MPI_Finalize begins, and when
// that is undone with the same keyval.
int goacp_mpi_before_finalize(uintptr_t handle, int *keyval);
int goacp_mpi_not_before_finalize(int *keyval);

// --- shim_exit.c

// Says that the process is a program in Go, which ends without exit of C.
void goacp_mpi_ends_in_go(void);

// --- shim_errors.c

// Makes MPI_COMM_WORLD and MPI_COMM_SELF return errors.
int goacp_mpi_return_errors(void);

// Undoes goacp_mpi_return_errors.
void goacp_mpi_errors_are_fatal(void);

// The number of a code's class as in errors.go, and its text, at most
// MPI_MAX_ERROR_STRING characters and a zero.
void goacp_mpi_error(int code, int *error_class, char *text);

// MPI's number of a class of errors.go, and the name; 0 and NULL if there is none.
int goacp_mpi_class(int number, const char **name);

// Between the two, errors of calls on no object are returned.
void goacp_mpi_quiet_begin(void);
void goacp_mpi_quiet_end(void);

// --- shim_ucx.c

// Keeps UCX, if it is not loaded yet, from replacing signal handlers, unless the
// environment says otherwise.
void goacp_mpi_keep_signals(void);

// MPI_Win_free for a process in which no other thread uses windows meanwhile.
int goacp_mpi_win_free_alone(MPI_Win *win);

// --- shim_comm.c

MPI_Comm goacp_mpi_world(void);
MPI_Comm goacp_mpi_self(void);
int goacp_mpi_comm_is_null(MPI_Comm comm);
int goacp_mpi_comm_dup(MPI_Comm comm, MPI_Comm *made);
int goacp_mpi_comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made);
int goacp_mpi_comm_split_shared(MPI_Comm comm, int key, MPI_Info info,
                                MPI_Comm *made);
int goacp_mpi_intercomm_create(MPI_Comm comm, int leader, MPI_Comm peer,
                               int remote_leader, int tag, MPI_Comm *made);
int goacp_mpi_intercomm_merge(MPI_Comm inter, int high, MPI_Comm *made);
int goacp_mpi_comm_accept(const char *port, MPI_Info info, int root,
                          MPI_Comm comm, MPI_Comm *made);
int goacp_mpi_comm_connect(const char *port, MPI_Info info, int root,
                           MPI_Comm comm, MPI_Comm *made);
int goacp_mpi_comm_join(int socket, MPI_Comm *made);
int goacp_mpi_comm_disconnect(MPI_Comm *comm);
int goacp_mpi_comm_parent(MPI_Comm *parent);

// The arrays are NULL except at the root.
int goacp_mpi_comm_spawn(char **paths, char ***args, const int *procs,
                         const MPI_Info *infos, int root, MPI_Comm comm,
                         MPI_Comm *made, int *codes);
int goacp_mpi_comm_spawn_multiple(int n, char **paths, char ***args,
                                  const int *procs, const MPI_Info *infos,
                                  int root, MPI_Comm comm, MPI_Comm *made,
                                  int *codes);

int goacp_mpi_allgather(const void *send, long count, void *recv,
                        MPI_Comm comm);
int goacp_mpi_allgatherv(const void *send, int count, void *recv,
                         const int *counts, const int *displs, MPI_Comm comm);

// MPI_UNDEFINED is -1 here.
int goacp_mpi_group_rank(MPI_Group group, int *rank);
int goacp_mpi_translate(MPI_Group from, int n, const int *ranks, MPI_Group to,
                        int *there);

// Any source and any tag are -1 here.
int goacp_mpi_send(const void *buf, long n, int dest, int tag, MPI_Comm comm);
int goacp_mpi_irecv(void *buf, long n, int source, int tag, MPI_Comm comm,
                    MPI_Request *request);

// --- shim_info.c

MPI_Info goacp_mpi_info_null(void);
int goacp_mpi_info_create(MPI_Info *info);
int goacp_mpi_info_set(MPI_Info info, const char *key, const char *value);
int goacp_mpi_info_get(MPI_Info info, const char *key, char *value, int *found);
int goacp_mpi_info_delete(MPI_Info info, const char *key);
int goacp_mpi_info_count(MPI_Info info, int *n);
int goacp_mpi_info_key(MPI_Info info, int n, char *key);
int goacp_mpi_info_free(MPI_Info *info);

// --- shim_ports.c

int goacp_mpi_open_port(MPI_Info info, char *port);
int goacp_mpi_close_port(const char *port);
int goacp_mpi_publish(const char *service, MPI_Info info, const char *port);
int goacp_mpi_unpublish(const char *service, MPI_Info info, const char *port);
int goacp_mpi_lookup(const char *service, MPI_Info info, char *port);

// --- shim_win.c

int goacp_mpi_alloc_mem(MPI_Aint size, MPI_Info info, void **base);
int goacp_mpi_free_mem(void *base);
int goacp_mpi_address(const void *p, MPI_Aint *at);
int goacp_mpi_win_create(void *base, MPI_Aint size, int unit, MPI_Info info,
                         MPI_Comm comm, MPI_Win *win);
int goacp_mpi_win_allocate(MPI_Aint size, int unit, MPI_Info info,
                           MPI_Comm comm, void **base, MPI_Win *win);
int goacp_mpi_win_allocate_shared(MPI_Aint size, int unit, MPI_Info info,
                                  MPI_Comm comm, void **base, MPI_Win *win);
int goacp_mpi_win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win);
int goacp_mpi_win_shared(MPI_Win win, int rank, MPI_Aint *size, int *unit,
                         void **base);
int goacp_mpi_win_attach(MPI_Win win, void *base, MPI_Aint size);
int goacp_mpi_win_detach(MPI_Win win, const void *base);

MPI_Fint goacp_mpi_win_number(MPI_Win win);

// Whether the memory model of win is MPI_WIN_UNIFIED.
int goacp_mpi_win_unified(MPI_Win win, int *unified);

// kind: 0 shared, 1 exclusive; nocheck: 0 or 1.
int goacp_mpi_win_lock(int kind, int target, int nocheck, MPI_Win win);
int goacp_mpi_win_lock_all(int nocheck, MPI_Win win);

// --- shim_rma.c; types and operations are numbered as in datatype.go

int goacp_mpi_put(const void *src, long n, int target, MPI_Aint disp,
                  MPI_Win win);
int goacp_mpi_get(void *dst, long n, int target, MPI_Aint disp, MPI_Win win);
int goacp_mpi_put_flush(const void *src, long n, int target, MPI_Aint disp,
                        MPI_Win win);
int goacp_mpi_get_flush(void *dst, long n, int target, MPI_Aint disp,
                        MPI_Win win);
int goacp_mpi_rput(const void *src, long n, int target, MPI_Aint disp,
                   MPI_Win win, MPI_Request *request);
int goacp_mpi_rget(void *dst, long n, int target, MPI_Aint disp, MPI_Win win,
                   MPI_Request *request);
int goacp_mpi_accumulate(const void *src, long n, int type, int op, int target,
                         MPI_Aint disp, MPI_Win win);
int goacp_mpi_get_accumulate(const void *src, void *old, long n, int type,
                             int op, int target, MPI_Aint disp, MPI_Win win);
int goacp_mpi_fetch_and_op(const void *src, void *old, int type, int op,
                           int target, MPI_Aint disp, MPI_Win win);
int goacp_mpi_compare_and_swap(const void *swap, const void *compare, void *old,
                               int type, int target, MPI_Aint disp,
                               MPI_Win win);

// The same and MPI_Win_flush, with elements in the low bits of integers.
int goacp_mpi_fetch_and_op_flush(uint64_t operand, uint64_t *old, int type,
                                 int op, int target, MPI_Aint disp,
                                 MPI_Win win);
int goacp_mpi_compare_and_swap_flush(uint64_t swap, uint64_t compare,
                                     uint64_t *old, int type, int target,
                                     MPI_Aint disp, MPI_Win win);

// A datatype of n elements of type. n may exceed an int.
int goacp_mpi_many(long n, MPI_Datatype type, MPI_Datatype *many);

// --- shim_request.c

// was_cancelled is set only if cancelling is true.
int goacp_mpi_wait(MPI_Request *request, int cancelling, int *was_cancelled);
int goacp_mpi_test(MPI_Request *request, int cancelling, int *ended,
                   int *was_cancelled);

MPI_Fint goacp_mpi_request_number(MPI_Request request);

// They return the code of the first request that failed.
int goacp_mpi_waitall(int n, MPI_Request *requests);
int goacp_mpi_testall(int n, MPI_Request *requests, int *ended);

enum {
  goacp_mpi_max_error = MPI_MAX_ERROR_STRING,
  goacp_mpi_max_version = MPI_MAX_LIBRARY_VERSION_STRING
};

#endif
