/*
 * Many ranks: barriers, a ring of copies, and waiting for a rank that is late,
 * which must not cost processor time.
 *
 *     acprun -np 64 ring [BARRIERS [SECONDS]]
 */
#include "program.h"

#include <sys/resource.h>
#include <time.h>

static uint64_t microseconds(struct timeval t) { return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_usec; }

/* processor returns the processor time of all threads of the process. */
static uint64_t processor(void)
{
    struct rusage usage;

    CHECK(getrusage(RUSAGE_SELF, &usage) == 0, "getrusage failed");
    return microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
}

/* ring passes a number around once and back to its origin. */
static void ring(uint64_t *memory, int rank, int procs)
{
    acp_ga_t mine = acp_query_starter_ga(rank), right = acp_query_starter_ga((rank + 1) % procs);

    memory[1] = (uint64_t)rank;
    for (int step = 0; step < procs; step++) {
        DONE(acp_copy(right + 16, mine + 8, 8, ACP_HANDLE_NULL));
        sync_all();
        memory[1] = memory[2];
        sync_all();
    }
    CHECK(memory[1] == (uint64_t)rank, "%lu came back, expected %d", memory[1], rank);
}

/* idle lets all wait in acp_sync for rank 0, and adds up the processor time that
 * this cost. */
static uint64_t idle(uint64_t *memory, int rank, int seconds)
{
    acp_ga_t mine = acp_query_starter_ga(rank), root = acp_query_starter_ga(0);

    sync_all();
    uint64_t before = processor();
    if (rank == 0)
        nanosleep(&(struct timespec){.tv_sec = seconds}, NULL);
    sync_all();
    uint64_t used = processor() - before;
    DONE(acp_add8(mine + 24, root, used, ACP_HANDLE_NULL));
    sync_all();
    return memory[0];
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int rank = acp_rank(), procs = acp_procs();
    int barriers = argc > 1 ? atoi(argv[1]) : 1000, seconds = argc > 2 ? atoi(argv[2]) : 3;
    uint64_t *memory = starter();

    for (int i = 0; i < barriers; i++)
        sync_all();
    ring(memory, rank, procs);
    uint64_t used = idle(memory, rank, seconds), limit = (uint64_t)seconds * 1000000 / 10;
    if (rank == 0) {
        printf("%d ranks used %lu us of processor time while they waited for %d s\n", procs, used, seconds);
        CHECK(used < limit, "waiting used %lu us of processor time, expected less than %lu", used, limit);
    }
    end();
    return EXIT_SUCCESS;
}
