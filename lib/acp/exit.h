// The end of the process.

#ifndef GOACP_EXIT_H
#define GOACP_EXIT_H

// Lets the library notice that the process ends without acp_finalize. It is called when
// the process becomes a rank.
void goacp_watch_exit(void);

#endif
