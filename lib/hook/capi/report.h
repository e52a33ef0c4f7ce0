// Messages of the allocator, which may not allocate.

#ifndef GOACP_HOOK_REPORT_H
#define GOACP_HOOK_REPORT_H

// report writes "libacphook: " and the texts as one line to standard error. NULL ends the texts.
void report(const char *text, ...) __attribute__((sentinel));

// die reports the text and ends the process by SIGABRT. It is for memory that the program has damaged.
_Noreturn void die(const char *text);

#endif
