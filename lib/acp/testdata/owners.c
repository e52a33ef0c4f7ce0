// Hosts that own signals which the runtime of Go takes. The second argument is when the host installs its
// handlers: before the runtime of Go is loaded, as a host that opens the library by dlopen, before acp_init,
// or after it.
#define _GNU_SOURCE // REG_RIP, feenableexcept
#include "check.h"

#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

enum { PAGES = 64, ROUNDS = 50, DUMP_STACK = 64 << 10 };

static void install(int number, void (*handler)(int, siginfo_t *, void *), int flags, struct sigaction *before) {
  const struct sigaction action = {.sa_sigaction = handler, .sa_flags = flags | SA_SIGINFO};
  CHECK(sigaction(number, &action, before) == 0);
}

static size_t page;
static char *area; // PAGES pages of each thread, which a handler makes accessible
static volatile sig_atomic_t repaired;
static struct sigaction next;

// As in a virtual machine or a garbage collector: the handler repairs a fault in the area, and calls the
// previous handler for other faults.
static void on_barrier(int number, siginfo_t *info, void *context) {
  char *at = info->si_addr;
  if (at >= area && at < area + 2 * PAGES * page) {
    __atomic_fetch_add(&repaired, 1, __ATOMIC_RELAXED);
    if (mprotect(area + (size_t)(at - area) / page * page, page, PROT_READ | PROT_WRITE) != 0)
      _exit(1);
  } else if (next.sa_flags & SA_SIGINFO) {
    next.sa_sigaction(number, info, context);
  } else {
    signal(number, SIG_DFL); // the access faults again
  }
}

static void own_barrier(void) {
  page = (size_t)sysconf(_SC_PAGESIZE);
  area = mmap(NULL, 2 * PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(area != MAP_FAILED);
  install(SIGSEGV, on_barrier, SA_RESTART, &next);
}

static void enter_go(void) {
  acp_ga_t block = acp_malloc(100000, acp_rank());
  CHECK(block != ACP_GA_NULL);
  acp_free(block);
}

// Half of the area is touched by each thread, and by the library: registered memory is copied in Go or in C.
static void *use_barrier(void *half) {
  char *mine = half;
  acp_atkey_t key = acp_register_memory(mine, PAGES * page, 0);
  CHECK(key != ACP_ATKEY_NULL);
  acp_ga_t to = acp_query_ga(key, mine), from = acp_query_starter_ga(acp_rank());
  for (int round = 0; round < ROUNDS; round++) {
    CHECK(mprotect(mine, PAGES * page, PROT_NONE) == 0);
    for (size_t i = 0; i < PAGES / 2; i++) {
      mine[i * page] = (char)round;
      enter_go();
    }
    for (size_t i = PAGES / 2; i < PAGES; i++)
      acp_complete(acp_copy(to + i * page, from, 8, ACP_HANDLE_NULL));
    acp_complete(acp_copy(to, from, PAGES / 2 * page, ACP_HANDLE_NULL));
  }
  CHECK(acp_unregister_memory(key) == 0);
  return NULL;
}

static void check_barrier(void) {
  pthread_t other;
  CHECK(pthread_create(&other, NULL, use_barrier, area + PAGES * page) == 0);
  use_barrier(area);
  CHECK(pthread_join(other, NULL) == 0 && repaired == 2 * PAGES * ROUNDS);
}

static struct sigaction before_dump[NSIG];

// As faulthandler of Python: prints the signal and calls the previous handler.
static void on_dump(int number, siginfo_t *info, void *context) {
  (void)info, (void)context;
  const char text[] = "dump\n";
  CHECK(write(STDERR_FILENO, text, sizeof text - 1) == sizeof text - 1);
  CHECK(sigaction(number, &before_dump[number], NULL) == 0);
  raise(number);
}

static void own_dump(void) {
  static const int numbers[] = {SIGSEGV, SIGFPE, SIGBUS, SIGILL, SIGABRT};
  static char memory[DUMP_STACK];
  const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
  CHECK(sigaltstack(&stack, NULL) == 0);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    install(numbers[i], on_dump, SA_NODEFER | SA_ONSTACK, &before_dump[numbers[i]]);
}

static void check_dump(void) {
  for (int i = 0; i < 1000; i++)
    enter_go(); // on the alternate stack of the host
  static volatile int *volatile nowhere;
  *nowhere = 1;
}

static sigjmp_buf back;
static volatile sig_atomic_t trapped;

static void trap(void) { CHECK(feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW) != -1); }

static void on_trap(int number, siginfo_t *info, void *context) {
  (void)number, (void)info, (void)context;
  trapped++;
  trap(); // the kernel has masked the traps for the handler
  siglongjmp(back, 1);
}

// As in a program in Fortran that is compiled with -ffpe-trap=zero,invalid,overflow.
static void own_trap(void) {
  install(SIGFPE, on_trap, 0, NULL);
  trap();
}

static void *use_trap(void *unused) {
  trap(); // of each thread
  for (volatile int i = 0; i < ROUNDS; i++) {
    enter_go();
    if (sigsetjmp(back, 1) == 0) {
      volatile double zero = 0, one = 1;
      one = one / zero;
#ifndef __x86_64__
      raise(SIGFPE); // where processors need not have traps
#endif
    }
  }
  return unused;
}

static void check_trap(void) {
  pthread_t other;
  use_trap(NULL);
  CHECK(pthread_create(&other, NULL, use_trap, NULL) == 0 && pthread_join(other, NULL) == 0);
  CHECK(trapped == 2 * ROUNDS);
}

static const struct host {
  const char *name;
  void (*own)(void), (*check)(void);
} hosts[] = {{"barrier", own_barrier, check_barrier}, {"dump", own_dump, check_dump}, {"trap", own_trap, check_trap}};

static const struct host *host;

static void begin(char **argv, const char *when) {
  if (strcmp(argv[2], when) == 0)
    host->own();
}

// The runtime of Go is loaded by a constructor that comes later.
__attribute__((constructor(102))) static void load(int argc, char **argv) {
  CHECK(argc >= 3);
  for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
    if (strcmp(argv[1], hosts[i].name) == 0)
      host = &hosts[i];
  CHECK(host != NULL);
  begin(argv, "load");
}

int main(int argc, char **argv) {
  begin(argv, "before");
  CHECK(acp_init(&argc, &argv) == 0);
  begin(argv, "after");
  host->check();
  CHECK(acp_sync() == 0 && acp_finalize() == 0);
  return 0;
}
