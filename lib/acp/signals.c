// The functions of signals.h that are not inline. They mirror no Go code: the Go runtime keeps the alternate stack of
// a thread, and gives a thread without one a stack of 32 KiB without a guard page.

#define _GNU_SOURCE // MAP_ANONYMOUS, sched_setaffinity

#undef pthread_create // of the command that builds the libraries, see goacp_create_thread

#include "signals.h"
#include "atomics.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

__thread int goacp_has_signal_stack;
long goacp_handlers_seen = -1;

static pthread_key_t ending; // its destructor unmaps the stack of a thread
static int usable;           // whether there is the key
static pthread_once_t once = PTHREAD_ONCE_INIT;

static size_t guard(void) { return (size_t)sysconf(_SC_PAGESIZE); }

// Runs twice for each thread. The second time is after the destructor of the runtime of Go, which needs the stack.
static void unmap(void *memory) {
  stack_t now;
  if (goacp_has_signal_stack) {
    goacp_has_signal_stack = 0;
    if (pthread_setspecific(ending, memory) == 0)
      return;
  }
  if (sigaltstack(NULL, &now) == 0 && now.ss_sp == (char *)memory + guard()) {
    const stack_t none = {.ss_flags = SS_DISABLE};
    if (sigaltstack(&none, NULL) != 0)
      return; // a handler runs on it
  }
  munmap(memory, guard() + GOACP_SIGNAL_STACK);
}

static void make_key(void) { usable = pthread_key_create(&ending, unmap) == 0; }

void goacp_make_signal_stack(void) {
  stack_t now;
  goacp_has_signal_stack = 1; // if there is none below, the runtime of Go gives its own
  pthread_once(&once, make_key);
  if (!usable || sigaltstack(NULL, &now) != 0 ||
      ((now.ss_flags & SS_DISABLE) == 0 && now.ss_size >= GOACP_SIGNAL_STACK) || (now.ss_flags & SS_ONSTACK) != 0)
    return;
  char *memory = mmap(NULL, guard() + GOACP_SIGNAL_STACK, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return;
  const stack_t ours = {.ss_sp = memory + guard(), .ss_size = GOACP_SIGNAL_STACK};
  if (mprotect(memory, guard(), PROT_NONE) != 0 || pthread_setspecific(ending, memory) != 0) {
    munmap(memory, guard() + GOACP_SIGNAL_STACK);
  } else if (sigaltstack(&ours, NULL) != 0) {
    (void)pthread_setspecific(ending, NULL);
    munmap(memory, guard() + GOACP_SIGNAL_STACK);
  }
}

// The function of a new thread of the Go runtime.
struct task {
  void *(*run)(void *);
  void *argument;
};

static cpu_set_t processors; // of goacp_keep_processors
static int keeps;            // whether it has been called

void goacp_keep_processors(void) {
  if (!goacp_load_relaxed(&keeps) && sched_getaffinity(0, sizeof processors, &processors) == 0)
    goacp_store_release(&keeps, 1);
}

static void *run_task(void *memory) {
  const struct task task = *(struct task *)memory;
  free(memory);
  if (goacp_load_acquire(&keeps))
    (void)sched_setaffinity(0, sizeof processors, &processors);
  goacp_make_signal_stack();
  return task.run(task.argument);
}

int goacp_create_thread(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
  struct task *task = malloc(sizeof *task);
  if (task == NULL)
    return EAGAIN;
  *task = (struct task){run, argument};
  int result = pthread_create(thread, attributes, run_task, task);
  if (result != 0)
    free(task);
  return result;
}

static void mark_handlers(int first, int behind) {
  for (int number = first; number < behind; number++) {
    struct sigaction action; // not there for signals of the C library itself
    if (sigaction(number, NULL, &action) != 0 || (action.sa_flags & SA_ONSTACK) != 0 ||
        action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)
      continue;
    action.sa_flags |= SA_ONSTACK;
    (void)sigaction(number, &action, NULL);
  }
}

int goacp_has_default_action(int number) {
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 && (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL;
}

void goacp_mark_handlers(void) { mark_handlers(1, NSIG); }

void goacp_mark_some_handlers(void) {
  enum { SOME = 8 };
  static unsigned turn;
  goacp_store_relaxed(&goacp_handlers_seen, goacp_signal_tick());
  const int first = 1 + (int)(__atomic_fetch_add(&turn, 1, __ATOMIC_RELAXED) % ((NSIG + SOME - 2) / SOME)) * SOME;
  mark_handlers(first, first + SOME < NSIG ? first + SOME : NSIG);
}
