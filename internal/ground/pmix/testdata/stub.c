// A libpmix for tests. The processes of a job meet in the folder STUB_FOLDER. STUB_SIZE is how many they are,
// and STUB_FAULT what goes wrong: the name of a function that fails, or one of the words below.
//
// Compiled with WITHOUT_FENCE it lacks a function.

#include "../abi.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pmix_handler *handler;
static pthread_t watching;
static bool lost; // the watching thread ends
static char staged_key[PMIX_KEY_BYTES], *staged;

static int fault(const char *name) {
  const char *given = getenv("STUB_FAULT");
  return given && strcmp(given, name) == 0;
}

static int status(const char *name) { return fault(name) ? -1 : PMIX_SUCCESS; }

__attribute__((format(printf, 2, 3))) static void path(char file[1024], const char *format, ...) {
  int n = snprintf(file, 1024, "%s/", getenv("STUB_FOLDER"));
  va_list words;
  va_start(words, format);
  vsnprintf(file + n, 1024 - n, format, words);
  va_end(words);
}

static int is_set(const struct pmix_info *info, const char *key) {
  return strcmp(info->key, key) == 0 && info->value.type == PMIX_BOOL && info->value.data.flag;
}

// Makes a file that others see as a whole.
static void leave(const char *file, const char *text) {
  char part[1100];
  snprintf(part, sizeof part, "%s.%d", file, (int)getpid());
  FILE *f = fopen(part, "w");
  if (!f || fputs(text, f) < 0 || fclose(f) != 0 || rename(part, file) != 0)
    abort();
}

static void await(const char *file) {
  while (access(file, F_OK) != 0)
    usleep(1000);
}

const char *PMIx_Get_version(void) {
  return fault("old") ? "OpenPMIx 2.2.5, repo rev: x (PMIx Standard: 3.0)" : "OpenPMIx 4.2.2rc2 (PMIx Standard: 4.2)";
}

const char *PMIx_Error_string(int code) { return code == -46 ? "NOT-FOUND" : "SOMETHING"; }

int PMIx_Init(struct pmix_proc *self, struct pmix_info *info, size_t ninfo) {
  (void)info, (void)ninfo;
  memset(self, 0, sizeof *self);
  strcpy(self->nspace, getenv("PMIX_NAMESPACE"));
  self->rank = atoi(getenv("PMIX_RANK"));
  return status("Init");
}

int PMIx_Finalize(const struct pmix_info *info, size_t ninfo) {
  (void)info, (void)ninfo;
  if (lost)
    pthread_join(watching, NULL);
  return status("Finalize");
}

int PMIx_Abort(int code, const char *message, struct pmix_proc *procs, size_t nprocs) {
  (void)procs, (void)nprocs;
  char file[1024], text[1024];
  path(file, "aborted");
  snprintf(text, sizeof text, "%d: %s", code, message);
  leave(file, text);
  return status("Abort");
}

int PMIx_Put(uint8_t scope, const char *key, struct pmix_value *value) {
  if (scope != PMIX_GLOBAL || value->type != PMIX_STRING)
    return -27;
  strcpy(staged_key, key);
  free(staged);
  staged = strdup(value->data.string);
  return status("Put");
}

int PMIx_Commit(void) {
  char file[1024];
  path(file, "value-%s-%s-%s", getenv("PMIX_NAMESPACE"), getenv("PMIX_RANK"), staged_key);
  leave(file, staged);
  return status("Commit");
}

#ifndef WITHOUT_FENCE
static int fences;

int PMIx_Fence(const struct pmix_proc *procs, size_t nprocs, const struct pmix_info *info, size_t ninfo) {
  (void)procs;
  if (nprocs != 0 || ninfo != 1 || !is_set(info, PMIX_COLLECT_DATA))
    return -27;
  char file[1024];
  path(file, "fence-%d-%s", ++fences, getenv("PMIX_RANK"));
  leave(file, "");
  for (int rank = 0; rank < atoi(getenv("STUB_SIZE")); rank++) {
    path(file, "fence-%d-%d", fences, rank);
    await(file);
  }
  return status("Fence");
}
#endif

static char *text_of(const char *file) {
  enum { most = 1 << 16 };
  FILE *f = fopen(file, "r");
  if (!f)
    return NULL;
  char *text = calloc(1, most);
  fread(text, 1, most - 1, f);
  fclose(f);
  return text;
}

// Reads what a process has stored.
static char *stored(const struct pmix_proc *proc, const char *key) {
  char file[1024];
  path(file, "value-%s-%u-%s", proc->nspace, proc->rank, key);
  return text_of(file);
}

static const char server_space[] = "server";
enum { server_rank = 3 };

int PMIx_Get(const struct pmix_proc *proc, const char *key, const struct pmix_info *info, size_t ninfo,
             struct pmix_value **value) {
  if (ninfo != 1 || !is_set(info, PMIX_IMMEDIATE))
    return -27;
  struct pmix_value *v = calloc(1, sizeof *v);
  if (strcmp(key, PMIX_JOB_SIZE) == 0) {
    v->type = fault("size is text") ? PMIX_STRING : PMIX_UINT32;
    v->data.uint32 = fault("no processes") ? 0 : atoi(getenv("STUB_SIZE"));
    *value = v;
    return proc->rank == PMIX_RANK_WILDCARD ? status("Get size") : -27;
  }
  if (strcmp(key, PMIX_SERVER_RANK) == 0) {
    v->type = fault("server rank is text") ? PMIX_STRING : PMIX_PROC_RANK;
    v->data.uint32 = server_rank;
    *value = v;
    return status("Get server rank");
  }
  char *text = strcmp(key, PMIX_SERVER_NSPACE) == 0 ? strdup(server_space) : stored(proc, key);
  if (!text) {
    free(v);
    return -46;
  }
  v->type = PMIX_STRING;
  v->data.string = text;
  *value = v;
  if (strcmp(key, PMIX_SERVER_NSPACE) == 0)
    return status("Get server");
  if (fault("value is a number"))
    v->type = PMIX_UINT32;
  if (fault("no text"))
    text = NULL;
  if (fault("endless")) {
    text = malloc(1 << 16);
    memset(text, 'x', 1 << 16);
  }
  v->data.string = text;
  *value = fault("no value") ? NULL : v;
  return status("Get");
}

int PMIx_Publish(const struct pmix_info *info, size_t ninfo) {
  if (fault("Publish unsupported"))
    return PMIX_ERR_NOT_SUPPORTED;
  if (ninfo != 1 || info->value.type != PMIX_STRING)
    return -27;
  char file[1024];
  path(file, "published-%s", info->key);
  leave(file, info->value.data.string);
  return status("Publish");
}

int PMIx_Lookup(struct pmix_pdata *data, size_t ndata, const struct pmix_info *info, size_t ninfo) {
  if (ndata != 1 || ninfo != 1 || strcmp(info->key, PMIX_WAIT) != 0 || info->value.type != PMIX_INT ||
      info->value.data.integer != 0)
    return -27;
  char file[1024];
  path(file, "published-%s", data->key);
  await(file);
  data->value.type = fault("value is a number") ? PMIX_UINT32 : PMIX_STRING;
  data->value.data.string = fault("no text") ? NULL : text_of(file);
  return status("Lookup");
}

static void tell(const char *space, uint32_t rank) {
  struct pmix_proc source = {.rank = rank};
  strcpy(source.nspace, space);
  handler(1, PMIX_ERR_LOST_CONNECTION, &source, NULL, 0, NULL, 0, NULL, NULL);
}

// Tells the end of the launcher, more than once.
static void *watch(void *ignored) {
  (void)ignored;
  char file[1024];
  path(file, "lost");
  await(file);
  lost = true;
  for (int i = 0; i < 3; i++) {
    tell(server_space, server_rank);
    usleep(20000);
  }
  return NULL;
}

int PMIx_Register_event_handler(int *codes, size_t ncodes, struct pmix_info *info, size_t ninfo, pmix_handler *given,
                                void (*registered)(int, size_t, void *), void *data) {
  (void)info, (void)ninfo, (void)data;
  if (ncodes != 1 || *codes != PMIX_ERR_LOST_CONNECTION || registered)
    return -27;
  handler = given;
  if (fault("stored events"))
    for (uint32_t rank = 0; rank < 4; rank++) {
      tell(getenv("PMIX_NAMESPACE"), rank);
      tell("another job", rank);
    }
  pthread_create(&watching, NULL, watch, NULL);
  return fault("Register_event_handler") ? -1 : 1; // the number of the handler
}
