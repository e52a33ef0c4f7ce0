// Requests for small operations on registered memory of other ranks of this host, by their mailboxes.

#ifndef GOACP_MAIL_H
#define GOACP_MAIL_H

#include <stdint.h>

struct goacp_direct;

// Puts the n bytes at here into memory of another rank, or gets them from there if get is not 0. Returns 0 if it
// has changed nothing, and Go is to do it. Blocks until the copy is complete.
int goacp_mail_copy(const struct goacp_direct *t, uint64_t ga, void *here, uint64_t n, int get)
    __attribute__((visibility("hidden")));

// Executes an atomic on memory of another rank, and sets *old to the old value. Otherwise as
// goacp_mail_copy.
int goacp_mail_atomic(const struct goacp_direct *t, int op, int width, uint64_t ga,
                      uint64_t operand, uint64_t compare, uint64_t *old)
    __attribute__((visibility("hidden")));

#endif
