// What the code in docs/guide.md uses without declaring it.

#include <acp.h>
#include <stdio.h>

extern int argc, rank, peer;
extern char **argv;
extern size_t n;
extern acp_ga_t ga, buffer_there, buffer_here, counter_there, counter, old, array_there, array_here, flag_there, flag_here;
extern acp_handle_t ready, order;
extern struct setup { int steps; } setup;
extern struct command { int code; } command;

void obey(const struct command *command);
