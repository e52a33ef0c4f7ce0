// What the test programs share: checks that name the line, and the end of a
// program that has found nothing wrong.

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
