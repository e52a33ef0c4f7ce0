/*
 * The ranks use each other's memory, and then do nothing for a while. Each prints the fraction of a processor that it
 * has used during that time:
 *
 *     rank 1: 0.12 % of a processor
 *
 *     acprun -np 2 idle [SECONDS]
 */
#include "program.h"

#include <sys/resource.h>
#include <time.h>

/* used returns the seconds of processor time that this process has used. */
static double used(void)
{
    struct rusage u;

    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int rank = acp_rank(), other = (rank + 1) % acp_procs();
    double seconds = argc > 1 ? atof(argv[1]) : 3;
    acp_ga_t here = acp_query_starter_ga(rank), there = acp_query_starter_ga(other);

    starter();
    for (int i = 0; i < 100; i++) {
        DONE(acp_copy(there + 64, here, 8, ACP_HANDLE_NULL));
        DONE(acp_add8(here + 128, there + 192, 1, ACP_HANDLE_NULL));
    }
    sync_all();
    usleep(100000); /* no thread polls for messages any more */
    double before = used();
    usleep((useconds_t)(1e6 * seconds));
    double share = (used() - before) / seconds;
    printf("rank %d: %.2f %% of a processor\n", rank, 100 * share);
    CHECK(share < 0.01, "an idle rank uses %.2f %% of a processor", 100 * share);
    sync_all();
    end();
    return EXIT_SUCCESS;
}
