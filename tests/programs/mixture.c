/*
 * Threads of every rank make random operations of which C executes some itself and passes others to Go: copies of
 * starter memory of all ranks, also between two other ranks, complete at once or in order, and atomics. A model in
 * plain memory has the expected values.
 *
 *     acprun -np 3 -smemsize 256k mixture SEED [beyond]
 */
#include "program.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

enum { THREADS = 3, STEPS = 1500, SLOT = 1024, RANKS = 4, SCRATCH = 128 * 1024, SIZE = 256 * 1024 };

/* At the beginning of the starter memory of rank 0. */
struct counters {
    uint64_t added8;
    uint64_t compared8;
    uint32_t added4;
    uint32_t compared4;
};

/* The area of a thread in the starter memory of its rank. */
struct scratch {
    unsigned char out[SLOT], in[SLOT];
    uint64_t old8;
    uint32_t old4;
};

static int rank, procs;
static uint64_t seed;
static acp_ga_t memory[RANKS];

struct thread {
    pthread_t id;
    int number;
    uint64_t state;
    acp_ga_t here;
    struct scratch *s;
    acp_handle_t last; /* not known to be complete */
    unsigned char model[RANKS][SLOT];
};

static uint64_t chance(struct thread *t, uint64_t n)
{
    t->state ^= t->state << 13;
    t->state ^= t->state >> 7;
    t->state ^= t->state << 17;
    return (t->state >> 11) % n;
}

/* slot is the part of the memory of a rank that belongs to this thread. */
static acp_ga_t slot(const struct thread *t, int of)
{
    return memory[of] + 4096 + (acp_ga_t)((rank * THREADS + t->number) * SLOT);
}

/* issue begins a copy after all other copies of this thread, and often waits for it. */
static void issue(struct thread *t, acp_ga_t dst, acp_ga_t src, size_t n)
{
    t->last = acp_copy(dst, src, n, t->last);
    CHECK(t->last != ACP_HANDLE_NULL, "a copy was not issued");
    if (chance(t, 4) != 0)
        acp_complete(t->last);
}

static void put(struct thread *t, int to, size_t at, size_t n)
{
    acp_complete(t->last); /* which may read what is about to change */
    for (size_t i = 0; i < n; i++)
        t->model[to][at + i] = t->s->out[i] = (unsigned char)chance(t, 256);
    issue(t, slot(t, to) + at, t->here + offsetof(struct scratch, out), n);
}

static void move(struct thread *t, int to, int from, size_t at, size_t n)
{
    memmove(&t->model[to][at], &t->model[from][at], n);
    issue(t, slot(t, to) + at, slot(t, from) + at, n);
}

static void get(struct thread *t, int from, size_t at, size_t n)
{
    issue(t, t->here + offsetof(struct scratch, in), slot(t, from) + at, n);
    acp_complete(t->last);
    CHECK(acp_inquire(t->last) == 0, "a copy is complete and is not");
    CHECK(memcmp(t->s->in, &t->model[from][at], n) == 0, "seed %lu: %zu bytes at %zu of rank %d are wrong", seed, n, at, from);
}

#define COUNTER(member) (memory[0] + offsetof(struct counters, member))
#define OLD(member) (t->here + offsetof(struct scratch, member))

static void count(struct thread *t)
{
    DONE(acp_add8(OLD(old8), COUNTER(added8), 1, ACP_HANDLE_NULL));
    DONE(acp_add4(OLD(old4), COUNTER(added4), 1, ACP_HANDLE_NULL));
    for (uint64_t expected = 0;; expected = t->s->old8) {
        DONE(acp_cas8(OLD(old8), COUNTER(compared8), expected, expected + 1, ACP_HANDLE_NULL));
        if (t->s->old8 == expected)
            break;
    }
    for (uint32_t expected = 0;; expected = t->s->old4) {
        DONE(acp_cas4(OLD(old4), COUNTER(compared4), expected, expected + 1, ACP_HANDLE_NULL));
        if (t->s->old4 == expected)
            break;
    }
}

static void *work(void *argument)
{
    struct thread *t = argument;

    for (int step = 0; step < STEPS; step++) {
        int one = (int)chance(t, (uint64_t)procs), other = (int)chance(t, (uint64_t)procs);
        size_t at = chance(t, SLOT), n = chance(t, SLOT - at + 1);
        switch (chance(t, 8)) {
        case 0:
            move(t, one, other, at, n);
            break;
        case 1:
        case 2:
        case 3:
            put(t, one, at, n);
            break;
        default:
            get(t, one, at, n);
        }
        if (step % 10 == 0)
            count(t);
    }
    acp_complete(t->last);
    return NULL;
}

/* REFUSED checks that an operation is not even issued. */
#define REFUSED(call, number)                                                                              \
    do {                                                                                                   \
        ACP_ERRNO = 0;                                                                                     \
        CHECK((call) == ACP_HANDLE_NULL && ACP_ERRNO == (number), "%s: error %d, expected %d", #call,      \
              (int)ACP_ERRNO, (int)(number));                                                              \
    } while (0)

/* limits goes to the end of the memory of another rank, and with beyond one byte further,
 * which ends the run. */
static void limits(bool beyond)
{
    acp_ga_t here = memory[rank] + SCRATCH, there = memory[(rank + 1) % procs], end = there + SIZE;

    DONE(acp_copy(end - 64, here, 64, ACP_HANDLE_NULL));
    DONE(acp_copy(here, end - 64, 64, ACP_HANDLE_NULL));
    DONE(acp_copy(here, end, 0, ACP_HANDLE_NULL));
    DONE(acp_add8(here, end - 8, 0, ACP_HANDLE_NULL));
    REFUSED(acp_copy(here, ACP_GA_NULL, 8, ACP_HANDLE_NULL), EFAULT);
    REFUSED(acp_copy((acp_ga_t)procs << 44 | 4096, here, 8, ACP_HANDLE_NULL), EFAULT);
    REFUSED(acp_add8(here, end - 12, 0, ACP_HANDLE_NULL), EINVAL);
    if (procs > 1)
        REFUSED(acp_cas4(there, here, 0, 0, ACP_HANDLE_NULL), EREMOTE);
    if (beyond)
        DONE(acp_copy(end - 64, here, 65, ACP_HANDLE_NULL));
}

int main(int argc, char **argv)
{
    static struct thread threads[THREADS];

    begin(&argc, &argv);
    rank = acp_rank();
    procs = acp_procs();
    CHECK(procs <= RANKS && argc >= 2, "usage: acprun -np 1…%d mixture SEED [beyond]", RANKS);
    seed = strtoull(argv[1], NULL, 10);
    for (int r = 0; r < procs; r++)
        memory[r] = acp_query_starter_ga(r);
    memset(starter(), 0, SIZE);
    sync_all();
    limits(argc > 2);
    sync_all();
    for (int n = 0; n < THREADS; n++) {
        struct thread *t = &threads[n];
        size_t at = SCRATCH + 4096 * (size_t)(n + 1);
        t->number = n;
        t->state = (seed + 1) * 2654435761u + (uint64_t)(rank * THREADS + n) * 40503 + 1;
        t->here = memory[rank] + at;
        t->s = (struct scratch *)((char *)starter() + at);
        CHECK(pthread_create(&t->id, NULL, work, t) == 0, "no thread");
    }
    for (int n = 0; n < THREADS; n++)
        CHECK(pthread_join(threads[n].id, NULL) == 0, "no end of a thread");
    sync_all();
    if (rank == 0) {
        const struct counters *c = starter();
        uint64_t all = (uint64_t)procs * THREADS * (STEPS / 10);
        CHECK(c->added8 == all && c->compared8 == all && c->added4 == all && c->compared4 == all,
              "seed %lu: counted %lu, %lu, %u and %u, expected %lu", seed, c->added8, c->compared8, c->added4, c->compared4, all);
    }
    sync_all();
    end();
    return EXIT_SUCCESS;
}
