//go:build cgo

#include "library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The functions of the library that is loaded.
static struct {
#define POINTER(result, name, parameters) result(*name) parameters;
  PMIX_FUNCTIONS(POINTER)
} pmix;
static void *loaded;

static struct pmix_proc self;
static int lost_descriptor;

const char *goacp_pmix_load(const char *file) {
  if (loaded)
    return NULL;
  // Its components find its functions by global names, as they do in programs that are linked with it.
  void *library = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    return dlerror();
#define FIND(result, name, parameters)                                                                                 \
  if (!(*(void **)&pmix.name = dlsym(library, "PMIx_" #name)))                                                         \
    return dlerror();
  PMIX_FUNCTIONS(FIND)
  loaded = library;
  return NULL;
}

const char *goacp_pmix_version(void) { return pmix.Get_version(); }
const char *goacp_pmix_error(int status) { return pmix.Error_string(status); }

// Is called by a thread of libpmix.
static void on_lost(size_t id, int status, const struct pmix_proc *source, struct pmix_info *info, size_t ninfo,
                    struct pmix_info *results, size_t nresults, pmix_handled *handled, void *data) {
  (void)id, (void)status, (void)source, (void)info, (void)ninfo, (void)results, (void)nresults;
  if (write(lost_descriptor, "", 1) < 0) {
    // The reader does not wait any more.
  }
  if (handled)
    handled(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, data);
}

static void set_flag(struct pmix_info *info, const char *key) {
  memset(info, 0, sizeof *info);
  strcpy(info->key, key);
  info->value.type = PMIX_BOOL;
  info->value.data.flag = true;
}

// Gets a value of a type, which the caller frees.
static int get(uint32_t rank, const char *key, uint16_t type, struct pmix_value **value) {
  struct pmix_proc proc = self;
  proc.rank = rank;
  // Otherwise the library may wait for ever for a value that no process has stored.
  struct pmix_info immediate;
  set_flag(&immediate, PMIX_IMMEDIATE);
  *value = NULL;
  int status = pmix.Get(&proc, key, &immediate, 1, value);
  if (status != PMIX_SUCCESS)
    return status;
  if (*value && (*value)->type == type)
    return PMIX_SUCCESS;
  free(*value);
  return GOACP_PMIX_GARBAGE;
}

int goacp_pmix_init(int lost, uint32_t *rank, uint32_t *size) {
  lost_descriptor = lost;
  int status = pmix.Init(&self, NULL, 0);
  if (status != PMIX_SUCCESS)
    return status;
  *rank = self.rank;
  struct pmix_value *value;
  int code = PMIX_ERR_LOST_CONNECTION;
  // A status that is positive is the number of the handler.
  status = pmix.Register_event_handler(&code, 1, NULL, 0, on_lost, NULL, NULL);
  if (status >= PMIX_SUCCESS)
    status = get(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, PMIX_UINT32, &value);
  if (status == PMIX_SUCCESS) {
    *size = value->data.uint32;
    free(value);
    return PMIX_SUCCESS;
  }
  pmix.Finalize(NULL, 0);
  return status;
}

int goacp_pmix_put(const char *key, char *text) {
  struct pmix_value value = {.type = PMIX_STRING, .data.string = text};
  int status = pmix.Put(PMIX_GLOBAL, key, &value);
  return status == PMIX_SUCCESS ? pmix.Commit() : status;
}

int goacp_pmix_fence(void) {
  struct pmix_info collect;
  set_flag(&collect, PMIX_COLLECT_DATA);
  return pmix.Fence(NULL, 0, &collect, 1);
}

int goacp_pmix_get(uint32_t rank, const char *key, char *text, size_t size) {
  struct pmix_value *value;
  int status = get(rank, key, PMIX_STRING, &value);
  if (status != PMIX_SUCCESS)
    return status;
  size_t length = value->data.string ? strnlen(value->data.string, size) : size;
  if (length < size)
    memcpy(text, value->data.string, length + 1);
  else
    status = GOACP_PMIX_GARBAGE;
  free(value->data.string);
  free(value);
  return status;
}

int goacp_pmix_abort(int status) { return pmix.Abort(status, "the run of ACP is over", NULL, 0); }
int goacp_pmix_finalize(void) { return pmix.Finalize(NULL, 0); }
