// /proc shows which program another process runs.
#define _GNU_SOURCE
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  char path[64], program[PATH_MAX] = "", own[PATH_MAX];
  pid_t child = argc > 0 ? fork() : -1;
  if (child == 0) {
    for (;;)
      pause();
  }
  snprintf(path, sizeof path, "/proc/%d/exe", (int)child);
  ssize_t n = readlink(path, program, sizeof program - 1);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  return n < 0 || realpath(argv[0], own) == NULL || strcmp(program, own) != 0;
}
