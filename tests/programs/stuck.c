/*
 * Ranks that stay in one state, so that a test can inspect them.
 *
 *     acprun -np 3 stuck sync receive:2 compute
 *
 * The arguments are the states of the ranks; a rank without an argument computes. After the first acp_sync each rank
 * prints "rank R pid P". The program never ends.
 */
#include "program.h"

enum { LONG = 8 << 20 };

static acp_ch_t channel(int sender, int receiver)
{
    acp_ch_t ch = acp_create_ch(sender, receiver);

    CHECK(ch != ACP_CH_NULL, "no channel from %d to %d", sender, receiver);
    return ch;
}

/* become enters the state that the text names, with a rank after a colon. It returns only for "compute". */
static void become(const char *text)
{
    static char memory[LONG];
    int self = acp_rank(), other = 0;
    char verb[16] = "";

    sscanf(text, "%15[a-z]:%d", verb, &other);
    if (strcmp(verb, "sync") == 0)
        sync_all();
    else if (strcmp(verb, "receive") == 0)
        acp_wait_ch(acp_nbrecv_ch(channel(other, self), memory, sizeof memory));
    else if (strcmp(verb, "send") == 0)
        acp_wait_ch(acp_nbsend_ch(channel(self, other), memory, sizeof memory));
    else if (strcmp(verb, "free") == 0)
        acp_free_ch(channel(self, other));
    else if (strcmp(verb, "malloc") == 0)
        for (;;) /* until other has stopped */
            acp_malloc(8, other);
    else if (strcmp(verb, "copy") == 0) {
        acp_complete(ACP_HANDLE_ALL); /* that of tell_left: the other rank may have stopped before its answer has left */
        for (;;)
            DONE(acp_copy(acp_query_starter_ga(other), acp_query_starter_ga(self), 64, ACP_HANDLE_NULL));
    }
    else if (strcmp(verb, "connect") == 0)
        acp_connect_segbuf(acp_create_src_segbuf(other, memory, 64, 2));
    else if (strcmp(verb, "stop") == 0)
        stop_self();
    else if (strcmp(verb, "sleep") == 0)
        for (;;)
            pause();
    else
        CHECK(strcmp(verb, "compute") == 0, "unknown argument %s", text);
}

int main(int argc, char **argv)
{
    volatile unsigned long work = 0;

    begin(&argc, &argv);
    sync_all();
    printf("rank %d pid %d\n", acp_rank(), (int)getpid());
    fflush(stdout);
    for (int rank = 0; rank < acp_procs() && rank + 1 < argc; rank++)
        if (rank != acp_rank() && strcmp(argv[rank + 1], "stop") == 0)
            tell_left(rank);
    if (acp_rank() + 1 < argc)
        become(argv[acp_rank() + 1]);
    for (;;)
        work++;
}
