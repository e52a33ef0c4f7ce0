// Groups, and the memory and fences of groups.

#include "aggregate.h"
#include "armcix.h"

#ifdef ARMCI_MPI

#include <stdlib.h>
#include <string.h>

MPI_Comm ARMCI_COMM_WORLD = MPI_COMM_NULL; // of the library, until MPI_Finalize

_Static_assert(sizeof(MPI_Comm) <= sizeof(uint64_t), "a communicator is kept in eight bytes");

static void set_comm(uint64_t group, MPI_Comm comm) {
  uint64_t bytes = 0;
  memcpy(&bytes, &comm, sizeof comm);
  goacp_armci_group_set_comm(group, bytes);
}

static MPI_Comm comm_of(const struct goacp_armci_group *group) {
  MPI_Comm comm = MPI_COMM_NULL;
  if (group->has_comm)
    memcpy(&comm, &group->comm, sizeof comm);
  return comm;
}

// The world has as many processes as the communicator, or it consists of several jobs, which MPI does not join.
// Processes of one job may have other numbers in the world.
void goacp_armci_begin_comms(MPI_Comm of) {
  struct goacp_armci_group all;
  int size = 0;
  goacp_armci_group_find(GOACP_ARMCI_WORLD_GROUP, &all);
  if (all.has_comm)
    return;
  ARMCI_COMM_WORLD = MPI_COMM_NULL;
  if (MPI_Comm_size(of, &size) == MPI_SUCCESS && size == all.size &&
      MPI_Comm_split(of, 0, all.rank, &ARMCI_COMM_WORLD) == MPI_SUCCESS)
    set_comm(GOACP_ARMCI_WORLD_GROUP, ARMCI_COMM_WORLD);
}

// Makes the communicator of a new group, with only its members, in their order. A tag distinguishes calls of the same
// members at the same time.
static void make_comm(struct goacp_armci_group *made) {
  MPI_Group all, members;
  MPI_Comm comm;
  int *procs;
  if (made->size == 0 || ARMCI_COMM_WORLD == MPI_COMM_NULL)
    return;
  if ((procs = malloc(sizeof *procs * (size_t)made->size)) == NULL)
    return;
  for (int rank = 0; rank < made->size; rank++)
    procs[rank] = goacp_armci_group_absolute(made->number, rank);
  MPI_Comm_group(ARMCI_COMM_WORLD, &all);
  MPI_Group_incl(all, made->size, procs, &members);
  if (MPI_Comm_create_group(ARMCI_COMM_WORLD, members, (int)(made->among & 0x7fff), &comm) == MPI_SUCCESS) {
    set_comm(made->number, comm);
    goacp_armci_group_find(made->number, made);
  }
  MPI_Group_free(&members);
  MPI_Group_free(&all);
  free(procs);
}

static void free_comm(const struct goacp_armci_group *group) {
  MPI_Comm comm = comm_of(group);
  int ended = 0;
  if (comm != MPI_COMM_NULL && MPI_Finalized(&ended) == MPI_SUCCESS && !ended)
    MPI_Comm_free(&comm);
}

MPI_Comm armci_group_comm(ARMCI_Group *group) {
  return number_of(group) == GOACP_ARMCI_NO_GROUP ? MPI_COMM_NULL : group->comm;
}

void ARMCIX_Get_world_comm(MPI_Comm *comm) { *comm = ARMCI_COMM_WORLD; }

#define NO_COMM MPI_COMM_NULL

#else

static void *comm_of(const struct goacp_armci_group *group) {
  (void)group;
  return NULL;
}

static void make_comm(struct goacp_armci_group *made) { (void)made; }

static void free_comm(const struct goacp_armci_group *group) { (void)group; }

#define NO_COMM NULL

#endif

// Stores the data that Go has about a group in *to.
static void store(ARMCI_Group *to, const struct goacp_armci_group *from) {
  to->comm = comm_of(from);
  to->noncoll_pgroup_comm = NO_COMM;
  to->grp_to_abs = NULL;
  to->abs_to_grp = (int *)(uintptr_t)from->number;
  to->rank = from->rank;
  to->size = from->size;
}

static const struct goacp_armci_group none = {.number = GOACP_ARMCI_NO_GROUP, .rank = -1};

static void create(call_t call, int n, const int *ranks, ARMCI_Group *out, uint64_t parent) {
  struct goacp_armci_group made = none;
  if (out == NULL) {
    goacp_armci_wrong(call, ARMCI_ERROR_ADDRESS, 0);
    return;
  }
  goacp_armci_group_create(call, n, ranks, parent, &made);
  make_comm(&made);
  store(out, &made);
}

void PARMCI_Group_create(int n, int *pid_list, ARMCI_Group *group_out) {
  call_t call = CALLED_OR_END(n, pid_list, group_out);
  struct goacp_armci_group parent = none;
  goacp_armci_group_get_default(call, &parent);
  create(call, n, pid_list, group_out, parent.number);
}

void PARMCI_Group_create_child(int n, int *pid_list, ARMCI_Group *group_out,
                               ARMCI_Group *group_parent) {
  create(CALLED_OR_END(n, pid_list, group_out, group_parent), n, pid_list, group_out,
         number_of(group_parent));
}

int ARMCIX_Group_split(ARMCI_Group *parent, int color, int key, ARMCI_Group *new_group) {
  call_t call = CALLED(parent, color, key, new_group);
  struct goacp_armci_group made = none;
  if (new_group == NULL)
    return goacp_armci_wrong(call, ARMCI_ERROR_ADDRESS, 0);
  int result = goacp_armci_group_split(call, number_of(parent), color, key, &made);
  make_comm(&made);
  store(new_group, &made);
  return result;
}

int ARMCIX_Group_dup(ARMCI_Group *parent, ARMCI_Group *new_group) {
  call_t call = CALLED(parent, new_group);
  struct goacp_armci_group made = none;
  if (new_group == NULL)
    return goacp_armci_wrong(call, ARMCI_ERROR_ADDRESS, 0);
  int result = goacp_armci_group_split(call, number_of(parent), 0, 0, &made);
  make_comm(&made);
  store(new_group, &made);
  return result;
}

void PARMCI_Group_free(ARMCI_Group *group) {
  if (number_of(group) == GOACP_ARMCI_NO_GROUP || number_of(group) == GOACP_ARMCI_WORLD_GROUP)
    return;
  struct goacp_armci_group freed = none;
  goacp_armci_group_find(number_of(group), &freed);
  goacp_armci_group_free(number_of(group));
  free_comm(&freed);
  store(group, &none);
}

// A freed group is invalid for all copies of the handle, so Go checks it.
int PARMCI_Group_rank(ARMCI_Group *group, int *rank) {
  struct goacp_armci_group found = none;
  goacp_armci_group_find(number_of(group), &found);
  *rank = found.rank;
  return *rank < 0;
}

void PARMCI_Group_size(ARMCI_Group *group, int *size) {
  struct goacp_armci_group found = none;
  goacp_armci_group_find(number_of(group), &found);
  *size = found.size;
}

void PARMCI_Group_set_default(ARMCI_Group *group) {
  goacp_armci_group_set_default(CALLED_OR_END(group), number_of(group));
}

void PARMCI_Group_get_default(ARMCI_Group *group_out) {
  struct goacp_armci_group found = none;
  goacp_armci_group_get_default(CALLED_OR_END(group_out), &found);
  store(group_out, &found);
}

void PARMCI_Group_get_world(ARMCI_Group *group_out) {
  struct goacp_armci_group found = none;
  goacp_armci_group_find(GOACP_ARMCI_WORLD_GROUP, &found);
  store(group_out, &found);
}

int PARMCI_Absolute_id(ARMCI_Group *group, int group_rank) {
  return goacp_armci_group_absolute(number_of(group), group_rank);
}

int PARMCI_Malloc_group(void *ptr_arr[], armci_size_t bytes, ARMCI_Group *group) {
  return goacp_armci_group_malloc(CALLED(ptr_arr, bytes, group), ptr_arr, bytes, number_of(group));
}

int PARMCI_Malloc_group_memdev(void *ptr_arr[], armci_size_t bytes, ARMCI_Group *group,
                               const char *device) {
  return goacp_armci_group_malloc(CALLED(ptr_arr, bytes, group, device), ptr_arr, bytes,
                                  number_of(group));
}

int PARMCI_Free_group(void *ptr, ARMCI_Group *group) {
  return goacp_armci_group_free_memory(goacp_armci_covering(CALLED(ptr, group)), ptr, number_of(group));
}

int PARMCI_Uses_shm_grp(ARMCI_Group *group) { return goacp_armci_group_shares(number_of(group)); }

void PARMCI_GroupFence(ARMCI_Group *group) {
  goacp_armci_group_fence(goacp_armci_covering(CALLED_OR_END(group)),
                          group == NULL ? GOACP_ARMCI_WORLD_GROUP : number_of(group));
}

int ARMCIX_Mode_set(int mode, void *ptr, ARMCI_Group *group) {
  return goacp_armci_mode_set(CALLED(mode, ptr, group), mode, ptr, number_of(group));
}

int ARMCIX_Mode_get(void *ptr) { return goacp_armci_mode_get(ptr); }

ARMCI_ALIAS(void, Group_create, (int n, int *pid_list, ARMCI_Group *group_out));
ARMCI_ALIAS(void, Group_create_child,
            (int n, int *pid_list, ARMCI_Group *group_out, ARMCI_Group *group_parent));
ARMCI_ALIAS(void, Group_free, (ARMCI_Group * group));
ARMCI_ALIAS(int, Group_rank, (ARMCI_Group * group, int *rank));
ARMCI_ALIAS(void, Group_size, (ARMCI_Group * group, int *size));
ARMCI_ALIAS(void, Group_set_default, (ARMCI_Group * group));
ARMCI_ALIAS(void, Group_get_default, (ARMCI_Group * group_out));
ARMCI_ALIAS(void, Group_get_world, (ARMCI_Group * group_out));
ARMCI_ALIAS(int, Absolute_id, (ARMCI_Group * group, int group_rank));
ARMCI_ALIAS(int, Malloc_group, (void *ptr_arr[], armci_size_t bytes, ARMCI_Group *group));
ARMCI_ALIAS(int, Malloc_group_memdev,
            (void *ptr_arr[], armci_size_t bytes, ARMCI_Group *group, const char *device));
ARMCI_ALIAS(int, Free_group, (void *ptr, ARMCI_Group *group));
ARMCI_ALIAS(int, Uses_shm_grp, (ARMCI_Group * group));
ARMCI_ALIAS(void, GroupFence, (ARMCI_Group * group));
