// What the files of the program share that calls every function of acp.h, between two ranks. They are C99 and
// C++17 at the same time.

#ifndef EVERY_H
#define EVERY_H

#include <acp.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(what)                                                            \
  do {                                                                         \
    if (!(what)) {                                                             \
      fprintf(stderr, "%s:%d: rank %d: %s\n", __FILE__, __LINE__, acp_rank(),  \
              #what);                                                          \
      acp_abort("check failed");                                               \
    }                                                                          \
  } while (0)

extern int me, peer;
extern acp_ga_t scratch;    // global memory of this rank, of 1024 bytes
extern unsigned char *here; // the same in this process

// Writes a text into the global memory of this rank, and returns the element that it is.
acp_element_t bytes(size_t at, const char *text);

// The structures with the calls for single elements.
void check_structures(void);

// The calls for many elements.
void check_many(void);

#endif
