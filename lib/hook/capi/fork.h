// A child of fork gets a pool of its own.

#ifndef GOACP_HOOK_FORK_H
#define GOACP_HOOK_FORK_H

// fork_begin makes fork call the functions of fork.c.
void fork_begin(void);

#endif
