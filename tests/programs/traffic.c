/*
 * Each rank transfers a known amount with the next rank:
 *
 *     10 + rank puts of 24 bytes, 20 gets of 8, 30 atomics of 8, 5 messages of 3000, and a vector there that
 *     gets 40 bytes, with 2 operations.
 *
 *     acprun -stats -np 3 traffic [how [rank]]
 *
 * It prints "rank R pid P" then. how is "end" (the default), or "kill": the rank kills itself, or "wait": all
 * ranks wait for a signal.
 */
#include "program.h"
#include <signal.h>

/* Compares the counts of the process with its transfers. */
static void compare(int next, int kind, int64_t operations, int64_t bytes)
{
    int64_t volume = -1, n = acp_stats(next, kind, ACP_STATS_ALL, &volume);

    CHECK(n == operations && volume == bytes, "kind %d: %lld operations and %lld bytes, expected %lld and %lld", kind,
          (long long)n, (long long)volume, (long long)operations, (long long)bytes);
}

static void transfer(int self, int procs, int next)
{
    static char message[3000], buffer[3000];
    acp_ga_t own = acp_query_starter_ga(self), there = acp_query_starter_ga(next);
    acp_ch_t to = acp_create_ch(self, next), from = acp_create_ch((self + procs - 1) % procs, self);

    CHECK(to != ACP_CH_NULL && from != ACP_CH_NULL, "no channel");
    for (int i = 0; i < 10 + self; i++)
        DONE(acp_copy(there + 64, own + 128, 24, ACP_HANDLE_NULL));
    for (int i = 0; i < 20; i++)
        DONE(acp_copy(own + 256, there + 128, 8, ACP_HANDLE_NULL));
    for (int i = 0; i < 30; i++)
        DONE(acp_add8(own + 264, there + 512, 1, ACP_HANDLE_NULL));
    for (int i = 0; i < 5; i++) {
        acp_request_t sent = acp_nbsend_ch(to, message, sizeof message);

        CHECK(acp_wait_ch(acp_nbrecv_ch(from, buffer, sizeof buffer)) == sizeof buffer, "a message is lost");
        CHECK(acp_wait_ch(sent) == 0, "a message was not sent");
    }
    acp_vector_t v = acp_create_vector(8, next);
    CHECK(v.ga != ACP_GA_NULL, "no vector");
    acp_push_back_vector(v, own, 40);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);

    int self = acp_rank(), procs = acp_procs(), next = (self + 1) % procs;
    const char *how = argc > 1 ? argv[1] : "end";

    transfer(self, procs, next);
    compare(next, ACP_STATS_PUT, 10 + self, 24 * (10 + self));
    compare(next, ACP_STATS_GET, 20, 160);
    compare(next, ACP_STATS_ATOMIC, 30, 240);
    compare(next, ACP_STATS_MESSAGE, 5, 15000);
    compare(next, ACP_STATS_STRUCTURE, 2, 40);
    compare(-1, ACP_STATS_ALL, 67 + self, 15440 + 24 * (10 + self));
    sync_all();
    printf("rank %d pid %d\n", self, (int)getpid());
    fflush(stdout);
    if (strcmp(how, "kill") == 0 && argc > 2 && atoi(argv[2]) == self)
        raise(SIGKILL);
    if (strcmp(how, "end") != 0)
        for (;;)
            pause();
    end();
    return 0;
}
