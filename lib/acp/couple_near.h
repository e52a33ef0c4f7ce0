// Sends and receives by links whose partners all share memory with this process, without a call into Go.

#ifndef GOACP_COUPLE_NEAR_H
#define GOACP_COUPLE_NEAR_H

#include "call.h"
#include "lookup.h"

// The ends of links that C can use, by the numbers of the links.
extern struct goacp_lookup goacp_links __attribute__((visibility("hidden")));

// acp_send_link and acp_receive_link. Return 1, or 0 if Go has to do it; then nothing has happened.
int goacp_send_near(uintptr_t link, int64_t step) __attribute__((visibility("hidden")));
int goacp_receive_near(uintptr_t link, int64_t step) __attribute__((visibility("hidden")));

#endif
