// Declarations for all files of libarmci: the Go functions in libacp and libmacp that they call,
// and the macros by which they call them.

#ifndef ARMCI_INTERNAL_H
#define ARMCI_INTERNAL_H

#include "armci.h"
#include "armci_bind.h"

// ARMCI_ALIAS(int, Put, (void *src, …)) makes ARMCI_Put a weak alias of PARMCI_Put, so that a program
// may define the one and call the other. The library calls PARMCI_ names only.
#define ARMCI_ALIAS(result, name, parameters)                                  \
  result ARMCI_##name parameters __attribute__((weak, alias("PARMCI_" #name)))

#define armci_alias(result, name, parameters)                                  \
  result armci_##name parameters __attribute__((weak, alias("parmci_" #name)))

// A function or variable that only other files of the library use.
#define HIDDEN __attribute__((visibility("hidden")))

// The name that the program has called, for the enclosing function PARMCI_ or parmci_.
#define NAME_ (__func__ + (__func__[0] == 'P' || __func__[0] == 'p'))

// CALLED(a, b) is the first argument for Go: the function, and its arguments a and b, for the line
// about a call that fails. CALLED0 is for a function without parameters. Both end a forked child.
// The other two are for functions that cannot return an error: an error ends the run, for any value
// of ARMCI_ERRORS.
#define CALLED(...) CALLED_(0, GOACP_ARGUMENTS_(__VA_ARGS__), {0})
#define CALLED0 CALLED_(0, {0})
#define CALLED_OR_END(...) CALLED_(1, GOACP_ARGUMENTS_(__VA_ARGS__), {0})
#define CALLED0_OR_END CALLED_(1, {0})
#define CALLED_(end, ...)                                                      \
  (goacp_armci_enter(NAME_, GOACP_SITE_),                                       \
   &(const struct goacp_call){                                                 \
       .function = NAME_,                                                      \
       .arguments = (const struct goacp_argument[]){__VA_ARGS__},              \
       .ends = (end)})

typedef const struct goacp_call *call_t;

// The numbers of errors that C finds.
enum {
  ARMCI_ERROR_ADDRESS = -1,
  ARMCI_ERROR_ARRAY = -2,
  ARMCI_ERROR_COUNT = -3,
  ARMCI_ERROR_LEVELS = -4, // of levels, segments or elements; also a wrong operation
  ARMCI_ERROR_FAILED = -6,
};

void goacp_armci_load(void);
int goacp_armci_started(void);
int goacp_armci_begin(call_t call, int owns, int may_repeat);
int goacp_armci_finalize(call_t call, int all);
// Fails with one of the numbers, because of a value.
int goacp_armci_wrong(call_t call, int error, long value);
void goacp_armci_error(const char *msg, int code) __attribute__((noreturn));

int goacp_armci_strided(call_t call, const struct goacp_armci_action *action,
                        const struct goacp_armci_strided *transfer);
int goacp_armci_vector(call_t call, const struct goacp_armci_action *action,
                       const struct goacp_armci_giov *descriptors, int n, int proc);
// A vector transfer of n segments that have bytes. It may change them.
int goacp_armci_segments(call_t call, const struct goacp_armci_action *action,
                         struct goacp_armci_segment *segments, int n, int proc);
int goacp_armci_wait(call_t call, armci_hdl_t *handle);
int goacp_armci_test(call_t call, armci_hdl_t *handle);
void goacp_armci_forget(armci_hdl_t *handle);
int goacp_armci_wait_proc(call_t call, int proc);
int goacp_armci_fence(call_t call, int proc);
int goacp_armci_barrier(call_t call);
int goacp_armci_modify(call_t call, int swap, int width, uint64_t operand, void *remote,
                       int proc, uint64_t *old);
int goacp_armci_put_flag(call_t call, const struct goacp_armci_action *action,
                         const struct goacp_armci_strided *transfer, void *flag, int value);
int goacp_armci_notify(call_t call, int proc);
int goacp_armci_notify_wait(call_t call, int proc, int *awaited);

int goacp_armci_malloc(call_t call, void **to, long bytes);
int goacp_armci_free(call_t call, void *at);
int goacp_armci_memget(call_t call, size_t bytes, void **to);
int goacp_armci_memfree(call_t call, void *at);
void goacp_armci_limit(unsigned long bytes);

int goacp_armci_create_mutexes(call_t call, int count);
int goacp_armci_destroy_mutexes(call_t call);
int goacp_armci_lock(call_t call, int mutex, int proc, uint64_t thread);
int goacp_armci_unlock(call_t call, int mutex, int proc, uint64_t thread);

// The part of Lock or Unlock of a mapped mutex that C cannot do: unmapped nodes, and parking.
int goacp_armci_follow(call_t call, void *node, uint64_t before);
int goacp_armci_await_granted(call_t call, void *node);
int goacp_armci_pass_on(call_t call, void *node);
void goacp_armci_keep_node(void *node);

// Sets of mutexes have numbers instead of handles.
int goacp_armci_create_mutex_set(call_t call, int count, uint64_t group, uint64_t *made);
int goacp_armci_destroy_mutex_set(call_t call, uint64_t set);
int goacp_armci_lock_of_set(call_t call, uint64_t set, int mutex, int proc, uint64_t thread);
int goacp_armci_trylock_of_set(call_t call, uint64_t set, int mutex, int proc, uint64_t thread);
int goacp_armci_unlock_of_set(call_t call, uint64_t set, int mutex, int proc, uint64_t thread);

int goacp_armci_mode_set(call_t call, int mode, const void *at, uint64_t group);
int goacp_armci_mode_get(const void *at);

int goacp_armci_self(void);
int goacp_armci_domains(call_t call);
int goacp_armci_domain(call_t call, int proc);
int goacp_armci_domain_size(call_t call, int domain);
int goacp_armci_domain_proc(call_t call, int domain, int index);
acp_ga_t goacp_armci_acp_ga(call_t call, void *addr, int proc);
int goacp_armci_acp_rank(call_t call, int proc);

int goacp_armci_me(void);
int goacp_armci_nproc(void);
int goacp_armci_send(call_t call, int tag, const void *buffer, int len, int to);
int goacp_armci_receive(call_t call, int tag, void *buffer, int capacity, int *len, int from);

// Groups have numbers instead of handles. One is GOACP_ARMCI_WORLD_GROUP, and no group is
// GOACP_ARMCI_NO_GROUP. Scopes are values of enum armci_scope_e.
static inline uint64_t number_of(const ARMCI_Group *group) {
  return group == NULL ? GOACP_ARMCI_NO_GROUP : (uint64_t)(uintptr_t)group->abs_to_grp;
}

int goacp_armci_group_create(call_t call, int n, const int *ranks, uint64_t parent,
                             struct goacp_armci_group *made);
int goacp_armci_group_split(call_t call, uint64_t parent, int color, int key,
                            struct goacp_armci_group *made);
void goacp_armci_group_free(uint64_t group);
void goacp_armci_group_set_comm(uint64_t group, uint64_t comm);
void goacp_armci_group_set_default(call_t call, uint64_t group);
void goacp_armci_group_get_default(call_t call, struct goacp_armci_group *found);
void goacp_armci_group_find(uint64_t group, struct goacp_armci_group *found);
int goacp_armci_group_absolute(uint64_t group, int rank);
int goacp_armci_group_barrier(call_t call, uint64_t group);
int goacp_armci_group_malloc(call_t call, void **to, long bytes, uint64_t group);
int goacp_armci_group_free_memory(call_t call, void *at, uint64_t group);
int goacp_armci_group_fence(call_t call, uint64_t group);
int goacp_armci_group_shares(uint64_t group);

// Go functions for the collective area of a group: a thread parks until a slot has a number, and
// the error of processes that disagree.
int goacp_armci_await(call_t call, uint64_t group, void *slot, uint32_t number);
int goacp_armci_unequal(call_t call);

int goacp_armci_tree(call_t call, int scope, int *tree);
int goacp_armci_broadcast(call_t call, int scope, void *buffer, int len, int root, uint64_t group);
int goacp_armci_broadcast_run(call_t call, void *buffer, int len, int first, int count,
                              uint64_t group);
int goacp_armci_reduce(call_t call, int scope, void *x, int n, const char *op, int type,
                       uint64_t group);
int goacp_armci_select(call_t call, int scope, void *x, int n, const char *op, int type,
                       int contribute);
int goacp_armci_exchange_address(call_t call, void **addresses, int n, uint64_t group);

#ifdef ARMCI_MPI
int goacp_armci_begin_comm(call_t call, const MPI_Comm *comm);

// Gives the world a communicator if it has none and its processes are those of a communicator of
// MPI; groups then get communicators, too. Collective over the world.
void goacp_armci_begin_comms(MPI_Comm of);
#endif

#endif
