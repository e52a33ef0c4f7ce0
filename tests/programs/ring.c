/*
 * Many ranks: barriers, a ring of copies, and a wait for a rank that is late. Ranks that wait
 * must sleep: they neither poll nor spin.
 *
 *     acprun -np 64 ring [BARRIERS [SECONDS]]
 */
#include "program.h"

#include <sys/resource.h>
#include <time.h>

/* cost is the cost of waiting, for all threads of a process. */
struct cost {
    uint64_t wakeups;   /* a thread slept and was woken */
    uint64_t processor; /* microseconds of processor time */
};

static uint64_t microseconds(struct timeval t) { return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_usec; }

/* spent returns the cost of this process so far. */
static struct cost spent(void)
{
    struct rusage usage;

    CHECK(getrusage(RUSAGE_SELF, &usage) == 0, "getrusage failed");
    return (struct cost){(uint64_t)usage.ru_nvcsw, microseconds(usage.ru_utime) + microseconds(usage.ru_stime)};
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

/* idle lets all ranks wait in acp_sync for rank 0. It returns on rank 0 the cost of all ranks together. */
static struct cost idle(uint64_t *memory, int rank, int seconds)
{
    acp_ga_t mine = acp_query_starter_ga(rank), root = acp_query_starter_ga(0);

    memory[0] = memory[1] = 0;
    sync_all();
    struct cost before = spent();
    if (rank == 0)
        nanosleep(&(struct timespec){.tv_sec = seconds}, NULL);
    sync_all();
    struct cost after = spent();
    DONE(acp_add8(mine + 24, root, after.wakeups - before.wakeups, ACP_HANDLE_NULL));
    DONE(acp_add8(mine + 24, root + 8, after.processor - before.processor, ACP_HANDLE_NULL));
    sync_all();
    return (struct cost){memory[0], memory[1]};
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
    struct cost cost = idle(memory, rank, seconds);
    if (rank == 0) {
        printf("%d ranks waited for %d s: %lu wake-ups, %lu us of processor time\n", procs, seconds, cost.wakeups, cost.processor);
        /* A rank that polls wakes up thousands of times in a second, also on a busy machine. A rank that spins takes
         * a whole processor. */
        uint64_t wakeups = (uint64_t)procs * (uint64_t)seconds * 200, processor = (uint64_t)seconds * 1000000 / 2;
        CHECK(cost.wakeups < wakeups, "waiting took %lu wake-ups, expected less than %lu", cost.wakeups, wakeups);
        CHECK(cost.processor < processor, "waiting used %lu us of processor time, expected less than %lu", cost.processor, processor);
    }
    end();
    return EXIT_SUCCESS;
}
