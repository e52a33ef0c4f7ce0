// Handlers of the program that were installed without SA_ONSTACK, before and after acp_init, and that use 100 KB of
// stack each, interrupt the library. So do handlers of signals that the runtime of Go takes.
#define _GNU_SOURCE // process_vm_readv
#include "check.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { DEEP = 100000, STACK = 256 << 10 };

static volatile sig_atomic_t early, late;

static void use_stack(void) {
  volatile char deep[DEEP];
  for (int i = 0; i < DEEP; i += 64)
    deep[i] = (char)i;
  (void)deep[0];
}

static void on_early(int number) {
  (void)number;
  use_stack();
  early++;
}

static void on_late(int number) {
  (void)number;
  use_stack();
  late++;
}

static void install(int number, void (*handler)(int), int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags | SA_RESTART};
  CHECK(sigaction(number, &action, NULL) == 0);
}

// Sends a signal to this thread every millisecond.
static void start_timer(int number) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = number};
  event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
  const struct itimerspec every = {{0, 1000000}, {0, 1000000}};
  timer_t timer;
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, 0, &every, NULL) == 0);
}

static int is_marked(int number) {
  struct sigaction action;
  CHECK(sigaction(number, NULL, &action) == 0);
  return (action.sa_flags & SA_ONSTACK) != 0;
}

// The alternate stack of this thread is large, and the page below it cannot be read.
static void check_stack(void) {
  stack_t now;
  CHECK(sigaltstack(NULL, &now) == 0 && (now.ss_flags & SS_DISABLE) == 0 && now.ss_size >= STACK);
  char byte;
  struct iovec to = {&byte, 1}, from = {(char *)now.ss_sp - 1, 1};
  CHECK(process_vm_readv(getpid(), &to, 1, &from, 1, 0) == -1);
}

static void enter_go(void) {
  acp_ga_t block = acp_malloc(100000, acp_rank());
  CHECK(block != ACP_GA_NULL);
  acp_free(block);
}

static void *thread(void *unused) {
  enter_go();
  check_stack();
  return unused;
}

static void run_threads(void) {
  for (int i = 0; i < 20; i++) {
    pthread_t t;
    CHECK(pthread_create(&t, NULL, thread, NULL) == 0 && pthread_join(t, NULL) == 0);
  }
}

static volatile int *volatile nowhere; // no address of memory
static sigjmp_buf back;
static volatile sig_atomic_t came;

static void on_fault(int number) {
  came = number;
  siglongjmp(back, 1);
}

// A handler of the program gets the faults of the program.
static void check_faults(void) {
  came = 0;
  if (sigsetjmp(back, 1) == 0)
    *nowhere = 1;
  CHECK(came == SIGSEGV);
  came = 0;
  if (sigsetjmp(back, 1) == 0) {
    volatile int zero = 0, one = 1;
    one = one / zero;
#ifndef __x86_64__
    raise(SIGFPE); // where a division by zero is no fault
#endif
  }
  CHECK(came == SIGFPE);
}

int main(int argc, char **argv) {
  int faults_first = argc > 1 && strcmp(argv[1], "faults_first") == 0;
  if (faults_first) {
    install(SIGSEGV, on_fault, 0);
    install(SIGFPE, on_fault, 0);
  }
  install(SIGALRM, on_early, 0);
  start_timer(SIGALRM);
  CHECK(acp_init(&argc, &argv) == 0);
  CHECK(is_marked(SIGALRM));
  check_stack();
  install(SIGVTALRM, on_late, 0);
  while (!is_marked(SIGVTALRM))
    enter_go();
  start_timer(SIGVTALRM);
  if (!faults_first) {
    install(SIGSEGV, on_fault, SA_ONSTACK);
    install(SIGFPE, on_fault, 0);
  }
  check_faults();
  while (early < 200 || late < 200)
    enter_go();
  run_threads();
  check_faults();
  CHECK(acp_sync() == 0 && acp_finalize() == 0);
  return 0;
}
