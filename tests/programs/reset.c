/*
 * acp_reset with a rotated order of ranks, twice, with GMAs before and after, and
 * once with ranks that are no permutation.
 *
 *     acprun -np 4 reset
 */
#include "program.h"

enum { SIZE = 1024 };

/* exchange writes to the right neighbour and counts on rank 0, and checks the data of the left neighbour. It leaves
 * no byte of starter memory zero. */
static void exchange(int round)
{
    int rank = acp_rank(), procs = acp_procs(), left = (rank + procs - 1) % procs;
    uint64_t *memory = starter();
    uint64_t mark = 1000 * (uint64_t)round;

    acp_ga_t mine = acp_query_starter_ga(rank), right = acp_query_starter_ga((rank + 1) % procs);
    memory[1] = mark + (uint64_t)rank;
    DONE(acp_copy(right + 16, mine + 8, 8, ACP_HANDLE_NULL));
    DONE(acp_add8(mine + 24, acp_query_starter_ga(0), (uint64_t)rank + 1, ACP_HANDLE_NULL));
    sync_all();
    CHECK(memory[2] == mark + (uint64_t)left, "round %d: found %lu, expected %lu of rank %d", round, memory[2], mark + (uint64_t)left, left);
    if (rank == 0) {
        uint64_t sum = (uint64_t)procs * ((uint64_t)procs + 1) / 2;
        CHECK(memory[0] == sum, "round %d: the counter is %lu, expected %lu", round, memory[0], sum);
    }
    sync_all();
    memset(memory, 0x55, SIZE);
    sync_all();
}

/* check_zero checks the starter memory of every rank, by CPU and by ACP. */
static void check_zero(void)
{
    static uint8_t copy[SIZE];
    uint8_t *memory = starter();
    acp_atkey_t key = acp_register_memory(copy, sizeof copy, 0);
    acp_ga_t ga = acp_query_ga(key, copy);

    CHECK(ga != ACP_GA_NULL, "static memory has no GA");
    for (int i = 0; i < SIZE; i++)
        CHECK(memory[i] == 0, "byte %d of the own starter memory is %d", i, memory[i]);
    for (int r = 0; r < acp_procs(); r++) {
        memset(copy, 0xff, sizeof copy);
        DONE(acp_copy(ga, acp_query_starter_ga(r), SIZE, ACP_HANDLE_NULL));
        for (int i = 0; i < SIZE; i++)
            CHECK(copy[i] == 0, "byte %d of the starter memory of rank %d is %d", i, r, copy[i]);
    }
    CHECK(acp_unregister_memory(key) == 0, "acp_unregister_memory failed");
    sync_all();
}

int main(int argc, char **argv)
{
    static uint8_t registered[64];

    begin(&argc, &argv);
    int procs = acp_procs(), first = acp_rank();
    exchange(0);
    for (int round = 1; round <= 2; round++) {
        int next = (acp_rank() + 1) % procs;
        acp_atkey_t key = acp_register_memory(registered, sizeof registered, 0);
        CHECK(acp_query_ga(key, registered) != ACP_GA_NULL, "static memory has no GA");
        CHECK(acp_reset(next) == 0, "acp_reset(%d) failed", next);
        CHECK(acp_rank() == next, "rank after acp_reset(%d)", next);
        CHECK(acp_procs() == procs, "%d ranks after acp_reset, expected %d", acp_procs(), procs);
        CHECK(acp_query_ga(key, registered) == ACP_GA_NULL, "a key outlived acp_reset");
        check_zero();
        exchange(round);
    }
    CHECK(acp_rank() == (first + 2) % procs, "rank %d after two rotations of rank %d", acp_rank(), first);

    if (procs > 1) {
        int rank = acp_rank();
        CHECK(acp_reset(0) == -1, "acp_reset took ranks that are no permutation");
        CHECK(acp_rank() == rank, "rank %d after a failed acp_reset, expected %d", acp_rank(), rank);
        uint8_t *memory = starter();
        for (int i = 0; i < SIZE; i++)
            CHECK(memory[i] == 0x55, "a failed acp_reset changed byte %d to %#x", i, memory[i]);
        memset(memory, 0, SIZE);
        sync_all();
        exchange(3);
    }
    end();
    return EXIT_SUCCESS;
}
