// Calls of libpmix that Go makes. Those that return an int return the status of libpmix, which is 0 or
// negative, or one of the positive numbers below.

#ifndef GOACP_PMIX_LIBRARY_H
#define GOACP_PMIX_LIBRARY_H

#include "abi.h"

// The library has answered what the standard does not have: a value of another type, a text without end.
enum { GOACP_PMIX_GARBAGE = 1 };

// Loads the library in a file, unless one is loaded. Returns NULL, or what is wrong, which is valid until the
// next call of dlerror by this thread.
const char *goacp_pmix_load(const char *file);

const char *goacp_pmix_version(void);
const char *goacp_pmix_error(int status);

// Makes this process a client, and finds out which of how many it is. When the connection to the launcher
// ends, 1 is added to the eventfd lost.
int goacp_pmix_init(int lost, uint32_t *rank, uint32_t *size);

// Stores a value, which the others get after the next fence.
int goacp_pmix_put(const char *key, char *value);

// Returns when all processes of the job have called it.
int goacp_pmix_fence(void);

// Copies what a process has stored, with a zero byte, into size bytes at value.
int goacp_pmix_get(uint32_t rank, const char *key, char *value, size_t size);

// Stores a value under a key that is unique in the job.
int goacp_pmix_publish(const char *key, char *value);

// Waits for a value that a process publishes, and copies it, with a zero byte, into size bytes at value.
int goacp_pmix_lookup(const char *key, char *value, size_t size);

int goacp_pmix_abort(int status);
int goacp_pmix_finalize(void);

#endif
