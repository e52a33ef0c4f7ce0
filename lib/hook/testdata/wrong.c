// wrong twice|inside|run|stack: mistakes end the program with a message.

#include "check.h"

#include <pthread.h>

static void *forks(void *unused) {
  (void)unused;
  return fork() == 0 ? NULL : &errno;
}

// fork_on_block forks on a stack that malloc has returned.
static void fork_on_block(void) {
  size_t size = 1 << 20;
  pthread_attr_t attributes;
  pthread_t t;
  CHECK(pthread_attr_init(&attributes) == 0);
  CHECK(pthread_attr_setstack(&attributes, aligned_alloc(4096, size), size) == 0);
  CHECK(pthread_create(&t, &attributes, forks, NULL) == 0);
  pthread_join(t, NULL);
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  char *volatile p = malloc(100), *volatile q = malloc(1 << 20);
  if (strcmp(argv[1], "twice") == 0)
    for (int i = 0; i < 200; i++)
      free(p);
  if (strcmp(argv[1], "inside") == 0)
    for (int i = 0; i < 200; i++)
      free(p + 16);
  if (strcmp(argv[1], "run") == 0)
    free(q + 64);
  if (strcmp(argv[1], "stack") == 0)
    fork_on_block();
  return 0;
}
