/*
 * A run that lasts until rank 0 reads a line: the other ranks wait for it in acp_sync. During that time a test can
 * disturb the run. Afterwards all memory must be unchanged, and usable.
 *
 *     acprun -np 3 patient
 *
 * Each rank prints "rank R pid P" when it is ready, and rank 0 "unharmed" at the end.
 */
#include "program.h"

enum { SIZE = 10240 };

static uint8_t expected(int rank, int i) { return (uint8_t)(rank * 91 + i * 7 + 1); }

int main(int argc, char **argv)
{
    static uint8_t registered[SIZE];
    char line[80];

    begin(&argc, &argv);
    int rank = acp_rank(), procs = acp_procs();
    uint8_t *memory = starter();
    acp_atkey_t key = acp_register_memory(registered, sizeof registered, 0);
    CHECK(acp_query_ga(key, registered) != ACP_GA_NULL, "static memory has no GA");
    for (int i = 0; i < SIZE; i++)
        memory[i] = registered[i] = expected(rank, i);
    sync_all();
    /* Every pair is connected when the test begins. */
    for (int r = 0; r < procs; r++)
        DONE(acp_copy(acp_query_starter_ga(r) + 16 * (acp_ga_t)rank, acp_query_starter_ga(r) + 16 * (acp_ga_t)rank, 16, ACP_HANDLE_NULL));
    sync_all();
    printf("rank %d pid %d\n", rank, (int)getpid());
    fflush(stdout);
    if (rank == 0)
        CHECK(fgets(line, sizeof line, stdin) != NULL, "no line on standard input");
    sync_all();
    for (int i = 0; i < SIZE; i++) {
        CHECK(memory[i] == expected(rank, i), "byte %d of starter memory changed from %d to %d", i, expected(rank, i), memory[i]);
        CHECK(registered[i] == expected(rank, i), "byte %d of registered memory changed from %d to %d", i, expected(rank, i), registered[i]);
    }
    sync_all();
    int right = (rank + 1) % procs, left = (rank + procs - 1) % procs;
    DONE(acp_copy(acp_query_starter_ga(right), acp_query_ga(key, registered), SIZE, ACP_HANDLE_NULL));
    sync_all();
    for (int i = 0; i < SIZE; i++)
        CHECK(memory[i] == expected(left, i), "byte %d from rank %d is %d, expected %d", i, left, memory[i], expected(left, i));
    if (rank == 0)
        printf("unharmed\n");
    end();
    return EXIT_SUCCESS;
}
