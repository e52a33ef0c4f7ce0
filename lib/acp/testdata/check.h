// Checks of the test programs, which name the line, the end of a program without a failed check,
// and the seed of programs that draw numbers.

#ifndef CHECK_H
#define CHECK_H

#include <acp.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(what)                                                            \
  do {                                                                         \
    if (!(what)) {                                                             \
      fprintf(stderr, "%s:%d: rank %d: %s\n", __FILE__, __LINE__, acp_rank(),  \
              #what);                                                          \
      _exit(1);                                                                \
    }                                                                          \
  } while (0)

// Checks that call returns failure and sets ACP_ERRNO.
#define FAILS(call, failure, number)                                           \
  do {                                                                         \
    ACP_ERRNO = 0;                                                             \
    CHECK((call) == (failure));                                                \
    CHECK(ACP_ERRNO == (number));                                              \
  } while (0)

// The seed of the numbers that this process draws, another one for each rank. The tests in Go set
// CHECK_SEED and log it when a program fails.
static inline unsigned check_seed(void) {
  const char *seed = getenv("CHECK_SEED");
  CHECK(seed != NULL);
  return (unsigned)strtoul(seed, NULL, 10) + (unsigned)acp_rank();
}

#endif
