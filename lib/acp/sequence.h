// Vectors and deques that are used without Go.

#ifndef GOACP_SEQUENCE_H
#define GOACP_SEQUENCE_H

#include "acp.h"
#include "layout.h"

enum { GOACP_IS_VECTOR, GOACP_IS_DEQUE };

// Each function uses the vector or deque at an address if this process reaches all of the memory
// concerned by loads and stores. Returns 1, or 0 if Go has to do it: some of the memory is not mapped,
// the structure needs new storage, or something is wrong. Then it has changed nothing.

// goacp_try_push adds the size bytes at ga at an end.
int goacp_try_push(acp_ga_t at, int is_deque, uint64_t end, acp_ga_t ga, size_t size);

// goacp_try_pop removes size bytes at an end, or all if there are fewer.
int goacp_try_pop(acp_ga_t at, int is_deque, uint64_t end, size_t size);

// goacp_try_state returns how many bytes there are, and how many fit without new storage.
int goacp_try_state(acp_ga_t at, int is_deque, uint64_t *size, uint64_t *capacity);

// goacp_try_locate returns the address of the byte at offset, which there is.
int goacp_try_locate(acp_ga_t at, int is_deque, int offset, acp_ga_t *ga);

#endif
