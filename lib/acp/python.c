// Copies and links of the package goacp for Python. A call from Python takes longer than a copy of a few bytes, so one
// call gets the memory of the caller by its pointer, begins the copy, and reports whether it is complete.
//
// docs/performance.md measures it in the table of languages, as "put 8 B of a slice" and "8 B there and back".

#include "acp.h"
#include "acp_couple.h"
#include "bind.h"
#include "direct.h"
#include "python.h"
#include "traffic.h"

#include <errno.h>
#include <pthread.h>

uint64_t goacp_python_ga(const void *memory, size_t size) {
  const struct goacp_direct *t = goacp_direct();
  if (t == NULL)
    return ACP_GA_NULL;
  struct goacp_heap h = goacp_heap_of(t, goacp_load_relaxed(&t->rank));
  uint64_t offset = (uint64_t)((uintptr_t)memory - (uintptr_t)h.start);
  return h.start != NULL && goacp_within(offset, size, 0, h.size) ? h.first + offset : ACP_GA_NULL;
}

// Where the size bytes at ga lie in this process, if C can copy them now, and otherwise NULL.
static void *mapped(const struct goacp_direct *t, uint64_t ga, size_t size) {
  return goacp_idle(t) && goacp_traffic(t) == NULL ? goacp_at(t, ga, size) : NULL;
}

// The newest transfer at whose completion a failure was reported, and its number. The failure may be of an older one: a call
// reports those of all transfers up to its handle, each once.
static struct {
  acp_handle_t newest;
  int number;
} failed;

static pthread_mutex_t failed_lock = PTHREAD_MUTEX_INITIALIZER;

// Keeps the number of a failure that has been reported for a handle, if it is one. Returns the number for the handle.
static int failure_of(acp_handle_t handle, int number) {
  pthread_mutex_lock(&failed_lock);
  if (number != 0 && handle > failed.newest) {
    failed.newest = handle;
    failed.number = number;
  }
  number = handle <= failed.newest ? failed.number : 0;
  pthread_mutex_unlock(&failed_lock);
  return number;
}

void goacp_python_begin(void) {
  pthread_mutex_lock(&failed_lock);
  failed.newest = ACP_HANDLE_NULL;
  pthread_mutex_unlock(&failed_lock);
}

int goacp_python_complete(acp_handle_t handle, int wait) {
  goacp_set_errno(0);
  if (wait)
    acp_complete(handle);
  if (acp_inquire(handle))
    return GOACP_PYTHON_UNDER_WAY;
  const int number = acp_error_number();
  return failure_of(handle, number == ETIMEDOUT ? 0 : number); // the time of acp_complete may be over just before
}

// The result of a copy between addresses.
static uint64_t begun(acp_handle_t handle) {
  if (handle == ACP_HANDLE_NULL)
    return handle;
  const int number = goacp_python_complete(handle, 0);
  return number == GOACP_PYTHON_UNDER_WAY ? handle : number == 0 ? GOACP_PYTHON_COMPLETE : ACP_HANDLE_NULL;
}

uint64_t goacp_python_put(acp_ga_t dst, const void *src, size_t size) {
  void *to = mapped(goacp_direct(), dst, size);
  if (to != NULL) {
    goacp_move(to, src, size);
    return GOACP_PYTHON_COMPLETE;
  }
  acp_ga_t from = goacp_python_ga(src, size);
  return from == ACP_GA_NULL ? GOACP_PYTHON_PRIVATE : begun(acp_copy(dst, from, size, ACP_HANDLE_NULL));
}

uint64_t goacp_python_get(void *dst, acp_ga_t src, size_t size) {
  const void *from = mapped(goacp_direct(), src, size);
  if (from != NULL) {
    goacp_move(dst, from, size);
    return GOACP_PYTHON_COMPLETE;
  }
  acp_ga_t to = goacp_python_ga(dst, size);
  return to == ACP_GA_NULL ? GOACP_PYTHON_PRIVATE : begun(acp_copy(to, src, size, ACP_HANDLE_NULL));
}

int goacp_python_send(acp_link_t link, int64_t step) { return acp_send_link(link, step) == 0 ? 0 : acp_error_number(); }

int goacp_python_receive(acp_link_t link, int64_t step) { return acp_receive_link(link, step) == 0 ? 0 : acp_error_number(); }
