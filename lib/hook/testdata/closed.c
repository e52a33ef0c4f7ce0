// closed file|limit: a program that has closed all files, or may open no more, can still allocate and fork.

#include "check.h"

#include <sys/resource.h>
#include <sys/wait.h>

int main(int argc, char **argv) {
  CHECK(argc == 2);
  struct goacp_hook_pool pool;
  unsigned char *p = malloc(5000), *q = malloc(1 << 20);
  CHECK(in_pool(p) && in_pool(q) && goacp_hook_pool(&pool) == 0 && pool.fd > 2);
  fill(p, 5000, 1);
  fill(q, 1 << 20, 2);
  int file = strcmp(argv[1], "file") == 0;
  if (file) {
    for (int fd = 3; fd < 1024; fd++)
      close(fd);
    CHECK(goacp_hook_pool(&pool) != 0);
  } else {
    struct rlimit none = {3, 3};
    CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
  }
  pid_t pid = fork();
  if (pid == 0) {
    // Without a descriptor the child has private memory.
    CHECK((goacp_hook_pool(&pool) == 0) == file);
    CHECK(filled(p, 5000, 1) && filled(q, 1 << 20, 2));
    memset(q, 0, 1 << 20);
    free(p);
    p = calloc(40, 1 << 20);
    for (size_t i = 0; i < (size_t)40 << 20; i += 4096)
      CHECK(p[i] == 0);
    memset(p, 3, (size_t)40 << 20);
    free(p);
    p = calloc(40, 1 << 20);
    for (size_t i = 0; i < (size_t)40 << 20; i += 4096)
      CHECK(p[i] == 0);
    pid = fork();
    if (pid == 0)
      _exit(q[0] != 0 || p[5] != 0);
  }
  int status;
  CHECK(waitpid(pid, &status, 0) == pid && status == 0);
  CHECK((pid != 0 && q[0] == 0) || (filled(p, 5000, 1) && filled(q, 1 << 20, 2)));
  return 0;
}
