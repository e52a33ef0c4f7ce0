// Worlds of the processes of communicators. Each argument is something to do, in their order.

#include <acp.h>
#include <armcix.h>
#include <mpi.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition))                                                          \
      ARMCI_Error(__FILE__ ": " #condition, __LINE__);                         \
  } while (0)

static int rank, procs; // in MPI_COMM_WORLD

// The half of the processes to which this process belongs, reversed or not.
static MPI_Comm half(int reversed) {
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, 2 * rank / procs, reversed ? -rank : rank, &comm);
  return comm;
}

// The processes of comm are the world.
static void check_world(MPI_Comm comm) {
  int me, size, relation;
  MPI_Comm of_world;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &size);
  CHECK(ARMCI_Initialized() == 1 && armci_msg_me() == me && armci_msg_nproc() == size);
  ARMCIX_Get_world_comm(&of_world);
  CHECK(of_world == ARMCI_COMM_WORLD);
  MPI_Comm_compare(of_world, comm, &relation);
  CHECK(relation == MPI_CONGRUENT);
}

// Uses the world: all write to their neighbours, add to process 0, and send messages round.
static void use_world(void) {
  enum { Words = 1000 };
  long *block[64], one = 1, sum = 0;
  int me = armci_msg_me(), size = armci_msg_nproc(), next = (me + 1) % size, from = -1, len;
  CHECK(ARMCI_Malloc((void **)block, Words * sizeof(long)) == 0);
  for (int i = 0; i < Words; i++)
    CHECK(block[me][i] == 0);
  armci_msg_barrier();
  CHECK(ARMCI_Put(&(long){rank + 1}, &block[next][1], sizeof(long), next) == 0);
  CHECK(ARMCI_Acc(ARMCI_ACC_LNG, &one, &(long){me + 1}, block[0], sizeof(long), 0) == 0);
  armci_msg_snd(7, &rank, sizeof rank, next);
  armci_msg_rcv(7, &from, sizeof from, &len, (me + size - 1) % size);
  CHECK(len == sizeof from);
  ARMCI_Barrier();
  CHECK(block[me][1] == from + 1);
  CHECK(ARMCI_Get(block[0], &sum, sizeof sum, 0) == 0 && sum == (long)size * (size + 1) / 2);
  ARMCI_Barrier();
  CHECK(ARMCI_Free(block[me]) == 0);
}

static void use(MPI_Comm comm) {
  CHECK(ARMCI_Initialized() == 0 && ARMCI_Init_mpi_comm(comm) == 1);
  check_world(comm);
  use_world();
  CHECK(ARMCI_Finalize() == 0 && ARMCI_Initialized() == 0);
}

// One half after the other: the other half waits in MPI.
static void turns(void) {
  MPI_Comm comm = half(0);
  for (int turn = 0; turn < 2; turn++) {
    if (turn == 2 * rank / procs)
      use(comm);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Comm_free(&comm);
}

static void both(void) {
  MPI_Comm comm = half(0);
  use(comm);
  MPI_Comm_free(&comm);
}

static void reversed(void) {
  MPI_Comm comm = half(1);
  use(comm);
  MPI_Comm_free(&comm);
}

static void self(void) { use(MPI_COMM_SELF); }

static void whole(void) { use(MPI_COMM_WORLD); }

// The program frees its communicator at once. The communicator of ARMCI remains, also after the end.
static void freed(void) {
  MPI_Comm comm = half(0), old;
  CHECK(ARMCI_Init_thread_comm(MPI_THREAD_SINGLE, comm) == 0);
  MPI_Comm_free(&comm);
  use_world();
  old = ARMCI_COMM_WORLD;
  CHECK(ARMCI_Finalize() == 0);
  MPI_Barrier(old);
}

static void end(int times) {
  while (times-- > 0) {
    CHECK(ARMCI_Initialized() == 1);
    CHECK(ARMCI_Finalize() == 0);
  }
  CHECK(ARMCI_Initialized() == 0 && ARMCI_Finalize() == 0);
}

// As many beginnings as ends, except ARMCI_Init after ARMCI_Init_mpi_comm.
static void counts(void) {
  MPI_Comm comm = half(0);
  CHECK(ARMCI_Init_mpi_comm(comm) == 1 && ARMCI_Init() == 0);
  end(1);
  CHECK(ARMCI_Init_thread_comm(0, comm) == 0 && ARMCI_Init_args(NULL, NULL) == 0);
  end(1);
  CHECK(ARMCI_Init_mpi_comm(comm) == 1 && ARMCI_Init() == 0 && ARMCI_Init() == 0);
  end(2);
  CHECK(ARMCI_Init_mpi_comm(comm) == 1 && ARMCI_Init_thread(0) == 0 && ARMCI_Init() == 0);
  end(2);
  CHECK(ARMCI_Init_mpi_comm(comm) == 1 && ARMCI_Init_mpi_comm(MPI_COMM_NULL) == 1);
  check_world(comm);
  end(2);
  CHECK(ARMCI_Init_mpi_comm(comm) == 1);
  end(1);
  MPI_Comm_free(&comm);
}

// The job, as ARMCI_Init makes it, and then a part of it, which only counts.
static void job(void) {
  CHECK(ARMCI_Init() == 0 && ARMCI_Init_mpi_comm(MPI_COMM_SELF) == 1);
  check_world(MPI_COMM_WORLD);
  use_world();
  end(2);
}

// The processes are a run of ACP, with the same numbers.
static void with_acp(void) {
  MPI_Comm comm = half(1);
  void *block[64];
  CHECK(ARMCI_Init_mpi_comm(comm) == 1);
  int me = armci_msg_me(), size = armci_msg_nproc(), to = (me + 1) % size;
  CHECK(acp_rank() == me && acp_procs() == size && ARMCIX_Acp_rank(to) == to);
  CHECK(ARMCI_Malloc(block, sizeof(int)) == 0);
  int *mine = acp_query_address(acp_query_starter_ga(me));
  *mine = rank;
  acp_copy(ARMCIX_Acp_ga(block[to], to), acp_query_starter_ga(me), sizeof(int), ACP_HANDLE_NULL);
  acp_complete(ACP_HANDLE_ALL);
  CHECK(acp_sync() == 0);
  MPI_Sendrecv_replace(mine, 1, MPI_INT, to, 0, (me + size - 1) % size, 0, comm, MPI_STATUS_IGNORE);
  CHECK(*(int *)block[me] == *mine);
  CHECK(acp_finalize() != 0 && acp_reset(me) != 0);
  CHECK(ARMCI_Free(block[me]) == 0 && ARMCI_Finalize() == 0);
  MPI_Comm_free(&comm);
}

// The processes are in a run already: the world is a part of it, and the run remains.
static void within(void) {
  MPI_Comm comm = half(1);
  CHECK(acp_init(NULL, NULL) == 0);
  int first = acp_rank() - rank; // of the job
  for (int i = 0; i < 2; i++) {
    CHECK(ARMCI_Init_mpi_comm(comm) == 1);
    check_world(comm);
    int me = armci_msg_me(), lowest = rank;
    CHECK(ARMCIX_Acp_rank(me) == acp_rank());
    MPI_Bcast(&lowest, 1, MPI_INT, 0, comm);
    CHECK(ARMCIX_Acp_rank(0) == first + lowest);
    use_world();
    CHECK(ARMCI_Finalize() == 0 && acp_sync() == 0);
  }
  CHECK(acp_finalize() == 0);
  MPI_Comm_free(&comm);
}

// MPI_Finalize, which follows, ends the world.
static void unfinished(void) {
  MPI_Comm comm = half(1);
  CHECK(ARMCI_Init_mpi_comm(comm) == 1);
  CHECK(ARMCI_Init_mpi_comm(comm) == 1);
  use_world();
  MPI_Comm_free(&comm);
}

static void killed(void) {
  CHECK(ARMCI_Init_mpi_comm(half(0)) == 1);
  use_world();
  if (rank == 1)
    raise(SIGKILL);
  ARMCI_Barrier();
}

// The results of wrong calls.
static void wrong(MPI_Comm comm) {
  int first = ARMCI_Init_mpi_comm(comm);
  printf("%d %d\n", first, ARMCI_Init_thread_comm(0, comm));
}

static void null(void) { wrong(MPI_COMM_NULL); }

static void inter(void) {
  MPI_Comm between;
  int other = 2 * rank / procs == 0 ? (procs + 1) / 2 : 0; // the first process of the other half
  MPI_Intercomm_create(half(0), 0, MPI_COMM_WORLD, other, 1, &between);
  wrong(between);
}

static const struct {
  const char *name;
  void (*perform)(void);
} things[] = {
    {"turns", turns}, {"both", both},     {"reversed", reversed}, {"self", self},
    {"whole", whole}, {"freed", freed},   {"counts", counts},     {"job", job},
    {"acp", with_acp}, {"within", within}, {"unfinished", unfinished}, {"killed", killed},
    {"null", null},   {"inter", inter},
};

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &procs);
  for (int i = 1; i < argc; i++)
    for (size_t t = 0; t < sizeof things / sizeof *things; t++)
      if (strcmp(argv[i], things[t].name) == 0)
        things[t].perform();
  MPI_Finalize();
  puts("done");
  return 0;
}
