/*
 * How the programs of the coupled example find each other: a directory in the
 * starter memory of rank 0.
 *
 * No program knows how many processes the others have or which ranks these got.
 * Starter memory is what every rank can reach from the beginning, so each rank
 * writes an entry into the starter memory of rank 0 - what it is, which columns it
 * owns, where its buffers are - and, after a barrier, reads the entries of all.
 */
#ifndef DIRECTORY_H
#define DIRECTORY_H

#include "heat.h"

#include <acp.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { MAX_RANKS = 64 };

enum kind { KIND_OCEAN = 1, KIND_ATMOSPHERE = 2, KIND_WATCHER = 3 };

/* One rank as the others see it. All members are 8 bytes wide, so that the layout is
 * the same in every program, whatever language it is written in (coupler/ has it in
 * Go). Columns are those of the rank's own grid; columns needed, of the other's. */
struct entry {
    uint64_t kind;
    uint64_t first, count;             /* columns owned */
    uint64_t need_first, need_count;   /* columns of the other model that it needs */
    acp_ga_t inbox;                    /* two buffers of need_count doubles */
    acp_ga_t ready;                    /* two counters, one for each buffer */
    acp_ga_t board;                    /* progress: struct board */
};

/* What a rank lets others see of its progress. A report is written before it is
 * counted and never changed later, so a reader that has seen the count may read all
 * reports up to it. */
struct board {
    _Atomic uint64_t reports;
    double heat[REPORTS];
};

/* How every rank uses its starter memory. */
struct starter {
    struct entry directory[MAX_RANKS]; /* on rank 0 the original, elsewhere a copy */
    struct entry mine;
    _Atomic uint64_t ready[2];
    uint64_t old; /* receives what atomics find; never looked at */
    struct board board;
};

/* The least that launchers give if they are not told otherwise. */
_Static_assert(sizeof(struct starter) <= 10240, "starter memory is too small");
/* What programs in other languages rely on. */
_Static_assert(sizeof(struct entry) == 64 && offsetof(struct starter, mine) == 4096 &&
                   offsetof(struct starter, ready) == 4160 && offsetof(struct starter, board) == 4184 &&
                   offsetof(struct board, heat) == 8 && sizeof(struct starter) == 4280,
               "the layout differs from that in coupler/directory.go");

/* fail ends this process, and the launcher then ends the run: after an error here no
 * other process could go on. */
static inline _Noreturn void fail(const char *what)
{
    acp_abort(what);
    exit(EXIT_FAILURE);
}

/* issued returns the handle of a GMA. If the GMA was not issued, it ends the run. */
static inline acp_handle_t issued(acp_handle_t handle, const char *what)
{
    if (handle == ACP_HANDLE_NULL)
        fail(what);
    return handle;
}

/* published makes bytes of the C heap accessible to all ranks. Returns their global
 * address, and the key with which to take that back. */
static inline acp_ga_t published(void *memory, size_t bytes, acp_atkey_t *key)
{
    *key = acp_register_memory(memory, bytes, 0);
    if (*key == ACP_ATKEY_NULL)
        fail("memory cannot be registered");
    acp_ga_t ga = acp_query_ga(*key, memory);
    if (ga == ACP_GA_NULL)
        fail("registered memory has no address");
    return ga;
}

/* starter_memory returns where the own starter memory lies. */
static inline struct starter *starter_memory(void)
{
    struct starter *s = acp_query_address(acp_query_starter_ga(acp_rank()));
    if (s == NULL)
        fail("no starter memory");
    return s;
}

/*
 * directory_join announces this rank by its entry s->mine and fills s->directory,
 * indexed by rank, with the entries of all. Collective.
 */
static inline void directory_join(struct starter *s)
{
    if (acp_procs() > MAX_RANKS)
        fail("the directory has no room for so many ranks");
    acp_ga_t here = acp_query_starter_ga(acp_rank()), root = acp_query_starter_ga(0);
    acp_ga_t original = root + offsetof(struct starter, directory), copy = here + offsetof(struct starter, directory);
    acp_ga_t place = original + (acp_ga_t)acp_rank() * sizeof(struct entry);

    acp_complete(issued(acp_copy(place, here + offsetof(struct starter, mine), sizeof s->mine, ACP_HANDLE_NULL),
                        "the directory cannot be written"));
    /* The entry is there, now wait for those of the others. */
    if (acp_sync() != 0)
        fail("the others have not come");
    acp_complete(issued(acp_copy(copy, original, sizeof s->directory, ACP_HANDLE_NULL),
                        "the directory cannot be read"));
}

#endif
