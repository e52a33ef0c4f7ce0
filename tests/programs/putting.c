/*
 * Rank 0 puts 64 words into the memory of rank 1, completes them, and begins again, until a test ends
 * the run. Rank 1 waits in acp_sync.
 *
 *     acprun -np 2 putting
 *
 * Each rank prints "rank R pid P" when it is ready.
 */
#include "program.h"

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int rank = acp_rank();
    acp_ga_t far = acp_query_starter_ga(1), near = acp_query_starter_ga(0);
    for (int round = 0; rank == 0; round++) {
        for (int i = 0; i < 64; i++)
            acp_copy(far + 8 * i, near + 8 * i, 8, ACP_HANDLE_NULL);
        acp_complete(ACP_HANDLE_ALL);
        if (round == 0) {
            printf("rank 0 pid %d\n", (int)getpid());
            fflush(stdout);
        }
    }
    printf("rank %d pid %d\n", rank, (int)getpid());
    fflush(stdout);
    sync_all();
    end();
    return EXIT_SUCCESS;
}
