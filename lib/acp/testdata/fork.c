// The last rank forks. A child that calls a function of the library ends with one line, and its
// parent goes on. A child may call exec and _exit, and compute.
#define _GNU_SOURCE
#include "edge_calls.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static struct fixtures f;

// Forks as the C library does, or without its knowledge.
static pid_t child(int raw) {
  pid_t pid = raw ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
  CHECK(pid >= 0);
  return pid;
}

// Checks that the child ends with this status.
static void ends(pid_t pid, int status) {
  int how;
  CHECK(waitpid(pid, &how, 0) == pid);
  CHECK(WIFEXITED(how) && WEXITSTATUS(how) == status);
}

// Calls a function in a child, and checks how the child ends.
static void forbidden(const struct function *fn, int raw) {
  int pipe_ends[2];
  CHECK(pipe(pipe_ends) == 0);
  pid_t pid = child(raw);
  if (pid == 0) {
    dup2(pipe_ends[1], STDERR_FILENO);
    alarm(20);
    size_t pick[MOST_PARAMETERS] = {0};
    struct outcome o;
    fn->call(pick, &o);
    _exit(0);
  }
  close(pipe_ends[1]);
  char line[400] = "", want[400];
  size_t n = 0;
  for (ssize_t got; (got = read(pipe_ends[0], line + n, sizeof line - 1 - n)) > 0;)
    n += (size_t)got;
  close(pipe_ends[0]);
  const char *name = strcmp(fn->name, "goacp_deque_it_ga") == 0 ? "acp_dereference_deque_it" : fn->name;
  snprintf(want, sizeof want, "acp: %s in process %d, a fork of process %d: a child may only exec or _exit\n",
           name, (int)pid, (int)getpid());
  if (strcmp(line, want) != 0)
    fprintf(stderr, "%s left %s expected %s", fn->name, line, want);
  CHECK(strcmp(line, want) == 0);
  ends(pid, 255);
}

static void allowed(int raw) {
  pid_t pid = child(raw);
  if (pid == 0)
    _exit(7);
  ends(pid, 7);
  pid = child(raw);
  if (pid == 0) {
    execl("/bin/sh", "sh", "-c", "exit 8", (char *)NULL);
    _exit(1);
  }
  ends(pid, 8);
  pid = child(raw);
  if (pid == 0) {
    size_t pick[MOST_PARAMETERS] = {0};
    struct outcome o;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
      if (functions[i].property == VALUE)
        functions[i].call(pick, &o);
    _exit(9);
  }
  ends(pid, 9);
}

// Calls the functions for which CHOOSE is true, each in a child.
static void fork_children(int (*choose)(const struct function *)) {
  for (int raw = 0; raw < 2; raw++) {
    allowed(raw);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
      if (choose(&functions[i]))
        forbidden(&functions[i], raw);
  }
}

static int begins_or_ends(const struct function *fn) { return fn->property == LIFE; }

static int enters(const struct function *fn) { return fn->property != VALUE; }

int main(int argc, char **argv) {
  f.memory = aligned_alloc(4096, 4096);
  guess(&f);
  fork_children(begins_or_ends);
  CHECK(acp_init(&argc, &argv) == 0);
  int rank = acp_rank(), procs = acp_procs();
  if (rank == procs - 1)
    fork_children(enters);
  acp_ga_t mine = acp_query_starter_ga(rank), next = acp_query_starter_ga((rank + 1) % procs);
  for (int i = 0; i < 100; i++) {
    acp_complete(acp_copy(next, mine, 8, ACP_HANDLE_NULL));
    CHECK(acp_sync() == 0);
  }
  CHECK(acp_finalize() == 0);
  fork_children(begins_or_ends);
  return 0;
}
