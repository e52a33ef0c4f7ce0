// Checks of the test programs, which name the line, and the end of a program without a failed
// check.

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

#endif
