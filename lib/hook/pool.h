// The interface of libacphook for libacp and libmacp: the memory from which malloc takes blocks.
// They find the function by dlsym(RTLD_DEFAULT, "goacp_hook_pool"), so a program without libacphook
// needs nothing.

#ifndef GOACP_HOOK_POOL_H
#define GOACP_HOOK_POOL_H

#include <stddef.h>

struct goacp_hook_pool {
  int fd;              // the file of the pool, with the bytes of base at offset 0
  void *base;          // where this process has mapped it
  size_t size;         // bytes that are mapped; most of them are holes of the file
  unsigned generation; // counts up in a child of fork, whose pool is another file
};

// goacp_hook_pool describes the pool of this process. It makes the pool if a rule sends sizes to it and
// no block has come from it yet. File, address and size stay the same until the process ends. The
// library owns the file descriptor: a caller that needs it for longer duplicates it. Returns 0, or
// -1 if there is no pool: no rule needs it, the system has no memory for it, or the file was
// closed. Threads may call it at any time, signal handlers may not.
int goacp_hook_pool(struct goacp_hook_pool *pool);

// The rules that a program was linked with, as values of symbols:
//
//   -Wl,--defsym=goacp_hook_classes=C,--defsym=goacp_hook_low=LOW,--defsym=goacp_hook_high=HIGH
//
// C is a sum of these. The three symbols come together. The variables ACP_MHOOK_SMALL, _LARGE, _HUGE,
// _LOW and _HIGH of the environment override them one by one.
#define GOACP_HOOK_SMALL 1 // sizes below LOW
#define GOACP_HOOK_LARGE 2 // sizes from LOW to below HIGH
#define GOACP_HOOK_HUGE 4  // sizes from HIGH

// The default limits of the classes, as in ACP 3.0.
#define GOACP_HOOK_LOW 128
#define GOACP_HOOK_HIGH 131072

#endif
