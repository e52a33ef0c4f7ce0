/*
 * A program that never ends: every rank waits in the way that its argument selects, so that a test can kill
 * processes. The same program in Go is waiting/main.go.
 *
 *     acprun -np 4 waiting sync
 *
 * The ways are sync (rank 0 never comes to the barrier), complete (operations on
 * rank 0 without end) and compute. Each rank prints "rank R pid P" when it is ready.
 */
#include "program.h"

static void compute(void)
{
    for (volatile uint64_t x = 0;; x++)
        ;
}

static void complete(void)
{
    acp_ga_t mine = acp_query_starter_ga(acp_rank()), root = acp_query_starter_ga(0);

    for (;;)
        DONE(acp_add8(mine + 8, root, 1, ACP_HANDLE_NULL));
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    const char *way = argc > 1 ? argv[1] : "sync";
    sync_all();
    printf("rank %d pid %d\n", acp_rank(), (int)getpid());
    fflush(stdout);
    if (strcmp(way, "compute") == 0 || acp_rank() == 0)
        compute();
    else if (strcmp(way, "complete") == 0)
        complete();
    else
        sync_all();
    fprintf(stderr, "rank %d: nothing to wait for any more\n", acp_rank());
    return EXIT_FAILURE;
}
