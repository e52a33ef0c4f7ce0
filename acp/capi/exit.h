// What happens when the process ends.

#ifndef GOACP_EXIT_H
#define GOACP_EXIT_H

// Lets the library notice that the process ends without acp_finalize. acp_init calls it.
void goacp_watch_exit(void);

#endif
