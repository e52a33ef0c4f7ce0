/* The beginning and the end of a program. */

#define _GNU_SOURCE /* on_exit */

#include "internal.h"

#include "acp.h"

#include <pthread.h>
#include <unistd.h>

const char *DMI_strerror(void) { return acp_error_message(); }

/* Ends the process with the status of the end of the run. Threads that still run end with it. */
static int ended(int status) {
  fflush(NULL);
  if (status < 0)
    _exit(EXIT_SUCCESS);
  return status;
}

#ifdef __GLIBC__
static int main_runs; /* DMI_main has not returned */

/* exit(0) in process 0 is the end of DMI_main. Any other exit is one of a process that does not take part in the end. */
static void at_exit(int status, void *unused) {
  (void)unused;
  if (main_runs && status == EXIT_SUCCESS) {
    main_runs = 0;
    fflush(NULL);
    (void)ended(goacp_dmi_finish());
  }
}
#endif

/* The thread of DMI_main has called pthread_exit. Nothing would end the run. */
static void left(void *unused) {
  (void)unused;
  static char line[] = "dmi: DMI_main calls pthread_exit instead of returning";
  goacp_dmi_fail(line);
}

int dmi_begin(int argc, char **argv, const void *table) {
  struct goacp_dmi_program program = *(const struct goacp_dmi_program *)table;
  int kind = goacp_dmi_begin(&program);
  if (kind == GOACP_DMI_FAILED)
    return EXIT_FAILURE;
  if (kind == GOACP_DMI_SERVES)
    return ended(goacp_dmi_serve());
#ifdef __GLIBC__
  main_runs = on_exit(at_exit, NULL) == 0;
#endif
  pthread_cleanup_push(left, NULL);
  program.main(argc, argv);
  pthread_cleanup_pop(0);
#ifdef __GLIBC__
  main_runs = 0;
#endif
  fflush(NULL);
  return ended(goacp_dmi_finish());
}
