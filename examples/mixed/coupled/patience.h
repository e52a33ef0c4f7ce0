/*
 * How to wait for something that another process writes into one's memory: look,
 * give the processor away, look again, and sleep a little if it takes long. More
 * processes than processors then do not fight. Where a peer dies meanwhile, the
 * launcher ends the run, so that nobody waits for ever.
 */
#ifndef PATIENCE_H
#define PATIENCE_H

#include <threads.h>
#include <time.h>

/* patience is called after each look that was in vain; *looks counts them. */
static inline void patience(unsigned *looks)
{
    if ((*looks)++ < 20)
        thrd_yield();
    else
        thrd_sleep(&(struct timespec){.tv_nsec = 50000}, NULL);
}

#endif
