// Each thread has the number and the text of its own last failure, while others fail, too.
#include "check.h"

#include <pthread.h>

enum { THREADS = 4, TIMES = 200 };

static void *fail(void *number) {
  int n = *(int *)number;
  char text[64];
  CHECK(acp_error_number() == 0 && acp_error_message()[0] == 0);
  for (int i = 0; i < TIMES; i++) {
    int job = 1000 * n + i + 100;
    CHECK(acp_job_name(job) == NULL);
    snprintf(text, sizeof text, "no job %d ", job);
    CHECK(acp_error_number() == EINVAL && strstr(acp_error_message(), text) != NULL);
    if (n % 2 != 0) { // another number, with a text of its own
      CHECK(acp_query_rank(ACP_GA_NULL) == -1);
      CHECK(acp_error_number() == EFAULT && strstr(acp_error_message(), text) == NULL);
    }
    CHECK(acp_query_rank(acp_query_starter_ga(0)) == 0); // does not change them
    CHECK(acp_error_number() == (n % 2 != 0 ? EFAULT : EINVAL) && acp_error_message()[0] != 0);
    CHECK(strchr(acp_error_message(), '\n') == NULL);
  }
  return NULL;
}

int main(int argc, char **argv) {
  CHECK(acp_rank() == -1 && acp_error_number() == EPERM);
  CHECK(strcmp(acp_error_message(), "not initialised, or finalised") == 0);
  CHECK(acp_init(&argc, &argv) == 0);
  CHECK(acp_error_number() == 0 && acp_error_message()[0] == 0);
  pthread_t threads[THREADS];
  int numbers[THREADS];
  for (int i = 0; i < THREADS; i++) {
    numbers[i] = i;
    CHECK(pthread_create(&threads[i], NULL, fail, &numbers[i]) == 0);
  }
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK(acp_error_number() == 0 && acp_error_message()[0] == 0);
  CHECK(acp_finalize() == 0);
  return 0;
}
