// What this package uses of the binary interface of libpmix, as the PMIx standard, versions 3 to 5, defines
// it: chapters "Data Structures and Types", "Initialization and Finalization", "Key-Value Management",
// "Publish/Lookup Operations" and "Event Notification". A test compares it with the headers of libpmix.

#ifndef GOACP_PMIX_ABI_H
#define GOACP_PMIX_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  PMIX_NSPACE_BYTES = 256, // with the zero byte
  PMIX_KEY_BYTES = 512,    // the same
};

// Status of calls.
enum {
  PMIX_SUCCESS = 0,
  PMIX_ERR_NOT_SUPPORTED = -47,
  PMIX_ERR_LOST_CONNECTION = -61,
  PMIX_EVENT_ACTION_COMPLETE = -334,
};

// Types of values.
enum { PMIX_BOOL = 1, PMIX_STRING = 3, PMIX_INT = 6, PMIX_UINT32 = 14, PMIX_PROC_RANK = 40 };

enum { PMIX_GLOBAL = 3 }; // the scope of a value that all processes of the job may get

static const uint32_t PMIX_RANK_WILDCARD = UINT32_MAX - 1; // the job in place of a process

// Keys.
#define PMIX_JOB_SIZE "pmix.job.size"
#define PMIX_COLLECT_DATA "pmix.collect"
#define PMIX_IMMEDIATE "pmix.immediate"
#define PMIX_WAIT "pmix.wait"
#define PMIX_SERVER_NSPACE "pmix.srv.nspace"
#define PMIX_SERVER_RANK "pmix.srv.rank"

// A process of a job.
struct pmix_proc {
  char nspace[PMIX_NSPACE_BYTES];
  uint32_t rank;
};

struct pmix_value {
  uint16_t type;
  union {
    bool flag;
    char *string;
    int integer;
    uint32_t uint32;
    struct {
      char *name, *value;
      char separator;
    } largest;
  } data;
};

// An attribute of a call.
struct pmix_info {
  char key[PMIX_KEY_BYTES];
  uint32_t flags;
  struct pmix_value value;
};

// A value that a process has published.
struct pmix_pdata {
  struct pmix_proc proc;
  char key[PMIX_KEY_BYTES];
  struct pmix_value value;
};

// What the handler of an event calls when it has handled the event.
typedef void pmix_handled(int status, struct pmix_info *results, size_t nresults, void (*done)(int, void *),
                          void *done_data, void *data);

typedef void pmix_handler(size_t id, int status, const struct pmix_proc *source, struct pmix_info *info, size_t ninfo,
                          struct pmix_info *results, size_t nresults, pmix_handled *handled, void *data);

// The functions of libpmix. FUNCTION(result, name, parameters)
#define PMIX_FUNCTIONS(FUNCTION)                                                                                       \
  FUNCTION(const char *, Get_version, (void))                                                                          \
  FUNCTION(const char *, Error_string, (int status))                                                                   \
  FUNCTION(int, Init, (struct pmix_proc * self, struct pmix_info * info, size_t ninfo))                                \
  FUNCTION(int, Finalize, (const struct pmix_info *info, size_t ninfo))                                                \
  FUNCTION(int, Abort, (int status, const char *message, struct pmix_proc *procs, size_t nprocs))                      \
  FUNCTION(int, Put, (uint8_t scope, const char *key, struct pmix_value *value))                                       \
  FUNCTION(int, Commit, (void))                                                                                        \
  FUNCTION(int, Fence, (const struct pmix_proc *procs, size_t nprocs, const struct pmix_info *info, size_t ninfo))     \
  FUNCTION(int, Get,                                                                                                   \
           (const struct pmix_proc *proc, const char *key, const struct pmix_info *info, size_t ninfo,                 \
            struct pmix_value **value))                                                                                \
  FUNCTION(int, Publish, (const struct pmix_info *info, size_t ninfo))                                                 \
  FUNCTION(int, Lookup, (struct pmix_pdata * data, size_t ndata, const struct pmix_info *info, size_t ninfo))          \
  FUNCTION(int, Register_event_handler,                                                                                \
           (int *codes, size_t ncodes, struct pmix_info *info, size_t ninfo, pmix_handler *handler,                    \
            void (*registered)(int, size_t, void *), void *data))

#endif
