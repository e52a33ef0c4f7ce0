// The descriptors of the library.

#ifndef GOACP_DESCRIPTORS_H
#define GOACP_DESCRIPTORS_H

// goacp_hold_low_descriptors takes all free low numbers until goacp_release_low_descriptors is
// called. Descriptors opened in between, also by the Go runtime, have higher numbers. So a program
// that closes a descriptor twice, or all descriptors, does not open a file with a number to which
// the library still writes.
void goacp_hold_low_descriptors(void);
void goacp_release_low_descriptors(void);

// goacp_watch_descriptors begins to watch: if the program closes the descriptors of the library,
// the process ends with one line. If there is no memory for a thread it does nothing.
void goacp_watch_descriptors(void);

// goacp_unwatch_descriptors ends that.
void goacp_unwatch_descriptors(void);

#endif
