/*
 * Rank 1 allocates in the heap of rank 0 and then in its own more than a memory limit of all processes leaves, and
 * uses the allocated memory. The limit is 256 MiB, the heaps are larger.
 */
#include "program.h"

#include <errno.h>

enum { MIB = 1 << 20, BLOCK = 96 * MIB, SMALL = 32768, MOST = 512 * MIB / SMALL };

static acp_ga_t blocks[MOST];

/* Writes to all of a block. */
static void use(acp_ga_t to, size_t size)
{
    acp_ga_t from = acp_query_starter_ga(acp_rank());
    for (size_t at = 0; at < size; at += MIB)
        acp_copy(to + at, from, size - at < MIB ? size - at : MIB, ACP_HANDLE_NULL);
    acp_complete(ACP_HANDLE_ALL);
}

static acp_ga_t get(size_t size, int owner)
{
    acp_ga_t ga = acp_malloc(size, owner);
    CHECK(ga != ACP_GA_NULL, "no %zu bytes in the heap of rank %d: %s", size, owner, strerror(ACP_ERRNO));
    return ga;
}

static void refused(size_t size, int owner)
{
    CHECK(acp_malloc(size, owner) == ACP_GA_NULL && ACP_ERRNO == ENOMEM,
          "%zu bytes in the heap of rank %d: %s", size, owner, strerror(ACP_ERRNO));
}

static void fill(int owner)
{
    refused(3 * (size_t)BLOCK, owner);
    for (int turn = 0; turn < 3; turn++) {
        acp_ga_t used = get(BLOCK, owner);
        use(used, BLOCK);
        acp_ga_t unused = get(BLOCK, owner);
        refused(BLOCK, owner);
        acp_free(used);
        used = get(BLOCK, owner);
        use(unused, BLOCK);
        refused(BLOCK, owner);
        acp_free(used);
        acp_free(unused);
    }
    int n = 0;
    while (n < MOST && (blocks[n] = acp_malloc(SMALL, owner)) != ACP_GA_NULL)
        use(blocks[n++], SMALL);
    CHECK(n < MOST && n > 2 * BLOCK / SMALL && ACP_ERRNO == ENOMEM, "%d blocks of %d bytes: %s", n, SMALL, strerror(ACP_ERRNO));
    while (n > 0)
        acp_free(blocks[--n]);
    acp_ga_t large = get(2 * BLOCK, owner); /* in memory that the small blocks had */
    use(large, 2 * BLOCK);
    acp_free(large);
}

int main(int argc, char **argv)
{
    acp_init(&argc, &argv);
    for (int owner = 0; owner < acp_procs(); owner++) {
        if (acp_rank() == 1)
            fill(owner);
        acp_sync();
    }
    acp_finalize();
    return 0;
}
