/*
 * How to wait for a word that another process writes into the memory of this one: look, yield the
 * processor, look again, and sleep a little if it takes long. So more processes than processors do
 * not hinder each other. If a peer dies meanwhile, the launcher ends the run, so the wait ends.
 */
#ifndef BACK_OFF_H
#define BACK_OFF_H

#include <threads.h>
#include <time.h>

/* Call back_off after each look that has found nothing. *looks counts them. */
static inline void back_off(unsigned *looks)
{
    if ((*looks)++ < 20)
        thrd_yield();
    else
        thrd_sleep(&(struct timespec){.tv_nsec = 50000}, NULL);
}

#endif
