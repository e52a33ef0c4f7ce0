//go:build mpi

// Functions of UCX, which MPI uses, that this library replaces or prevents.

#define _GNU_SOURCE // dl_iterate_phdr, RTLD_NEXT

#include "shim.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

static int is_ucx(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size, (void)data;
  return strstr(info->dlpi_name, "libucs.so") != NULL;
}

// Open MPI loads UCX during MPI_Init, and UCX would then replace the handlers
// by which the Go runtime turns faults into panics. An empty list of signals
// prevents that. If UCX is loaded already, it has set its handlers before those of Go.
// It does not read the list any more, and would warn of an unused variable.
void goacp_mpi_keep_signals(void) {
  if (!dl_iterate_phdr(is_ucx, NULL))
    setenv("UCX_ERROR_SIGNALS", "", 0);
}

// The functions below have the names of functions of UCX. MPI calls them instead of those of
// UCX, and they correct what MPI does wrong. They are in this file because a linker takes from
// libmacp.a only files that other code refers to. A worker of UCX makes communication
// progress.

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static __attribute__((unused)) void *ucx(const char *name) {
  void *next = dlsym(RTLD_NEXT, name);
  if (next)
    return next;
  // A plugin of MPI has loaded UCX, so that it does not follow this library in the search
  // order.
  void *library = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
  return library ? dlsym(library, name) : NULL;
}

typedef void destroy_worker(void *worker);
typedef unsigned progress_worker(void *worker);

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5

// The windows of Open MPI 5 have one worker for each thread that uses them, and the first
// of them, the default worker, serves accesses by others, also by the other threads of
// its process.

// From the interface of UCX, whose headers need not be there. Of the parameters these
// are the first two.
enum { SINGLE = 0, SERIALIZED = 1 }; // ucs_thread_mode_t
enum { THREAD_MODE = 1 };            // UCP_WORKER_PARAM_FIELD_THREAD_MODE
enum { IN_PROGRESS = 1 };            // UCS_INPROGRESS
enum { NOT_IMPLEMENTED = -8 };       // UCS_ERR_NOT_IMPLEMENTED
enum { LAST_ERROR = -100 };          // UCS_ERR_LAST
enum { FLUSH = 1 };                  // UCP_EP_CLOSE_MODE_FLUSH
struct worker_params {
  uint64_t field_mask;
  int thread_mode;
};
typedef int create_worker(void *context, const struct worker_params *params,
                          void **worker);
typedef void destroy_endpoint(void *endpoint);
typedef void *close_endpoint(void *endpoint, unsigned mode);
typedef int check_request(void *request);
typedef void free_request(void *request);

// The workers of windows. A process has few, unless it starts many threads. progress_all makes no progress
// for further workers.
enum { ROOM = 1024 };
static void *workers[ROOM];
static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// The windows of Open MPI 5 (5.0.7) use a worker from any thread, one at a time, but create it with the
// parameter that only one thread uses it. If UCX was built with assertions, as in Debian 13, it ends the
// process when the second thread does.
__attribute__((visibility("default"))) int
ucp_worker_create(void *context, const struct worker_params *params,
                  void **worker) {
  static const struct worker_params serialized = {THREAD_MODE, SERIALIZED};
  create_worker *create = (create_worker *)ucx("ucp_worker_create");
  if (!create)
    return NOT_IMPLEMENTED;
  if (params->field_mask != THREAD_MODE || params->thread_mode != SINGLE)
    return create(context, params, worker);
  int status = create(context, &serialized, worker);
  pthread_mutex_lock(&lock);
  if (status == 0 && count < ROOM)
    workers[count++] = *worker;
  pthread_mutex_unlock(&lock);
  return status;
}

__attribute__((visibility("default"))) void ucp_worker_destroy(void *worker) {
  pthread_mutex_lock(&lock);
  for (int i = 0; i < count; i++)
    if (workers[i] == worker)
      workers[i--] = workers[--count];
  pthread_mutex_unlock(&lock);
  destroy_worker *destroy = (destroy_worker *)ucx("ucp_worker_destroy");
  if (destroy)
    destroy(worker);
}

static void progress_all(void) {
  progress_worker *progress = (progress_worker *)ucx("ucp_worker_progress");
  pthread_mutex_lock(&lock);
  for (int i = 0; progress && i < count; i++)
    progress(workers[i]);
  pthread_mutex_unlock(&lock);
}

static atomic_int alone; // threads in goacp_mpi_win_free_alone

int goacp_mpi_win_free_alone(MPI_Win *win) {
  atomic_fetch_add(&alone, 1);
  int rc = MPI_Win_free(win);
  atomic_fetch_sub(&alone, 1);
  return rc;
}

// MPI_Win_free of Open MPI 5 (5.0.7) closes the endpoints of other threads than its own
// while it holds a lock that every thread needs to make the default worker progress. Over
// tcp an endpoint may wait for the default worker of its own process, or of another one that
// does the same, for ever. So this function makes all workers progress meanwhile, if no other
// thread uses one of them.
__attribute__((visibility("default"))) void ucp_ep_destroy(void *endpoint) {
  close_endpoint *close = (close_endpoint *)ucx("ucp_ep_close_nb");
  check_request *check = (check_request *)ucx("ucp_request_check_status");
  free_request *release = (free_request *)ucx("ucp_request_free");
  if (!atomic_load(&alone) || !close || !check || !release) {
    destroy_endpoint *destroy = (destroy_endpoint *)ucx("ucp_ep_destroy");
    if (destroy)
      destroy(endpoint);
    return;
  }
  void *request = close(endpoint, FLUSH);
  intptr_t value = (intptr_t)request;
  if (value == 0 || (value < 0 && value >= LAST_ERROR))
    return; // closed, or an error that ucp_ep_destroy ignores, too
  while (check(request) == IN_PROGRESS)
    progress_all();
  release(request);
}

#else

int goacp_mpi_win_free_alone(MPI_Win *win) { return MPI_Win_free(win); }

#endif

#ifdef MPICH_VERSION

// MPI_Finalize of MPICH over UCX closes the endpoints, makes progress until all of its own
// are closed, and then waits for the other ranks in a barrier of the process manager,
// where it makes no progress. An endpoint over tcp is closed when the other rank has
// acknowledged what was sent, for which that rank has to make progress. If it is in the
// barrier already, both wait for ever (MPICH 4.0.2, UCX 1.13). So a thread makes progress
// from the first closing until MPICH destroys the worker, which is after the barrier.

#include <time.h>

typedef void *disconnect(void *endpoint);

static _Atomic(void *) worker; // that MPICH has used last; it has one
static atomic_int closing;     // the thread has been started
static atomic_int closed;      // the thread has to end
static pthread_t closer;
static pthread_mutex_t worker_lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void *w) {
  static _Atomic(progress_worker *) known;
  progress_worker *progress = atomic_load_explicit(&known, memory_order_relaxed);
  if (!progress) {
    if (!(progress = (progress_worker *)ucx("ucp_worker_progress")))
      return 0;
    atomic_store(&known, progress);
  }
  if (!atomic_load_explicit(&closing, memory_order_relaxed)) {
    atomic_store_explicit(&worker, w, memory_order_relaxed);
    return progress(w);
  }
  pthread_mutex_lock(&worker_lock);
  unsigned count = progress(w);
  pthread_mutex_unlock(&worker_lock);
  return count;
}

static void *progress_until_closed(void *w) {
  const struct timespec pause = {0, 200000};
  while (!atomic_load(&closed)) {
    ucp_worker_progress(w);
    nanosleep(&pause, NULL);
  }
  return NULL;
}

// Returns whether the caller is MPICH, and not a program that uses UCX itself.
static int is_mpich(const void *caller) {
  Dl_info where;
  return dladdr(caller, &where) && where.dli_fname && strstr(where.dli_fname, "libmpi");
}

// MPICH calls this only in MPI_Finalize.
__attribute__((visibility("default"))) void *ucp_disconnect_nb(void *endpoint) {
  disconnect *close = (disconnect *)ucx("ucp_disconnect_nb");
  void *w = atomic_load(&worker);
  if (!close)
    return NULL;
  if (!is_mpich(__builtin_return_address(0)))
    return close(endpoint);
  pthread_mutex_lock(&worker_lock);
  if (w && !atomic_load(&closing)) {
    atomic_store(&closing, 1);
    if (pthread_create(&closer, NULL, progress_until_closed, w) != 0)
      atomic_store(&closing, 0); // without the thread, MPICH may hang as described above
  }
  void *request = close(endpoint);
  pthread_mutex_unlock(&worker_lock);
  return request;
}

__attribute__((visibility("default"))) void ucp_worker_destroy(void *w) {
  if (atomic_load(&closing) && w == atomic_load(&worker)) {
    atomic_store(&closed, 1);
    pthread_join(closer, NULL);
    atomic_store(&closing, 0);
  }
  destroy_worker *destroy = (destroy_worker *)ucx("ucp_worker_destroy");
  if (destroy)
    destroy(w);
}

#endif
