/*
 * What the hello programs do once they know their ranks: prove that all ranks of all jobs share
 * memory.
 *
 * Every rank writes a greeting into the starter memory of its right neighbour, which
 * may belong to another job, and adds its rank + 1 to a counter on rank 0. After
 * that, each finds the greeting of its left neighbour in its own memory and the sum
 * of all ranks in the counter.
 */
#ifndef HELLO_H
#define HELLO_H

#include <acp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* How every rank uses its starter memory. The Go programs (greeting/greeting.go) use
 * it in the same way, so that they can be mixed in one run. */
struct hello {
    uint64_t counter; /* on rank 0: all ranks add to it */
    uint64_t old;     /* receives the value that the counter had before */
    uint64_t total;   /* receives the counter in the end */
    char outgoing[64];
    char incoming[64]; /* written by the left neighbour */
};

/* hello_text composes the greeting that rank sends. */
static inline void hello_text(char text[64], int rank)
{
    memset(text, 0, 64);
    snprintf(text, 64, "greetings from rank %d", rank);
}

/* hello_send issues both accesses and waits for their completion. Returns 0, or -1
 * if one could not be issued. */
static inline int hello_send(struct hello *mine, int rank, int procs)
{
    acp_ga_t here = acp_query_starter_ga(rank);
    acp_ga_t right = acp_query_starter_ga((rank + 1) % procs);
    acp_ga_t root = acp_query_starter_ga(0);

    hello_text(mine->outgoing, rank);
    acp_handle_t put = acp_copy(right + offsetof(struct hello, incoming), here + offsetof(struct hello, outgoing),
                                sizeof mine->outgoing, ACP_HANDLE_NULL);
    acp_handle_t add = acp_add8(here + offsetof(struct hello, old), root + offsetof(struct hello, counter),
                                (uint64_t)rank + 1, ACP_HANDLE_NULL);
    if (put == ACP_HANDLE_NULL || add == ACP_HANDLE_NULL)
        return -1;
    acp_complete(ACP_HANDLE_ALL);
    return 0;
}

/* hello_check compares what arrived with what should have. Returns 0, or -1 after a
 * message. */
static inline int hello_check(struct hello *mine, int rank, int procs)
{
    char expected[64];
    uint64_t sum = (uint64_t)procs * ((uint64_t)procs + 1) / 2;

    acp_handle_t get = acp_copy(acp_query_starter_ga(rank) + offsetof(struct hello, total),
                                acp_query_starter_ga(0) + offsetof(struct hello, counter), sizeof mine->total,
                                ACP_HANDLE_NULL);
    if (get == ACP_HANDLE_NULL) {
        fprintf(stderr, "rank %d: the counter of rank 0 cannot be read\n", rank);
        return -1;
    }
    acp_complete(get);
    hello_text(expected, (rank + procs - 1) % procs);
    if (memcmp(mine->incoming, expected, sizeof expected) != 0) {
        fprintf(stderr, "rank %d: found \"%.64s\", expected \"%s\"\n", rank, mine->incoming, expected);
        return -1;
    }
    if (mine->total != sum) {
        fprintf(stderr, "rank %d: the counter is %llu, expected %llu\n", rank, (unsigned long long)mine->total,
                (unsigned long long)sum);
        return -1;
    }
    return 0;
}

/*
 * hello_exchange sends a greeting to the right neighbour, checks the one that arrives, and prints
 * it in a line with the ACP rank. The line also has the text role: what the caller is besides an
 * ACP rank, such as its rank in MPI. Returns the exit status of the program. Collective.
 */
static inline int hello_exchange(const char *role)
{
    int rank = acp_rank(), procs = acp_procs();
    struct hello *mine = acp_query_address(acp_query_starter_ga(rank));

    if (mine == NULL || hello_send(mine, rank, procs) != 0 || acp_sync() != 0) {
        fprintf(stderr, "rank %d: the greeting could not be sent\n", rank);
        return 1;
    }
    int status = hello_check(mine, rank, procs) == 0 ? 0 : 1;
    if (status == 0)
        printf("hello from ACP rank %d of %d, %s; got \"%s\"\n", rank, procs, role, mine->incoming);
    fflush(stdout);
    return status;
}

#endif
