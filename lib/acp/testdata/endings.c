// The last rank ends in the way that the first argument names. The others wait in acp_sync. With a
// second argument they have copies from the last rank in flight.
#include "check.h"

#include <acp_couple.h>
#include <signal.h>

static uint64_t fixed[8];

static void end(const char *how) {
  int next = (acp_rank() + 1) % acp_procs();
  acp_ga_t mine = acp_query_starter_ga(acp_rank());
  acp_ga_t theirs = acp_query_starter_ga(next);
  acp_ga_t beyond = theirs + 10240 - 4;
  acp_ga_t unknown = theirs + ((acp_ga_t)1 << 41);
  if (strcmp(how, "abort") == 0) {
    ACP_ERRNO = ENOMEM;
    acp_abort("no more\nroom\n");
  } else if (strcmp(how, "abort-null") == 0) {
    acp_abort(NULL);
  } else if (strcmp(how, "abort-coupling") == 0) {
    char text[200];
    CHECK(acp_free_model((acp_model_t)7) == -1 && ACP_ERRNO == EBADF);
    snprintf(text, sizeof text, "in port: %s", acp_couple_message());
    acp_abort(text);
  } else if (strcmp(how, "abort-reason") == 0) {
    char text[200];
    CHECK(acp_job_name(77) == NULL && ACP_ERRNO == EINVAL);
    snprintf(text, sizeof text, "name: %s", acp_error_message());
    acp_abort(text);
  } else if (strcmp(how, "copy-beyond") == 0) {
    CHECK(acp_copy(beyond, mine, 8, ACP_HANDLE_NULL) != ACP_HANDLE_NULL);
  } else if (strcmp(how, "copy-huge") == 0) {
    CHECK(acp_copy(mine, theirs, SIZE_MAX, ACP_HANDLE_NULL) != ACP_HANDLE_NULL);
  } else if (strcmp(how, "copy-unknown") == 0) {
    CHECK(acp_copy(mine, unknown, 8, ACP_HANDLE_NULL) != ACP_HANDLE_NULL);
  } else if (strcmp(how, "add8-unknown") == 0) {
    CHECK(acp_add8(mine, unknown, 8, ACP_HANDLE_NULL) != ACP_HANDLE_NULL);
  } else if (strcmp(how, "unregistered") == 0) {
    acp_atkey_t key = acp_register_memory(fixed, sizeof fixed, 0);
    acp_ga_t ga = acp_query_ga(key, fixed);
    CHECK(acp_unregister_memory(key) == 0);
    CHECK(acp_copy(ga, mine, 8, ACP_HANDLE_NULL) != ACP_HANDLE_NULL);
  } else if (strcmp(how, "segv") == 0) {
    volatile int *volatile nowhere = (volatile int *)8;
    *nowhere = 1;
  } else if (strcmp(how, "int") == 0) {
    raise(SIGINT);
  } else if (strcmp(how, "pipe") == 0) {
    int ends[2];
    CHECK(pipe(ends) == 0 && close(ends[0]) == 0);
    CHECK(write(ends[1], "x", 1) == 1);
  } else if (strcmp(how, "kill") == 0) {
    raise(SIGKILL);
  } else if (strcmp(how, "exit") == 0) {
    exit(9);
  }
  acp_complete(ACP_HANDLE_ALL);
  puts("still there");
}

static void copy_forever(void) {
  acp_ga_t mine = acp_query_starter_ga(acp_rank());
  acp_ga_t last = acp_query_starter_ga(acp_procs() - 1);
  for (;;) {
    acp_handle_t h = ACP_HANDLE_NULL;
    for (int i = 0; i < 20; i++)
      h = acp_copy(mine, last, 4096, h);
    acp_complete(h);
  }
}

int main(int argc, char **argv) {
  CHECK(argc == 2 || argc == 3);
  if (strcmp(argv[1], "abort-early") == 0) {
    ACP_ERRNO = EINVAL;
    acp_abort("too early");
  }
  CHECK(acp_init(&argc, &argv) == 0);
  acp_sync(); // -1 if the last rank is quick
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (acp_rank() == acp_procs() - 1)
    end(argv[1]);
  else if (argc == 3)
    copy_forever();
  else
    acp_sync();
  // The rest of the run ends by itself.
  while (acp_procs() > 1)
    pause();
  return 0;
}
