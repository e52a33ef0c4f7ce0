/*
 * Every rank exchanges messages with every other, short and long, allocates in the heaps
 * of all and copies there and back. With an argument a rank with an odd number first becomes a process that other
 * processes may not access. Tests run it where ranks cannot map each other's memory.
 */
#define _GNU_SOURCE
#include "program.h"

#include <sys/prctl.h>

enum { MOST = 8, LONG = 1 << 20, BLOCK = 8 << 20 };

static unsigned char pattern(int from, int to, int i, size_t at) { return (unsigned char)(from * 31 + to * 7 + i + at * 3 + at / 255); }

static void messages(int rank, int procs)
{
    acp_ch_t out[MOST], in[MOST];
    acp_request_t requests[2 * MOST];
    unsigned char *sent[MOST], *got[MOST];
    size_t sizes[2 * MOST];

    for (int other = 0; other < procs; other++) {
        if (other == rank)
            continue;
        sent[other] = malloc(LONG);
        got[other] = malloc(LONG);
        out[other] = acp_create_ch(rank, other);
        in[other] = acp_create_ch(other, rank);
        CHECK(out[other] != ACP_CH_NULL && in[other] != ACP_CH_NULL, "no channel with rank %d: %s", other, strerror(ACP_ERRNO));
    }
    for (int i = 0; i < 8; i++) {
        size_t size = i % 2 == 0 ? 8 : LONG;
        int n = 0;
        for (int other = 0; other < procs; other++) {
            if (other == rank)
                continue;
            for (size_t at = 0; at < size; at++)
                sent[other][at] = pattern(rank, other, i, at);
            requests[n++] = acp_nbrecv_ch(in[other], got[other], LONG);
            requests[n++] = acp_nbsend_ch(out[other], sent[other], size);
        }
        CHECK(acp_waitall_ch(requests, n, sizes) == 0, "turn %d: %s", i, strerror(ACP_ERRNO));
        n = 0;
        for (int other = 0; other < procs; other++) {
            if (other == rank)
                continue;
            CHECK(sizes[n] == size, "%zu bytes from rank %d, expected %zu", sizes[n], other, size);
            n += 2;
            for (size_t at = 0; at < size; at++)
                CHECK(got[other][at] == pattern(other, rank, i, at), "byte %zu from rank %d is wrong", at, other);
        }
    }
    int n = 0;
    for (int other = 0; other < procs; other++) {
        if (other == rank)
            continue;
        requests[n++] = acp_nbfree_ch(out[other]);
        requests[n++] = acp_nbfree_ch(in[other]);
        free(sent[other]);
        free(got[other]);
    }
    CHECK(acp_waitall_ch(requests, n, NULL) == 0, "channels are not freed: %s", strerror(ACP_ERRNO));
}

static void blocks(int rank, int procs)
{
    acp_ga_t mine = acp_query_starter_ga(rank);
    volatile uint64_t *word = acp_query_address(mine);

    for (int other = 0; other < procs; other++)
        for (int i = 0; i < 4; i++) {
            acp_ga_t block = acp_malloc(BLOCK, other);
            acp_vector_t v = acp_create_vector(0, other);

            CHECK(block != ACP_GA_NULL, "no block on rank %d: %s", other, strerror(ACP_ERRNO));
            for (size_t at = 0; at < BLOCK; at += BLOCK - 8) {
                *word = (uint64_t)rank << 32 | at;
                acp_complete(acp_copy(block + at, mine, 8, ACP_HANDLE_NULL));
                *word = 0;
                acp_complete(acp_copy(mine, block + at, 8, ACP_HANDLE_NULL));
                CHECK(*word == ((uint64_t)rank << 32 | at), "a word on rank %d at %zu is %#lx", other, at, (unsigned long)*word);
            }
            acp_push_back_vector(v, mine, 8);
            CHECK(acp_size_vector(v) == 8, "a vector on rank %d: %s", other, strerror(ACP_ERRNO));
            acp_destroy_vector(v);
            acp_free(block);
        }
}

int main(int argc, char **argv)
{
    if (argc > 1 && atoi(getenv("ACP_JOB_RANK")) % 2 == 1)
        prctl(PR_SET_DUMPABLE, 0);
    if (acp_init(&argc, &argv) != 0)
        return 1;
    int rank = acp_rank(), procs = acp_procs();
    for (int i = 0; i < 3; i++) {
        messages(rank, procs);
        blocks(rank, procs);
        CHECK(acp_sync() == 0, "no barrier: %s", strerror(ACP_ERRNO));
    }
    CHECK(acp_finalize() == 0, "no end: %s", strerror(ACP_ERRNO));
    return 0;
}
