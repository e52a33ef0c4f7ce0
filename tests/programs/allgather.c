/*
 * The AllGather of the basic-layer paper: every rank broadcasts its block along a binary tree. The
 * steps of the tree are GMAs between any two ranks, ordered by handles alone.
 *
 *     acprun -np 5 allgather
 */
#include "program.h"

enum { BLOCK = 1000, MAXPROCS = 10 };

static uint8_t expected(int rank, int i) { return (uint8_t)(rank * 17 + i); }

int main(int argc, char **argv)
{
    acp_handle_t handle[MAXPROCS];

    begin(&argc, &argv);
    int rank = acp_rank(), procs = acp_procs();
    CHECK(procs <= MAXPROCS, "%d ranks, expected at most %d", procs, MAXPROCS);
    uint8_t *memory = starter();
    for (int i = 0; i < BLOCK; i++)
        memory[rank * BLOCK + i] = expected(rank, i);
    sync_all();

    handle[rank] = ACP_HANDLE_NULL;
    for (int i = 1; i < procs; i++) {
        int dst = (rank + i) % procs, src = (rank + (i >> 1)) % procs;
        handle[dst] = acp_copy(acp_query_starter_ga(dst) + BLOCK * rank, acp_query_starter_ga(src) + BLOCK * rank, BLOCK, handle[src]);
        CHECK(handle[dst] != ACP_HANDLE_NULL, "copy from rank %d to rank %d was not issued", src, dst);
    }
    acp_complete(ACP_HANDLE_ALL);
    sync_all();

    for (int r = 0; r < procs; r++)
        for (int i = 0; i < BLOCK; i++)
            CHECK(memory[r * BLOCK + i] == expected(r, i), "byte %d of rank %d is %d, expected %d", i, r, memory[r * BLOCK + i], expected(r, i));
    end();
    return EXIT_SUCCESS;
}
