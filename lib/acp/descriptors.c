// acp_init opens its descriptors with high numbers. If the program closes descriptors that it does not own, for
// example by a loop over all numbers, the process ends: the Go runtime would write to files that the program opens
// later with these numbers.

#define _GNU_SOURCE // pipe2, F_SETSIG

#include "descriptors.h"
#include "process.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

// How many numbers are left to the program, unless its limit is low.
enum { LOW = 128 };

static int held[LOW];
static int holding;

void goacp_hold_low_descriptors(void) {
  struct rlimit limit;
  int below = LOW;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / 4 < LOW)
    below = (int)(limit.rlim_cur / 4);
  int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  for (holding = 0; fd >= 0 && fd < below; fd = fcntl(fd, F_DUPFD_CLOEXEC, 0))
    held[holding++] = fd;
  if (fd >= 0)
    close(fd);
}

void goacp_release_low_descriptors(void) {
  while (holding > 0)
    close(held[--holding]);
}

// The ends of a pipe. The reader wakes only when the other end is closed. While the thread reads, the kernel keeps
// the read end, even if the program closes it.
static int ends[2];
static pthread_t watcher;
static int watching, ending;
static struct sigaction before;

static void end(void) {
  static const char line[] =
      "acp: the program has closed descriptors of the library, which cannot go on\n";
  if (!__atomic_load_n(&watching, __ATOMIC_RELAXED))
    return;
  if (!__atomic_exchange_n(&ending, 1, __ATOMIC_RELAXED))
    goacp_end(line, sizeof line - 1);
  for (;;) // another thread is ending the process
    pause();
}

static void *watch(void *unused) {
  char byte;
  ssize_t n;
  while ((n = read(ends[0], &byte, 1)) < 0)
    ;
  if (n == 0)
    end();
  return unused;
}

// The kernel also sends SIGURG when the pipe is closed. If the first thread of the process closes
// it, that thread gets the signal and closes nothing more. The watching thread alone would race
// with the Go runtime, which prints a trace when its descriptor for epoll is gone. The Go runtime
// handles SIGURG anyway, and programs without a handler ignore it.
static void on_urgent(int number, siginfo_t *info, void *context) {
  if (info->si_code == POLL_IN && info->si_fd == ends[0])
    end();
  else if ((before.sa_flags & SA_SIGINFO) != 0)
    before.sa_sigaction(number, info, context);
  else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
    before.sa_handler(number);
}

static void ask_for_signal(void) {
  struct sigaction ours;
  if (sigaction(SIGURG, NULL, &before) != 0)
    return;
  ours = before;
  ours.sa_flags |= SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  ours.sa_sigaction = on_urgent;
  if (sigaction(SIGURG, &ours, NULL) == 0 && fcntl(ends[0], F_SETOWN, getpid()) == 0 &&
      fcntl(ends[0], F_SETSIG, SIGURG) == 0)
    (void)fcntl(ends[0], F_SETFL, O_ASYNC);
}

static void ask_no_more(void) {
  struct sigaction now;
  (void)fcntl(ends[0], F_SETFL, 0);
  if (sigaction(SIGURG, NULL, &now) == 0 && now.sa_sigaction == on_urgent)
    (void)sigaction(SIGURG, &before, NULL);
}

// Starts the thread with all signals blocked, so that it gets no signal of the program.
static int start(void) {
  pthread_attr_t attributes;
  sigset_t all, own;
  if (pthread_attr_init(&attributes) != 0)
    return 0;
  (void)pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN + (64 << 10));
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &own);
  int started = pthread_create(&watcher, &attributes, watch, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &own, NULL);
  pthread_attr_destroy(&attributes);
  return started;
}

void goacp_watch_descriptors(void) {
  if (pipe2(ends, O_CLOEXEC) != 0)
    return;
  watching = 1;
  if (start()) {
    ask_for_signal();
  } else {
    watching = 0;
    close(ends[0]);
    close(ends[1]);
  }
}

void goacp_unwatch_descriptors(void) {
  if (!__atomic_exchange_n(&watching, 0, __ATOMIC_RELAXED))
    return;
  ask_no_more();
  while (write(ends[1], "", 1) < 0)
    ;
  pthread_join(watcher, NULL);
  close(ends[0]);
  close(ends[1]);
}
