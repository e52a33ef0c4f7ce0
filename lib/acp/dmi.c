//go:build !mpi

// The part of libacp that libdmi uses in addition to the Go functions of dmi*.go: what happens before and after a call into Go,
// threads of DMI, and calls of functions of the program.

#include "_cgo_export.h"
#include "atomics.h"
#include "bind.h"
#include "dmi_bind.h"
#include "dmi_found.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A thread that has called a function of DMI. Records are never freed, because goacp_dmi_close may read them; a new thread takes that
// of one that has ended.
struct caller {
  uint32_t how;   // 0: in no function; otherwise one of enum goacp_dmi_how
  uint32_t taken; // by a thread that has not ended
  struct caller *next;
  struct goacp_dmi_found *found; // pages; NULL before the first access
};

static struct caller *callers;
static uint32_t closed; // not 0: the run has ended

static _Thread_local struct {
  struct caller *caller;
  int self;   // the number of the thread of DMI and 1, or 0
  int inside; // DMI_function
} own __attribute__((tls_model("initial-exec")));

static pthread_key_t ending; // its destructor gives the record of a thread back
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int usable;

static void give_back(void *caller) {
  own.caller = NULL;
  goacp_store_release(&((struct caller *)caller)->taken, 0);
}

static void prepare(void) { usable = pthread_key_create(&ending, give_back) == 0; }

static struct caller *find_caller(void) {
  for (struct caller *c = goacp_load_acquire(&callers); c != NULL; c = c->next) {
    uint32_t none = 0;
    if (goacp_compare_exchange_acquire(&c->taken, &none, 1))
      return c;
  }
  struct caller *c = calloc(1, sizeof *c);
  if (c == NULL)
    return NULL;
  c->taken = 1;
  c->next = goacp_load_relaxed(&callers);
  while (!goacp_compare_exchange_release(&callers, &c->next, c))
    ;
  return c;
}

// Gives the calling thread a record. A thread without memory for one has none, and is not waited for.
static struct caller *new_caller(void) {
  static struct caller none;
  pthread_once(&once, prepare);
  struct caller *c = usable ? find_caller() : NULL;
  if (c == NULL)
    return &none;
  if (pthread_setspecific(ending, c) != 0) {
    goacp_store_release(&c->taken, 0);
    return &none;
  }
  return own.caller = c;
}

struct goacp_dmi_found *goacp_dmi_found(void) {
  struct caller *c = own.caller;
  // goacp_dmi_close does not wait for other threads: the memory of pages may go while they are in a function.
  if (__builtin_expect(c == NULL || goacp_load_relaxed(&c->how) != GOACP_DMI_WORKS, 0))
    return NULL;
  if (__builtin_expect(c->found == NULL, 0))
    c->found = calloc(GOACP_DMI_FOUND_PAGES, sizeof *c->found);
  return c->found;
}

// Waits for the end of the process.
static __attribute__((noreturn, cold)) void stay(void) {
  for (;;)
    pause();
}

void goacp_dmi_refuse(const char *why) {
  goacp_set_errno(EINVAL);
  goacp_set_reason(why);
}

int goacp_dmi_enter(const char *function, const void *site, int how) {
  goacp_enter_go(function);
  goacp_function = function;
  goacp_site = site;
  if (__builtin_expect(own.inside, 0)) {
    goacp_dmi_refuse("DMI_function calls it");
    return 0;
  }
  struct caller *c = own.caller;
  if (__builtin_expect(c == NULL, 0))
    c = new_caller();
  // Either goacp_dmi_close sees this, or this thread sees that it has been called.
  goacp_exchange_seq_cst(&c->how, (uint32_t)how);
  if (__builtin_expect(goacp_load_seq_cst(&closed) != 0, 0)) {
    goacp_store_release(&c->how, 0);
    stay();
  }
  return 1;
}

void goacp_dmi_begin_wait(void) {
  struct caller *c = own.caller;
  if (c != NULL)
    goacp_store_release(&c->how, GOACP_DMI_WAITS);
}

void goacp_dmi_end_wait(void) {
  struct caller *c = own.caller;
  if (c == NULL)
    return;
  goacp_exchange_seq_cst(&c->how, GOACP_DMI_WORKS); // as in goacp_dmi_enter
  if (__builtin_expect(goacp_load_seq_cst(&closed) != 0, 0)) {
    goacp_store_release(&c->how, 0);
    stay();
  }
}

int goacp_dmi_leave(int result) {
  struct caller *c = own.caller;
  if (c != NULL)
    goacp_store_release(&c->how, 0);
  if (__builtin_expect(goacp_load_acquire(&closed) != 0, 0))
    stay();
  return result;
}

void goacp_dmi_close(void) {
  const struct caller *self = own.caller;
  goacp_store_seq_cst(&closed, 1);
  for (struct caller *c = goacp_load_acquire(&callers); c != NULL; c = c->next)
    while (c != self && goacp_load_seq_cst(&c->how) == GOACP_DMI_WORKS)
      sched_yield();
}

int goacp_dmi_self(void) { return own.self - 1; }

void goacp_dmi_be_main(void) { own.self = 1; }

// --- functions of the program

static struct goacp_dmi_program program;

void goacp_dmi_set_program(const struct goacp_dmi_program *given) {
  goacp_keep_processors();
  memcpy(&program, given, given->size < sizeof program ? given->size : sizeof program);
}

// The arguments for the program are aligned, as those in memory of malloc are. Those of Go perhaps are not.
enum { ALIGNMENT = 16 };

static void *copied(const void *at, int64_t size) {
  void *copy = NULL;
  if (posix_memalign(&copy, ALIGNMENT, size > 0 ? (size_t)size : 1) != 0)
    abort();
  if (size > 0)
    memcpy(copy, at, (size_t)size);
  return copy;
}

static void *aligned(void *at, int64_t size) { return (uintptr_t)at % ALIGNMENT == 0 && at != NULL ? at : copied(at, size); }

// DMI_function has called pthread_exit. The access to the page would never end.
static void leave_function(void *unused) {
  char line[80];
  (void)unused;
  snprintf(line, sizeof line, "dmi: DMI_function in process %d calls pthread_exit instead of returning",
           GO_ENTERED(dmi_id));
  GO_ENTERED(dmi_fail, line);
}

// The function may change what it gets: out may be memory of the program.
void goacp_dmi_call_function(void *page, int64_t size, const void *out, int64_t out_size, void *in, int64_t in_size, int8_t tag) {
  void *out_copy = copied(out, out_size), *in_copy = aligned(in, in_size);
  own.inside++;
  pthread_cleanup_push(leave_function, NULL);
  program.function(page, size, out_copy, out_size, in_copy, in_size, tag);
  pthread_cleanup_pop(0);
  own.inside--;
  if (in_copy != in) {
    if (in_size > 0)
      memcpy(in, in_copy, (size_t)in_size);
    free(in_copy);
  }
  free(out_copy);
}

// --- threads

struct ending_thread {
  int number;
  int64_t result;
};

// Also for a thread that calls pthread_exit.
static void end_thread(void *memory) {
  const struct ending_thread *t = memory;
  GO_FOR("DMI_thread", dmi_thread_end, (t->number, t->result), t->number);
}

static void *run_thread(void *memory) {
  const struct goacp_dmi_thread t = *(struct goacp_dmi_thread *)memory;
  struct ending_thread end = {t.number, 0};
  free(memory);
  own.self = t.number + 1;
  if (!GO_FOR("DMI_thread", dmi_thread_begin, (t.number), t.number))
    return NULL;
  pthread_cleanup_push(end_thread, &end);
  if (t.is_unit)
    program.unit(t.rank, t.size, t.addr);
  else
    end.result = program.thread(t.addr);
  pthread_cleanup_pop(1);
  return NULL;
}

// Bytes of the smallest stack: functions of DMI call Go on it.
enum { LEAST_STACK = 256 << 10 };

int goacp_dmi_start(struct goacp_dmi_thread thread) {
  pthread_attr_t attributes;
  pthread_t made;
  struct goacp_dmi_thread *copy = malloc(sizeof *copy);
  if (copy == NULL)
    return ENOMEM;
  *copy = thread;
  int result = pthread_attr_init(&attributes);
  if (result != 0) {
    free(copy);
    return result;
  }
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  const size_t unit = (size_t)sysconf(_SC_PAGESIZE);
  if (thread.stack > 0) {
    size_t stack = thread.stack > LEAST_STACK ? (size_t)thread.stack : LEAST_STACK;
    result = pthread_attr_setstacksize(&attributes, (stack + unit - 1) / unit * unit);
  }
  if (result == 0)
    result = pthread_create(&made, &attributes, run_thread, copy);
  pthread_attr_destroy(&attributes);
  if (result != 0)
    free(copy);
  return result;
}
