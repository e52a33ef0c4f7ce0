/*
 * A diffusion over a ring of ranks, with sums over all ranks. Rank 0 prints a digest of all
 * numbers, which is the same for every fabric.
 *
 *     acprun -np 3 digest
 */
#include "program.h"

#include <stddef.h>

enum { CELLS = 500, STEPS = 40 };

/* In starter memory. The cells have a cell of a neighbour at each end. */
struct shared {
    uint64_t sum, parity; /* of rank 0: the sum over all ranks */
    uint64_t old;
    acp_ga_t cells;       /* the array below */
    uint64_t seen[2 * STEPS];
};

static uint64_t cells[CELLS + 2];

static uint64_t mix(uint64_t digest, uint64_t x)
{
    digest = (digest ^ x) * 0x100000001b3u;
    return digest ^ digest >> 29;
}

/* exchange copies the outer cells of this rank to its neighbours. */
static void exchange(acp_ga_t mine, acp_ga_t left, acp_ga_t right)
{
    acp_copy(left + 8 * (CELLS + 1), mine + 8, 8, ACP_HANDLE_NULL);
    acp_copy(right, mine + 8 * CELLS, 8, ACP_HANDLE_NULL);
    acp_complete(ACP_HANDLE_ALL);
    sync_all();
}

static uint64_t step(void)
{
    uint64_t before = cells[0], sum = 0;

    for (int i = 1; i <= CELLS; i++) {
        uint64_t here = cells[i];
        cells[i] = (before + 2 * here + cells[i + 1]) / 4 + here % 3;
        before = here;
        sum += cells[i];
    }
    return sum;
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int rank = acp_rank(), procs = acp_procs();
    struct shared *s = starter();
    acp_ga_t here = acp_query_starter_ga(rank), root = acp_query_starter_ga(0);
    acp_atkey_t key = acp_register_memory(cells, sizeof cells, 0);
    acp_ga_t left, right;

    for (int i = 1; i <= CELLS; i++)
        cells[i] = mix((uint64_t)rank, (uint64_t)i) >> 20;
    s->cells = acp_query_ga(key, cells);
    sync_all();
    acp_ga_t old = here + offsetof(struct shared, old), field = offsetof(struct shared, cells);
    DONE(acp_copy(old, acp_query_starter_ga((rank + procs - 1) % procs) + field, 8, ACP_HANDLE_NULL));
    left = s->old;
    DONE(acp_copy(old, acp_query_starter_ga((rank + 1) % procs) + field, 8, ACP_HANDLE_NULL));
    right = s->old;
    for (int i = 0; i < STEPS; i++) {
        exchange(s->cells, left, right);
        uint64_t sum = step();
        DONE(acp_add8(old, root + offsetof(struct shared, sum), sum, ACP_HANDLE_NULL));
        DONE(acp_xor8(old, root + offsetof(struct shared, parity), sum, ACP_HANDLE_NULL));
        sync_all();
        DONE(acp_copy(here + offsetof(struct shared, seen) + 16 * (acp_ga_t)i, root, 16, ACP_HANDLE_NULL));
        cells[1] += s->seen[2 * i] % 1000;
        cells[CELLS] += s->seen[2 * i + 1] % 1000;
        sync_all();
    }
    uint64_t digest = (uint64_t)rank;
    for (int i = 1; i <= CELLS; i++)
        digest = mix(digest, cells[i]);
    DONE(acp_add8(old, root + offsetof(struct shared, sum), digest, ACP_HANDLE_NULL));
    sync_all();
    if (rank == 0) {
        DONE(acp_copy(old, root, 8, ACP_HANDLE_NULL));
        printf("digest %016lx\n", s->old);
    }
    end();
    return EXIT_SUCCESS;
}
