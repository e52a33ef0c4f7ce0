//go:build cgo

#include "library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

// The functions of the library that is loaded.
static struct {
#define POINTER(result, name, parameters) result(*name) parameters;
  PMIX_FUNCTIONS(POINTER)
} pmix;
static void *loaded;

static struct pmix_proc self, server;
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

// Runs in a thread of libpmix. The event concerns the launcher only if its source is the server of this
// process. A server of Open MPI 4 also stores events about processes whose connection ended late, and sends
// them to the next program of the rank as soon as that registers its handler.
static void on_lost(size_t id, int status, const struct pmix_proc *source, struct pmix_info *info, size_t ninfo,
                    struct pmix_info *results, size_t nresults, pmix_handled *handled, void *data) {
  (void)id, (void)status, (void)info, (void)ninfo, (void)results, (void)nresults;
  if (source && source->rank == server.rank && strncmp(source->nspace, server.nspace, sizeof server.nspace) == 0)
    eventfd_write(lost_descriptor, 1);
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

// Copies a text, and frees it.
static int take(char *from, char *text, size_t size) {
  size_t length = from ? strnlen(from, size) : size;
  if (length < size)
    memcpy(text, from, length + 1);
  free(from);
  return length < size ? PMIX_SUCCESS : GOACP_PMIX_GARBAGE;
}

// Gets a text, with a zero byte, into size bytes.
static int get_text(uint32_t rank, const char *key, char *text, size_t size) {
  struct pmix_value *value;
  int status = get(rank, key, PMIX_STRING, &value);
  if (status != PMIX_SUCCESS)
    return status;
  status = take(value->data.string, text, size);
  free(value);
  return status;
}

static int get_number(uint32_t rank, const char *key, uint16_t type, uint32_t *number) {
  struct pmix_value *value;
  int status = get(rank, key, type, &value);
  if (status != PMIX_SUCCESS)
    return status;
  *number = value->data.uint32;
  free(value);
  return PMIX_SUCCESS;
}

int goacp_pmix_init(int lost, uint32_t *rank, uint32_t *size) {
  lost_descriptor = lost;
  int status = pmix.Init(&self, NULL, 0);
  if (status != PMIX_SUCCESS)
    return status;
  *rank = self.rank;
  status = get_text(self.rank, PMIX_SERVER_NSPACE, server.nspace, sizeof server.nspace);
  if (status == PMIX_SUCCESS)
    status = get_number(self.rank, PMIX_SERVER_RANK, PMIX_PROC_RANK, &server.rank);
  if (status == PMIX_SUCCESS) {
    int code = PMIX_ERR_LOST_CONNECTION;
    // A status that is positive is the number of the handler.
    status = pmix.Register_event_handler(&code, 1, NULL, 0, on_lost, NULL, NULL);
    if (status >= PMIX_SUCCESS)
      status = get_number(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, PMIX_UINT32, size);
  }
  if (status != PMIX_SUCCESS)
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

int goacp_pmix_get(uint32_t rank, const char *key, char *text, size_t size) { return get_text(rank, key, text, size); }

// Makes the key of a published value. Launchers may have one name space for all their jobs.
static int make_key(char made[PMIX_KEY_BYTES], const char *key) {
  if (strlen(self.nspace) + 1 + strlen(key) >= PMIX_KEY_BYTES)
    return GOACP_PMIX_GARBAGE;
  strcpy(made, self.nspace);
  strcat(made, ".");
  strcat(made, key);
  return PMIX_SUCCESS;
}

int goacp_pmix_publish(const char *key, char *text) {
  struct pmix_info info;
  memset(&info, 0, sizeof info);
  info.value.type = PMIX_STRING;
  info.value.data.string = text;
  int status = make_key(info.key, key);
  return status == PMIX_SUCCESS ? pmix.Publish(&info, 1) : status;
}

int goacp_pmix_lookup(const char *key, char *text, size_t size) {
  struct pmix_info waits;
  memset(&waits, 0, sizeof waits);
  strcpy(waits.key, PMIX_WAIT);
  waits.value.type = PMIX_INT;
  waits.value.data.integer = 0; // for all values that it asks for
  struct pmix_pdata data;
  memset(&data, 0, sizeof data);
  int status = make_key(data.key, key);
  if (status == PMIX_SUCCESS)
    status = pmix.Lookup(&data, 1, &waits, 1);
  if (status != PMIX_SUCCESS)
    return status;
  return data.value.type == PMIX_STRING ? take(data.value.data.string, text, size) : GOACP_PMIX_GARBAGE;
}

int goacp_pmix_abort(int status) { return pmix.Abort(status, "the run of ACP is over", NULL, 0); }
int goacp_pmix_finalize(void) { return pmix.Finalize(NULL, 0); }
