// Messages of the allocator, which may not allocate.

#ifndef GOACP_HOOK_SAY_H
#define GOACP_HOOK_SAY_H

// say writes "libacphook: " and the texts as one line to standard error. NULL ends the texts.
void say(const char *text, ...) __attribute__((sentinel));

// die says the text and ends the process by SIGABRT. It is for memory that the program has damaged.
_Noreturn void die(const char *text);

#endif
