// Groups of ARMCI have communicators of their members, in their order.

#include <armci.h>
#include <armcix.h>
#include <mpi.h>

#include <stdio.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition))                                                          \
      ARMCI_Error(__FILE__ ": " #condition, __LINE__);                         \
  } while (0)

// The communicator of a group has the members of the group.
static void check(ARMCI_Group *group) {
  int rank, size, comm_rank, comm_size, relation;
  MPI_Comm comm = armci_group_comm(group);
  if (ARMCI_Group_rank(group, &rank) != 0) {
    CHECK(comm == MPI_COMM_NULL);
    return;
  }
  ARMCI_Group_size(group, &size);
  CHECK(comm == group->comm && comm != MPI_COMM_NULL && group->noncoll_pgroup_comm == MPI_COMM_NULL);
  MPI_Comm_rank(comm, &comm_rank);
  MPI_Comm_size(comm, &comm_size);
  CHECK(comm_rank == rank && comm_size == size);
  MPI_Comm_compare(comm, MPI_COMM_WORLD, &relation);
  CHECK(relation != MPI_IDENT);
  for (int i = 0; i < size; i++) {
    int member = ARMCI_Absolute_id(group, rank);
    MPI_Bcast(&member, 1, MPI_INT, i, comm);
    CHECK(member == ARMCI_Absolute_id(group, i));
  }
}

int main(int argc, char **argv) {
  ARMCI_Group world, some, half, own;
  MPI_Comm comm;
  int me, procs, mpi_me, n = 0, list[64];
  CHECK(ARMCI_Init_args(&argc, &argv) == 0); // initialises MPI
  me = armci_msg_me(), procs = armci_msg_nproc();
  MPI_Comm_rank(MPI_COMM_WORLD, &mpi_me);
  CHECK(me == mpi_me);
  ARMCI_Group_get_world(&world);
  check(&world);
  ARMCIX_Get_world_comm(&comm);
  CHECK(comm == world.comm);
  for (int i = procs - 1; i >= 0; i -= 2)
    list[n++] = i;
  ARMCI_Group_create(n, list, &some);
  check(&some);
  ARMCI_Group_create(1, &me, &own);
  check(&own);
  CHECK(ARMCIX_Group_split(&world, me % 2, 0, &half) == 0);
  check(&half);
  ARMCI_Group_free(&half);
  ARMCI_Group_free(&own);
  check(&some);
  ARMCI_Group_free(&some);
  ARMCI_Barrier();
  if (me == 0)
    printf("%d communicators of the world\n", procs);
  armci_msg_finalize(); // finalizes MPI
  return 0;
}
