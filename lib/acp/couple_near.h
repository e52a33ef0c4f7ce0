// Sends and receives by links whose partners all share memory with this process, without a call into Go.

#ifndef GOACP_COUPLE_NEAR_H
#define GOACP_COUPLE_NEAR_H

#include "call.h"

// Lets C use the end of a link with a number, not 0. Returns 0 if there is no place for it. Go calls one of these
// functions at a time.
int goacp_share_link(uintptr_t number, void *end) __attribute__((visibility("hidden")));

// Undoes that. No thread uses the end.
void goacp_unshare_link(uintptr_t number) __attribute__((visibility("hidden")));

// acp_send_link and acp_receive_link. Return 1, or 0 if Go has to do it; then nothing has happened.
int goacp_send_near(uintptr_t link, int64_t step) __attribute__((visibility("hidden")));
int goacp_receive_near(uintptr_t link, int64_t step) __attribute__((visibility("hidden")));

#endif
