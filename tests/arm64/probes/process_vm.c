// A process copies memory of itself and of another process by process_vm_readv.
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static int copies(pid_t pid) {
  static const uint64_t from = 7;
  uint64_t to = 0;
  struct iovec here = {&to, sizeof to}, there = {(void *)&from, sizeof from};
  return process_vm_readv(pid, &here, 1, &there, 1, 0) == sizeof to && to == from;
}

int main(void) {
  pid_t child = fork();
  if (child == 0) {
    for (;;)
      pause();
  }
  int good = child > 0 && copies(getpid()) && copies(child);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  return !good;
}
