// Handlers of the program that were installed without SA_ONSTACK, before and after acp_init, and that use 100 KB of
// stack each, interrupt the library. So do handlers of signals that the runtime of Go takes, and handlers of signals
// that are sent to the process and come to threads that the runtime of Go has made.
#define _GNU_SOURCE // process_vm_readv
#include "check.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
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

static volatile sig_atomic_t elsewhere, small;

// Runs on a thread that the program has not made.
static void on_process(int number) {
  (void)number;
  stack_t now;
  if (sigaltstack(NULL, &now) != 0 || (now.ss_flags & SS_ONSTACK) == 0 || now.ss_size < STACK)
    small++;
  use_stack();
  elsewhere++;
}

// Signals to the process come to threads of the runtime of Go, since those of the program block them. SIGALRM and
// SIGPROF come at intervals, SIGTERM once in a while.
static void check_process(void) {
  static const int numbers[] = {SIGALRM, SIGPROF, SIGTERM};
  sigset_t blocked;
  sigemptyset(&blocked);
  for (int i = 0; i < 3; i++)
    sigaddset(&blocked, numbers[i]);
  CHECK(pthread_sigmask(SIG_BLOCK, &blocked, NULL) == 0);
  // They do not interrupt each other, since the stack is too small for three of them.
  const struct sigaction action = {.sa_handler = on_process, .sa_flags = SA_ONSTACK | SA_RESTART, .sa_mask = blocked};
  for (int i = 0; i < 3; i++)
    CHECK(sigaction(numbers[i], &action, NULL) == 0);
  const struct itimerval every = {{0, 1000}, {0, 1000}};
  CHECK(setitimer(ITIMER_REAL, &every, NULL) == 0 && setitimer(ITIMER_PROF, &every, NULL) == 0);
  while (elsewhere < 1000) {
    enter_go();
    acp_ga_t next = acp_query_starter_ga((acp_rank() + 1) % acp_procs());
    acp_complete(acp_copy(next, next + 1024, 1024, ACP_HANDLE_NULL));
    CHECK(kill(getpid(), SIGTERM) == 0);
  }
  const struct itimerval never = {{0, 0}, {0, 0}};
  CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0 && setitimer(ITIMER_PROF, &never, NULL) == 0);
  CHECK(small == 0);
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "process") == 0) {
    CHECK(acp_init(&argc, &argv) == 0);
    check_process();
    CHECK(acp_sync() == 0 && acp_finalize() == 0);
    return 0;
  }
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
