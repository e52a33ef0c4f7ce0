// The beginning and the end.

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
  return acp_finalize() == 0 ? 0 : ARMCI_FAILED;
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
  return finish(&(const struct goacp_call){"MPI_Finalize", none}, 1) == 0 ? MPI_SUCCESS : MPI_ERR_OTHER;
}

// Watches for MPI_Finalize, once.
static void watch_mpi(void) {
  static int key = MPI_KEYVAL_INVALID;
  if (key == MPI_KEYVAL_INVALID &&
      MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, before_finalize, &key, NULL) == MPI_SUCCESS)
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}
#else
static int begin_mpi(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  return 0;
}

static void watch_mpi(void) {}
#endif

// ARMCI_Init* when arguments for acp_init are there, or NULL.
static int begin(call_t call, int *argc, char ***argv) {
  int owns = !goacp_armci_started();
  if (begin_mpi(argc, argv) != 0 || (owns && acp_init(argc, argv) != 0))
    return ARMCI_FAILED;
  int result = goacp_armci_begin(call, owns);
  if (result == 0) {
    watch_mpi();
    goacp_armci_begin_comms();
  }
  return result;
}

int PARMCI_Init(void) { return begin(CALLED0, NULL, NULL); }

int PARMCI_Init_args(int *argc, char ***argv) {
  return begin(CALLED(argc, argv), argv == NULL ? NULL : argc, argc == NULL ? NULL : argv);
}

int PARMCI_Init_thread(int armci_requested) {
  return begin(CALLED(armci_requested), NULL, NULL);
}

int PARMCI_Initialized(void) { return goacp_armci_table() != NULL; }

int PARMCI_Finalize(void) { return finish(CALLED0, 0); }

void PARMCI_Cleanup(void) {}

void PARMCI_Error(const char *msg, int code) {
  goacp_armci_enter(NAME_);
  goacp_armci_error(msg, code);
}

ARMCI_ALIAS(int, Init, (void));
ARMCI_ALIAS(int, Init_args, (int *argc, char ***argv));
ARMCI_ALIAS(int, Init_thread, (int armci_requested));
ARMCI_ALIAS(int, Initialized, (void));
ARMCI_ALIAS(int, Finalize, (void));
ARMCI_ALIAS(void, Cleanup, (void));
ARMCI_ALIAS(void, Error, (const char *msg, int code));
