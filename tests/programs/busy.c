/*
 * Rank 0 computes and calls nothing for a while. During that time rank 1 puts, gets and changes its memory, and
 * prints the time that this took:
 *
 *     put of starter memory: 250 times, median 12.3 us, at most 950.1 us
 *
 * Rank 0 computes until everything is complete, and for a while in any case. If the operations needed its help, they
 * would never complete.
 *
 *     acprun -np 2 busy [SECONDS]
 */
#include "program.h"

#include <time.h>

enum { LOOPS = 250, WARM = 10, LONGEST = 60 };

static uint64_t registered[64];

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* compute sums a series until *done, for at least the given seconds and at most LONGEST. */
static double compute(double seconds, const volatile uint64_t *done)
{
    volatile double sum = 0;

    for (double begin = now(); now() < begin + (*done ? seconds : LONGEST);)
        for (int i = 1; i < 10000; i++)
            sum = sum + 1.0 / i;
    return sum;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

enum what { PUT, GET, ADD, CAS, KINDS };
static const char *const names[KINDS] = {"put", "get", "add", "compare and swap"};

static acp_handle_t start(enum what what, acp_ga_t here, acp_ga_t there, uint64_t i)
{
    switch (what) {
    case PUT:
        return acp_copy(there + 8, here, 8, ACP_HANDLE_NULL);
    case GET:
        return acp_copy(here, there + 8, 8, ACP_HANDLE_NULL);
    case ADD:
        return acp_add8(here, there + 16, 1, ACP_HANDLE_NULL);
    default:
        return acp_cas8(here, there + 24, i, i + 1, ACP_HANDLE_NULL);
    }
}

/* measure works on memory of rank 0; word is here's in this process. */
static void measure(enum what what, acp_ga_t here, acp_ga_t there, uint64_t *word, const char *memory)
{
    double times[LOOPS];

    for (uint64_t i = 0; i < LOOPS + WARM; i++) {
        *word = what == PUT ? i : ~0ul;
        double begin = now();
        DONE(start(what, here, there, i));
        if (i >= WARM)
            times[i - WARM] = now() - begin;
        uint64_t expected = what == GET ? LOOPS + WARM - 1 : i;
        CHECK(*word == expected, "%s of %s memory gave %lu, expected %lu", names[what], memory, *word, expected);
    }
    qsort(times, LOOPS, sizeof *times, by_size);
    printf("%s of %s memory: %d times, median %.1f us, at most %.1f us\n", names[what], memory, LOOPS, 1e6 * times[LOOPS / 2], 1e6 * times[LOOPS - 1]);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int rank = acp_rank();
    double seconds = argc > 1 ? atof(argv[1]) : 3;
    volatile uint64_t *memory = starter();
    acp_atkey_t key = acp_register_memory(registered, sizeof registered, 0);

    memory[0] = acp_query_ga(key, registered);
    sync_all();
    acp_ga_t here = acp_query_starter_ga(rank) + 64, there = acp_query_starter_ga(0);
    DONE(acp_copy(here, there, 8, ACP_HANDLE_NULL));
    acp_ga_t theirs = memory[8];
    sync_all();
    if (rank == 0) {
        compute(seconds, &memory[7]);
        CHECK(memory[7] == 1, "rank 1 was not done after %d seconds of computing", LONGEST);
        CHECK(memory[2] == LOOPS + WARM && registered[2] == LOOPS + WARM, "%lu and %lu additions, expected %d", memory[2], registered[2], LOOPS + WARM);
    }
    if (rank == 1) {
        for (enum what w = PUT; w < KINDS; w++)
            measure(w, here, there, (uint64_t *)&memory[8], "starter");
        for (enum what w = PUT; w < KINDS; w++)
            measure(w, here, theirs, (uint64_t *)&memory[8], "registered");
        memory[8] = 1;
        DONE(acp_copy(there + 56, here, 8, ACP_HANDLE_NULL));
    }
    sync_all();
    end();
    return EXIT_SUCCESS;
}
