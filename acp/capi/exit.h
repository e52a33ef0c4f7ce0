// What happens when the process ends.

#ifndef GOACP_EXIT_H
#define GOACP_EXIT_H

// Has the library notice that the process ends without acp_finalize. Called by acp_init.
void goacp_watch_exit(void);

#endif
