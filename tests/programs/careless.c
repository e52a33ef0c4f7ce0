/*
 * A program that does not check the results of its calls. Rank 1 makes a wrong call, and the program continues unless
 * the library ends the run.
 *
 *     acprun -np 3 -on-error abort careless rank
 *
 * Here rank 1 copies from a rank that does not exist. Of the other wrong calls, null has no destination, and beyond
 * reads past the end of the memory of rank 0, which is detected only after the call has returned.
 */
#include "program.h"

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    acp_ga_t mine = acp_query_starter_ga(acp_rank());
    acp_ga_t peer = acp_query_starter_ga(0);
    const char *mistake = argc > 1 ? argv[1] : "";
    sync_all();
    if (acp_rank() == 1) {
        if (strcmp(mistake, "rank") == 0)
            acp_complete(acp_copy(mine, (acp_ga_t)acp_procs() << 44 | 4096, 64, ACP_HANDLE_NULL));
        else if (strcmp(mistake, "null") == 0)
            acp_complete(acp_copy(ACP_GA_NULL, mine, 64, ACP_HANDLE_ALL));
        else if (strcmp(mistake, "beyond") == 0)
            acp_complete(acp_copy(mine, peer + 10230, 64, ACP_HANDLE_NULL));
    }
    if (acp_sync() != 0)
        return EXIT_FAILURE; /* the run is over */
    if (acp_rank() == 0)
        printf("goes on\n");
    end();
    return 0;
}
