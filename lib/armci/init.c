// Initialisation and finalisation.

#include "aggregate.h"

// A program that has this library has heaps without a limit of their own, also if it calls acp_init
// itself.
static __attribute__((constructor)) void loaded(void) { goacp_armci_load(); }

// ARMCI_Finalize, all: as often as it takes to end the world.
static int finish(call_t call, int all) {
  int result = goacp_armci_finalize(goacp_armci_covering(call), all);
  if (goacp_armci_table() == NULL)
    goacp_armci_unset_all();
  if (result != GOACP_ARMCI_ENDS_ACP)
    return result;
  return acp_finalize() == 0 ? 0 : ARMCI_ERROR_FAILED;
}

#ifdef ARMCI_MPI
// Initialises MPI if the program has not.
static int begin_mpi(int *argc, char ***argv) {
  int is, provided;
  if (MPI_Initialized(&is) != MPI_SUCCESS || is)
    return !is;
  return MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS;
}

// MPI_Finalize calls this before MPI is gone, if the program has not called ARMCI_Finalize as often as
// ARMCI_Init.
static int before_finalize(MPI_Comm comm, int key, void *value, void *state) {
  static const struct goacp_argument none[] = {{0}};
  (void)comm, (void)key, (void)value, (void)state;
  return finish(&(const struct goacp_call){.function = "MPI_Finalize", .arguments = none}, 1) == 0 ? MPI_SUCCESS : MPI_ERR_OTHER;
}

// The attribute of MPI_COMM_SELF by which the library detects MPI_Finalize while there is a world. MPI calls
// before_finalize for the youngest attribute first, so each world has its own attribute: it ends before the resources
// that it uses.
static int finalize_key = MPI_KEYVAL_INVALID;

static void watch_mpi(void) {
  if (finalize_key == MPI_KEYVAL_INVALID &&
      MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, before_finalize, &finalize_key, NULL) ==
          MPI_SUCCESS)
    MPI_Comm_set_attr(MPI_COMM_SELF, finalize_key, NULL);
}

// MPI calls before_finalize here, too. There is no world any more.
static void unwatch_mpi(void) {
  int ended = 1;
  if (finalize_key != MPI_KEYVAL_INVALID && MPI_Finalized(&ended) == MPI_SUCCESS && !ended &&
      MPI_Comm_delete_attr(MPI_COMM_SELF, finalize_key) == MPI_SUCCESS)
    MPI_Comm_free_keyval(&finalize_key);
}

// ARMCI_Init_mpi_comm, but it returns 0 or a negative number.
static int begin_over(call_t call, MPI_Comm comm) {
  if (begin_mpi(NULL, NULL) != 0)
    return ARMCI_ERROR_FAILED;
  int result = goacp_armci_begin_comm(call, &comm);
  if (result == 0) {
    watch_mpi();
    goacp_armci_begin_comms(comm);
  }
  return result;
}

int PARMCI_Init_thread_comm(int armci_requested, MPI_Comm comm) {
  return begin_over(CALLED(armci_requested, comm), comm);
}

int PARMCI_Init_mpi_comm(MPI_Comm comm) { return begin_over(CALLED(comm), comm) == 0; }

ARMCI_ALIAS(int, Init_thread_comm, (int armci_requested, MPI_Comm comm));
ARMCI_ALIAS(int, Init_mpi_comm, (MPI_Comm comm));

static void begin_job_comms(void) { goacp_armci_begin_comms(MPI_COMM_WORLD); }
#else
static int begin_mpi(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  return 0;
}

static void watch_mpi(void) {}

static void unwatch_mpi(void) {}

static void begin_job_comms(void) {}
#endif

// ARMCI_Init* of the job, with arguments for acp_init or NULL. may_repeat: programs call the function after
// ARMCI_Init_mpi_comm for the same world.
static int begin(call_t call, int *argc, char ***argv, int may_repeat) {
  int owns = !goacp_armci_started();
  if (begin_mpi(argc, argv) != 0 || (owns && acp_init(argc, argv) != 0))
    return ARMCI_ERROR_FAILED;
  int result = goacp_armci_begin(call, owns, may_repeat);
  if (result == 0) {
    watch_mpi();
    begin_job_comms();
  }
  return result;
}

int PARMCI_Init(void) { return begin(CALLED0, NULL, NULL, 1); }

int PARMCI_Init_args(int *argc, char ***argv) {
  return begin(CALLED(argc, argv), argv == NULL ? NULL : argc, argc == NULL ? NULL : argv, 1);
}

int PARMCI_Init_thread(int armci_requested) {
  return begin(CALLED(armci_requested), NULL, NULL, 0);
}

int PARMCI_Initialized(void) { return goacp_armci_table() != NULL; }

int PARMCI_Finalize(void) {
  int result = finish(CALLED0, 0);
  if (!PARMCI_Initialized())
    unwatch_mpi();
  return result;
}

void PARMCI_Cleanup(void) {}

void PARMCI_Error(const char *msg, int code) {
  goacp_armci_enter(NAME_, GOACP_SITE_);
  goacp_armci_error(msg, code);
}

ARMCI_ALIAS(int, Init, (void));
ARMCI_ALIAS(int, Init_args, (int *argc, char ***argv));
ARMCI_ALIAS(int, Init_thread, (int armci_requested));
ARMCI_ALIAS(int, Initialized, (void));
ARMCI_ALIAS(int, Finalize, (void));
ARMCI_ALIAS(void, Cleanup, (void));
ARMCI_ALIAS(void, Error, (const char *msg, int code));
