/*
 * All ranks except rank 0 change registered memory of rank 0 by small operations, while rank 0 computes and sleeps in
 * turns, so that its agent polls only at some times. No change may get lost, none may happen twice, and each rank
 * gets the values that it has put.
 *
 *     acprun -np 3 mailing [ROUNDS]
 *
 * With 0 rounds it never ends, and each rank prints "rank R pid P" after the first round. Then rank 0 sleeps forever.
 */
#include "program.h"

#include <time.h>

enum { MOST = 16, BYTES = 80 };

/* Registered memory of rank 0. */
struct board {
    _Alignas(64) uint64_t added8, sums;
    uint32_t added4;
    _Alignas(64) unsigned char own[MOST][128]; /* one for each rank */
};

/* Starter memory of every rank. */
struct scratch {
    acp_ga_t board; /* of rank 0 */
    uint64_t old8, old4;
    _Alignas(64) unsigned char sent[BYTES + 8], got[BYTES + 8];
};

static struct scratch *mine;
static acp_ga_t board, at; /* at is that of mine */

#define SCRATCH(member) (at + offsetof(struct scratch, member))
#define BOARD(member) (board + offsetof(struct board, member))

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* compute computes for up to 2 ms. */
static void compute(void)
{
    for (double end = now() + (rand() % 20) / 1e4; now() < end;)
        ;
}

/* change makes some changes, and returns the sum of the old values of added8. */
static uint64_t change(int rank, int count)
{
    uint64_t sum = 0;

    for (int i = 0; i < count; i++) {
        size_t n = 1 + (size_t)rand() % BYTES, shift = (size_t)rand() % 8;
        acp_ga_t own = BOARD(own) + (acp_ga_t)rank * sizeof((struct board *)NULL)->own[0] + shift;

        DONE(acp_add8(SCRATCH(old8), BOARD(added8), 1, ACP_HANDLE_NULL));
        sum += mine->old8;
        DONE(acp_add4(SCRATCH(old4), BOARD(added4), 1, ACP_HANDLE_NULL));
        for (size_t k = 0; k < n; k++)
            mine->sent[k] = (unsigned char)(rand() >> 4);
        acp_copy(own, SCRATCH(sent), n, ACP_HANDLE_NULL);
        DONE(acp_copy(SCRATCH(got), own, n, i % 2 == 0 ? ACP_HANDLE_CONT : ACP_HANDLE_ALL));
        CHECK(memcmp(mine->sent, mine->got, n) == 0, "%zu bytes at %zu come back changed", n, shift);
    }
    return sum;
}

/* changes is how often a rank calls each operation in a round. */
static int changes(int rank, int round) { return 5 + (round + rank) * 7 % 60; }

/* rest prints the process, and lets rank 0 sleep forever: it waits for a message that does not come. */
static void rest(int rank)
{
    static char never[8];
    acp_ch_t ch = rank < 2 ? acp_create_ch(1, 0) : ACP_CH_NULL;

    printf("rank %d pid %d\n", rank, (int)getpid());
    fflush(stdout);
    if (rank == 0)
        acp_wait_ch(acp_nbrecv_ch(ch, never, sizeof never));
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int rank = acp_rank(), procs = acp_procs(), rounds = argc > 1 ? atoi(argv[1]) : 50;
    struct board *memory = aligned_alloc(_Alignof(struct board), sizeof *memory);
    uint64_t sum = 0;

    CHECK(procs <= MOST, "%d ranks, at most %d are possible", procs, MOST);
    srand((unsigned)rank + 1);
    mine = starter();
    at = acp_query_starter_ga(rank);
    memset(memory, 0, sizeof *memory);
    mine->board = acp_query_ga(acp_register_memory(memory, sizeof *memory, 0), memory);
    sync_all();
    DONE(acp_copy(SCRATCH(board), acp_query_starter_ga(0), sizeof mine->board, ACP_HANDLE_NULL));
    board = mine->board;
    for (int round = 0; rounds == 0 || round < rounds; round++) {
        if (rank == 0)
            compute();
        else
            sum += change(rank, changes(rank, round));
        if (round == 0 && rounds == 0)
            rest(rank);
        if (rounds != 0 && round % 2 == 1)
            sync_all(); /* rank 0 sleeps until the other ranks are here */
    }
    if (rank != 0)
        DONE(acp_add8(SCRATCH(old8), BOARD(sums), sum, ACP_HANDLE_NULL));
    sync_all();
    if (rank == 0) {
        uint64_t total = 0;

        for (int r = 1; r < procs; r++)
            for (int round = 0; round < rounds; round++)
                total += (uint64_t)changes(r, round);
        CHECK(memory->added8 == total, "added8 is %lu, expected %lu", memory->added8, total);
        CHECK(memory->added4 == (uint32_t)total, "added4 is %u, expected %lu", memory->added4, total);
        CHECK(memory->sums == total * (total - 1) / 2, "the old values add up to %lu, expected %lu", memory->sums, total * (total - 1) / 2);
    }
    end();
    return EXIT_SUCCESS;
}
