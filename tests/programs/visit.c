/*
 * Residents that compute, and guests that use their memory:
 *
 *     acprun -np 3 visit resident
 *     acprun -to RUN -np 2 visit guest 3 leave
 *
 * The residents synchronise again and again, until rank 0 reads a line. Then each prints how many guests have counted
 * themselves in its memory. A guest counts itself at each of the residents, whose number is the second argument, and
 * reads what they have. The last argument is what it does then:
 *
 *     leave   calls acp_finalize
 *     die     the last guest kills itself, and the other guests wait for it in acp_sync
 *     early   the last guest kills itself before acp_init
 *     abort   the last guest calls acp_abort
 *     stay    prints "rank R pid P", and waits for a signal
 *     last    prints that line, and leaves when it reads a line
 */
#include "program.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

enum { COUNT, MAGIC, OVER, WORDS };

static int64_t magic(int rank) { return 0x600d0000 + rank; }

static void show(void)
{
    printf("rank %d pid %d\n", acp_rank(), (int)getpid());
    fflush(stdout);
}

/* come_in reports whether standard input has a line, or has ended. */
static int come_in(int timeout)
{
    struct pollfd input = {0, POLLIN, 0};

    return poll(&input, 1, timeout) > 0;
}

/* finish makes this round the last one of all residents. */
static void finish(void)
{
    acp_ga_t unused = acp_query_starter_ga(0) + 8 * WORDS;

    for (int r = 0; r < acp_procs(); r++)
        DONE(acp_add8(unused, acp_query_starter_ga(r) + 8 * OVER, 1, ACP_HANDLE_NULL));
}

static int resident(void)
{
    volatile int64_t *mine = starter();

    mine[MAGIC] = magic(acp_rank());
    sync_all();
    show();
    for (int over = 0; !over;) {
        if (acp_rank() == 0 && come_in(0))
            finish();
        sync_all();
        over = mine[OVER] != 0;
        sync_all();
        usleep(1000);
    }
    printf("rank %d: %lld guests\n", acp_rank(), (long long)mine[COUNT]);
    end();
    return EXIT_SUCCESS;
}

/* visit counts this guest at each resident, and reads what that has. */
static void visit(int residents)
{
    acp_ga_t here = acp_query_starter_ga(acp_rank());
    volatile int64_t *mine = starter();

    for (int r = 0; r < residents; r++) {
        acp_ga_t there = acp_query_starter_ga(r);

        DONE(acp_copy(here + 8, there + 8 * MAGIC, 8, ACP_HANDLE_NULL));
        CHECK(mine[1] == magic(r), "rank %d has %#llx", r, (unsigned long long)mine[1]);
        DONE(acp_add8(here, there + 8 * COUNT, 1, ACP_HANDLE_NULL));
    }
    sync_all();
}

static int guest(int argc, char **argv)
{
    const char *then = argv[3];
    int residents = atoi(argv[2]), last;

    if (strcmp(then, "early") == 0 && getenv("ACP_JOB_RANK") && atoi(getenv("ACP_JOB_RANK")) == atoi(argv[4]))
        raise(SIGKILL);
    begin(&argc, &argv);
    last = acp_rank() == acp_procs() - 1;
    visit(residents);
    if (strcmp(then, "die") == 0) {
        if (last)
            raise(SIGKILL);
        while (acp_sync() == 0) {}
        pause();
    }
    if (strcmp(then, "abort") == 0) {
        if (last)
            acp_abort("the guest gives up");
        pause();
    }
    if (strcmp(then, "stay") == 0) {
        show();
        pause();
    }
    if (strcmp(then, "last") == 0) {
        show();
        come_in(-1);
    }
    end();
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    if (argc > 3)
        return guest(argc, argv);
    begin(&argc, &argv);
    return resident();
}
