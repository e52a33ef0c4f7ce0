/*
 * All ranks change the same integers of rank 0 by ACP atomics while rank 0 itself changes them by
 * atomics of C11: no change may get lost, and no two atomics may find the same old value. With acp,
 * rank 0 uses ACP as well: if MPI executes the atomics, atomics of the processor are not atomic with respect to them.
 *
 *     acprun -np 4 counter [OPERATIONS [acp]]
 */
#include "program.h"

#include <stdatomic.h>
#include <stdbool.h>

/* On rank 0. Each integer has a cache line of its own. */
struct counters {
    _Alignas(64) _Atomic uint64_t added8;
    _Alignas(64) _Atomic uint32_t added4;
    _Alignas(64) _Atomic uint64_t compared8;
    _Alignas(64) _Atomic uint32_t compared4;
    _Alignas(64) _Atomic uint64_t toggled8;
    _Alignas(64) _Atomic uint32_t toggled4;
    _Alignas(64) uint64_t sums; /* of all old values of added8 */
};

/* On every rank: receives old values. */
struct results {
    _Alignas(64) uint64_t old8;
    uint32_t old4;
};

static acp_ga_t counters, results;
static struct results *found;

#define COUNTER(member) (counters + offsetof(struct counters, member))
#define RESULT(member) (results + offsetof(struct results, member))

/* pattern is what operation i of a rank toggles. */
static uint64_t pattern(int rank, int i)
{
    uint64_t x = ((uint64_t)rank << 32 | (uint64_t)i) + 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    return x ^ x >> 27;
}

/* add8 to increment_cas4: one operation by ACP; they return the old value. */
static uint64_t add8(void)
{
    DONE(acp_add8(RESULT(old8), COUNTER(added8), 1, ACP_HANDLE_NULL));
    return found->old8;
}

static void increment_cas8(void)
{
    for (uint64_t expected = 0;; expected = found->old8) {
        DONE(acp_cas8(RESULT(old8), COUNTER(compared8), expected, expected + 1, ACP_HANDLE_NULL));
        if (found->old8 == expected)
            return;
    }
}

static void increment_cas4(void)
{
    for (uint32_t expected = 0;; expected = found->old4) {
        DONE(acp_cas4(RESULT(old4), COUNTER(compared4), expected, expected + 1, ACP_HANDLE_NULL));
        if (found->old4 == expected)
            return;
    }
}

static uint64_t by_acp(int rank, int operations)
{
    uint64_t sum = 0;

    for (int i = 0; i < operations; i++) {
        sum += add8();
        DONE(acp_add4(RESULT(old4), COUNTER(added4), 1, ACP_HANDLE_NULL));
        increment_cas8();
        increment_cas4();
        DONE(acp_xor8(RESULT(old8), COUNTER(toggled8), pattern(rank, i), ACP_HANDLE_NULL));
        DONE(acp_xor4(RESULT(old4), COUNTER(toggled4), (uint32_t)pattern(rank, i), ACP_HANDLE_NULL));
    }
    return sum;
}

static uint64_t by_cpu(struct counters *c, int rank, int operations)
{
    uint64_t sum = 0;

    for (int i = 0; i < operations; i++) {
        sum += atomic_fetch_add(&c->added8, 1);
        atomic_fetch_add(&c->added4, 1);
        for (uint64_t old = atomic_load(&c->compared8); !atomic_compare_exchange_weak(&c->compared8, &old, old + 1);)
            ;
        for (uint32_t old = atomic_load(&c->compared4); !atomic_compare_exchange_weak(&c->compared4, &old, old + 1);)
            ;
        atomic_fetch_xor(&c->toggled8, pattern(rank, i));
        atomic_fetch_xor(&c->toggled4, (uint32_t)pattern(rank, i));
        /* Stay as long as the other ranks: their operations take longer. */
        if (i % 64 == 0)
            usleep(1);
    }
    return sum;
}

static void check(struct counters *c, int procs, int operations, int cpu_operations)
{
    uint64_t total = (uint64_t)(procs - 1) * (uint64_t)operations + (uint64_t)cpu_operations;
    uint64_t toggled = 0;

    for (int r = 0; r < procs; r++)
        for (int i = 0; i < (r == 0 ? cpu_operations : operations); i++)
            toggled ^= pattern(r, i);
    CHECK(c->added8 == total, "added8 is %lu, expected %lu", c->added8, total);
    CHECK(c->added4 == (uint32_t)total, "added4 is %u, expected %lu", c->added4, total);
    CHECK(c->compared8 == total, "compared8 is %lu, expected %lu", c->compared8, total);
    CHECK(c->compared4 == (uint32_t)total, "compared4 is %u, expected %lu", c->compared4, total);
    CHECK(c->toggled8 == toggled, "toggled8 is %#lx, expected %#lx", c->toggled8, toggled);
    CHECK(c->toggled4 == (uint32_t)toggled, "toggled4 is %#x, expected %#lx", c->toggled4, toggled & UINT32_MAX);
    CHECK(c->sums == total * (total - 1) / 2, "the old values add up to %lu, expected %lu", c->sums, total * (total - 1) / 2);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int rank = acp_rank(), procs = acp_procs();
    int operations = argc > 1 ? atoi(argv[1]) : 1000, cpu_operations = 20 * operations;
    bool acp_only = argc > 2 && strcmp(argv[2], "acp") == 0;
    uint8_t *memory = starter();

    CHECK((uintptr_t)memory % 64 == 0, "starter memory at %p", (void *)memory);
    counters = acp_query_starter_ga(0);
    results = acp_query_starter_ga(rank) + sizeof(struct counters);
    found = (struct results *)(memory + sizeof(struct counters));
    sync_all();
    if (acp_only)
        cpu_operations = operations;
    uint64_t sum = rank == 0 && !acp_only ? by_cpu((struct counters *)memory, rank, cpu_operations) : by_acp(rank, operations);
    DONE(acp_add8(RESULT(old8), COUNTER(sums), sum, ACP_HANDLE_NULL));
    sync_all();
    if (rank == 0)
        check((struct counters *)memory, procs, operations, cpu_operations);
    end();
    return EXIT_SUCCESS;
}
