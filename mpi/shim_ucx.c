//go:build mpi

// What there is between this library and UCX, which MPI uses.

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
// keeps it from that. Where UCX is loaded already, it has set its handlers
// before those of Go, reads the list no more, and warns of a variable that
// nobody has read.
void goacp_mpi_keep_signals(void) {
  if (!dl_iterate_phdr(is_ucx, NULL))
    setenv("UCX_ERROR_SIGNALS", "", 0);
}

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5

#include <dlfcn.h>
#include <stdint.h>

// From the interface of UCX, whose headers need not be there. Of the parameters these
// are the first two.
enum { SINGLE = 0, SERIALIZED = 1 }; // ucs_thread_mode_t
enum { THREAD_MODE = 1 };            // UCP_WORKER_PARAM_FIELD_THREAD_MODE
enum { NOT_IMPLEMENTED = -8 };       // UCS_ERR_NOT_IMPLEMENTED
struct worker_params {
  uint64_t field_mask;
  int thread_mode;
};
typedef int create_worker(void *context, const struct worker_params *params,
                          void **worker);

static create_worker *next_create(void) {
  create_worker *next = (create_worker *)dlsym(RTLD_NEXT, "ucp_worker_create");
  if (next)
    return next;
  // Loaded by a plugin, UCX is next to nobody.
  void *ucx = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
  return ucx ? (create_worker *)dlsym(ucx, "ucp_worker_create") : NULL;
}

// The windows of Open MPI 5 (5.0.7) enter a worker from any thread, one at a time, but
// promise UCX that it is always the same. A UCX that was built with assertions, as that
// of Debian 13, ends the process at the second thread.
__attribute__((visibility("default"))) int
ucp_worker_create(void *context, const struct worker_params *params,
                  void **worker) {
  static const struct worker_params serialized = {THREAD_MODE, SERIALIZED};
  if (params->field_mask == THREAD_MODE && params->thread_mode == SINGLE)
    params = &serialized;
  create_worker *create = next_create();
  return create ? create(context, params, worker) : NOT_IMPLEMENTED;
}

#endif
