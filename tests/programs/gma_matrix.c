/*
 * Every GMA between all ranks: each rank in turn initiates copies and atomics between
 * each pair of ranks and each pair of kinds of memory, for several sizes and
 * alignments. The owners of the memory check it with the CPU: the bytes to be written, the bytes around them, and the
 * source.
 *
 *     acprun -np 2 -smemsize 6m gma_matrix
 *     acprun -np 3 -smemsize 301m gma_matrix huge
 *
 * With huge, a few copies of 300 MiB are made instead.
 */
#include "program.h"

#include <stdbool.h>

enum kind { STARTER, HEAP, STACK, STATIC, KINDS };

static const char *const kind_names[KINDS] = {"starter", "heap", "stack", "static"};

/*
 * A region of each kind:
 *
 *     0      words for atomics; in starter memory the directory before them
 *     SRC    where copies begin
 *     DST(k) where copies from a region of kind k end
 *
 * with GUARD bytes around each place, which must not change.
 */
enum { DIRECTORY = KINDS * 8, WORDS = 256, SRC = 4096, GUARD = 64, LARGE = (1 << 20) + 3, STRIDE = (LARGE + 3 * GUARD) / 64 * 64 };
#define DST(kind) (SRC + STRIDE * (1 + (size_t)(kind)))
enum { REGION = SRC + STRIDE * (1 + KINDS) };

static uint8_t static_memory[REGION];

/* Memory of the caller, and the GAs of the memory of all ranks. */
static uint8_t *mine[KINDS];
static acp_ga_t *ga[KINDS];
static int rank, procs;

static const uint8_t GUARD_BYTE = 0xa5, WIPED = 0x3c;

static uint8_t pattern(int owner, int kind, int round, size_t i)
{
    return (uint8_t)(i * 131 + (i >> 8) * 29 + (size_t)(owner * 67 + kind * 41 + round * 13));
}

/* publish registers the memory and exchanges GAs through starter memory. */
static void publish(uint8_t *heap, uint8_t *stack, acp_atkey_t keys[KINDS])
{
    acp_ga_t *directory;

    mine[STARTER] = starter();
    mine[HEAP] = heap;
    mine[STACK] = stack;
    mine[STATIC] = static_memory;
    directory = (acp_ga_t *)mine[STARTER];
    directory[STARTER] = acp_query_starter_ga(rank);
    for (int k = HEAP; k < KINDS; k++) {
        keys[k] = acp_register_memory(mine[k], REGION, 0);
        directory[k] = acp_query_ga(keys[k], mine[k]);
        CHECK(directory[k] != ACP_GA_NULL, "%s memory was not registered", kind_names[k]);
        CHECK(acp_query_ga(keys[k], mine[k] + 12345) == directory[k] + 12345, "GAs of %s memory do not add up", kind_names[k]);
        CHECK(acp_query_address(directory[k] + 7) == mine[k] + 7, "address of %s memory", kind_names[k]);
        CHECK(acp_query_rank(directory[k]) == rank, "rank of %s memory", kind_names[k]);
    }
    sync_all();
    for (int k = 0; k < KINDS; k++)
        ga[k] = calloc((size_t)procs, sizeof *ga[k]);
    acp_ga_t *copy = (acp_ga_t *)(mine[STARTER] + DIRECTORY);
    for (int r = 0; r < procs; r++) {
        DONE(acp_copy(directory[STARTER] + DIRECTORY, acp_query_starter_ga(r), DIRECTORY, ACP_HANDLE_NULL));
        for (int k = 0; k < KINDS; k++)
            ga[k][r] = copy[k];
    }
    sync_all();
}

/* --- copies */

struct copies {
    int initiator, from, to, round;
    size_t size, src_at, dst_at;
};

static void prepare(const struct copies *c)
{
    for (int k = 0; k < KINDS; k++) {
        if (rank == c->from)
            for (size_t i = 0; i < c->size; i++)
                mine[k][SRC + c->src_at + i] = pattern(rank, k, c->round, i);
        if (rank == c->to)
            for (int s = 0; s < KINDS; s++)
                memset(mine[k] + DST(s), GUARD_BYTE, c->size + 2 * GUARD);
    }
}

static void copy_all(const struct copies *c)
{
    acp_handle_t last = ACP_HANDLE_NULL;

    for (int s = 0; s < KINDS; s++)
        for (int d = 0; d < KINDS; d++) {
            last = acp_copy(ga[d][c->to] + DST(s) + GUARD + c->dst_at, ga[s][c->from] + SRC + c->src_at, c->size, ACP_HANDLE_NULL);
            CHECK(last != ACP_HANDLE_NULL, "copy of %zu bytes from rank %d to rank %d was not issued", c->size, c->from, c->to);
        }
    if (c->round % 2 == 0)
        acp_complete(last);
    else
        while (acp_inquire(ACP_HANDLE_ALL) != 0)
            usleep(1);
    CHECK(acp_inquire(last) == 0, "acp_inquire says that a completed copy is not complete");
}

static void wipe(const struct copies *c)
{
    for (int k = 0; rank == c->from && k < KINDS; k++) {
        for (size_t i = 0; i < c->size; i++)
            CHECK(mine[k][SRC + c->src_at + i] == pattern(rank, k, c->round, i), "copying changed byte %zu of the source in %s memory", i, kind_names[k]);
        memset(mine[k] + SRC + c->src_at, WIPED, c->size);
    }
}

static void compare(const struct copies *c)
{
    for (int d = 0; rank == c->to && d < KINDS; d++)
        for (int s = 0; s < KINDS; s++) {
            const uint8_t *place = mine[d] + DST(s);
            size_t begin = GUARD + c->dst_at, end = begin + c->size;
            for (size_t i = 0; i < c->size + 2 * GUARD; i++) {
                uint8_t expected = i >= begin && i < end ? pattern(c->from, s, c->round, i - begin) : GUARD_BYTE;
                CHECK(place[i] == expected, "copy of %zu bytes by rank %d from rank %d (%s, alignment %zu) to rank %d (%s, alignment %zu): byte %zd is %#x, expected %#x",
                      c->size, c->initiator, c->from, kind_names[s], c->src_at, c->to, kind_names[d], c->dst_at, (ssize_t)i - (ssize_t)begin, place[i], expected);
            }
        }
}

static void test_copies(void)
{
    static const size_t sizes[] = {0, 1, 7, 8, 4096, LARGE};
    static const size_t alignments[][2] = {{0, 0}, {1, 3}, {5, 0}, {0, 9}};
    struct copies c = {0};

    for (c.initiator = 0; c.initiator < procs; c.initiator++)
        for (c.from = 0; c.from < procs; c.from++)
            for (c.to = 0; c.to < procs; c.to++)
                for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                    for (size_t a = 0; a < sizeof alignments / sizeof *alignments; a++) {
                        c.size = sizes[s];
                        c.src_at = alignments[a][0];
                        c.dst_at = alignments[a][1];
                        c.round++;
                        /* Every pair has one large copy. */
                        if (c.size == LARGE && a != (size_t)(c.initiator + c.from + c.to) % 4)
                            continue;
                        prepare(&c);
                        sync_all();
                        if (rank == c.initiator)
                            copy_all(&c);
                        sync_all();
                        wipe(&c);
                        sync_all();
                        compare(&c);
                    }
    sync_all();
}

/* test_overlap lets each rank copy within the memory of each rank, forwards and
 * backwards, over its own source. */
static void test_overlap(void)
{
    static const size_t sizes[] = {8, 100, 4096, 300000};
    static const size_t shifts[] = {1, 8, 61, 4000};
    static uint8_t model[SRC + LARGE];
    int round = 0;

    for (int initiator = 0; initiator < procs; initiator++)
        for (int owner = 0; owner < procs; owner++)
            for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
                size_t size = sizes[i / 2], shift = shifts[i / 2];
                size_t from = i % 2 ? SRC : SRC + shift, to = i % 2 ? SRC + shift : SRC, end = SRC + size + shift;
                round++;
                for (int k = 0; rank == owner && k < KINDS; k++)
                    for (size_t b = SRC; b < end; b++)
                        mine[k][b] = pattern(rank, k, round, b);
                sync_all();
                for (int k = 0; rank == initiator && k < KINDS; k++)
                    DONE(acp_copy(ga[k][owner] + to, ga[k][owner] + from, size, ACP_HANDLE_NULL));
                sync_all();
                for (int k = 0; rank == owner && k < KINDS; k++) {
                    for (size_t b = SRC; b < end; b++)
                        model[b] = pattern(rank, k, round, b);
                    memmove(model + to, model + from, size);
                    for (size_t b = SRC; b < end; b++)
                        CHECK(mine[k][b] == model[b], "overlapping copy of %zu bytes by rank %d in %s memory from %zu to %zu: byte %zu is %#x, expected %#x",
                              size, initiator, kind_names[k], from, to, b, mine[k][b], model[b]);
                }
            }
    sync_all();
}

/* --- atomics */

struct atomic4 {
    const char *name;
    acp_handle_t (*call)(acp_ga_t, acp_ga_t, uint32_t, acp_handle_t);
    uint32_t value, expected; /* of a word that was WORD4 */
};

struct atomic8 {
    const char *name;
    acp_handle_t (*call)(acp_ga_t, acp_ga_t, uint64_t, acp_handle_t);
    uint64_t value, expected;
};

#define WORD4 0xfffffff0u
#define WORD8 0xfffffffffffffff0u
#define VALUE8 0x123456789abcdef1u

static acp_handle_t cas4_hit(acp_ga_t dst, acp_ga_t src, uint32_t value, acp_handle_t order) { return acp_cas4(dst, src, WORD4, value, order); }
static acp_handle_t cas4_miss(acp_ga_t dst, acp_ga_t src, uint32_t value, acp_handle_t order) { return acp_cas4(dst, src, WORD4 + 1, value, order); }
static acp_handle_t cas8_hit(acp_ga_t dst, acp_ga_t src, uint64_t value, acp_handle_t order) { return acp_cas8(dst, src, WORD8, value, order); }
static acp_handle_t cas8_miss(acp_ga_t dst, acp_ga_t src, uint64_t value, acp_handle_t order) { return acp_cas8(dst, src, WORD8 + 1, value, order); }

static const struct atomic4 atomics4[] = {
    {"add4", acp_add4, 0x11, 1},
    {"and4", acp_and4, 0x12345678, 0x12345670},
    {"or4", acp_or4, 5, 0xfffffff5},
    {"xor4", acp_xor4, 0xffff0000, 0x0000fff0},
    {"swap4", acp_swap4, 0xcafe, 0xcafe},
    {"cas4", cas4_hit, 0xbeef, 0xbeef},
    {"cas4 with another value", cas4_miss, 0xbeef, WORD4},
};

static const struct atomic8 atomics8[] = {
    {"add8", acp_add8, 0x11, 1},
    {"and8", acp_and8, VALUE8, VALUE8 & WORD8},
    {"or8", acp_or8, 5, WORD8 | 5},
    {"xor8", acp_xor8, VALUE8, VALUE8 ^ WORD8},
    {"swap8", acp_swap8, VALUE8, VALUE8},
    {"cas8", cas8_hit, VALUE8, VALUE8},
    {"cas8 with another value", cas8_miss, VALUE8, WORD8},
};

enum { ATOMICS4 = sizeof atomics4 / sizeof *atomics4, ATOMICS8 = sizeof atomics8 / sizeof *atomics8 };

/* Words lie WORDS bytes into a region: those of the target one per initiator's kind
 * and atomic, with a guard word after each; then those for old values. */
enum { OLD = 2048, SPACING = 16 };
#define WORD(kind, i) (WORDS + SPACING * ((size_t)(kind) * (ATOMICS4 + ATOMICS8) + (size_t)(i)))
#define OLD_AT(kind, i) (OLD + WORD(kind, i))

static void issue_atomics(int owner, int kind, int result)
{
    for (int i = 0; i < ATOMICS4; i++)
        CHECK(atomics4[i].call(ga[result][rank] + OLD_AT(kind, i), ga[kind][owner] + WORD(result, i), atomics4[i].value, ACP_HANDLE_NULL) != ACP_HANDLE_NULL,
              "%s on rank %d was not issued", atomics4[i].name, owner);
    for (int i = 0; i < ATOMICS8; i++)
        CHECK(atomics8[i].call(ga[result][rank] + OLD_AT(kind, ATOMICS4 + i), ga[kind][owner] + WORD(result, ATOMICS4 + i), atomics8[i].value, ACP_HANDLE_NULL) != ACP_HANDLE_NULL,
              "%s on rank %d was not issued", atomics8[i].name, owner);
}

/* fill_words and check_words treat the words of region k: with results they are old
 * values, otherwise those that the atomics changed. */
static void fill_words(void)
{
    for (int k = 0; k < KINDS; k++) {
        memset(mine[k] + WORDS, GUARD_BYTE, SRC - WORDS);
        for (int r = 0; r < KINDS; r++) {
            for (int i = 0; i < ATOMICS4; i++)
                memcpy(mine[k] + WORD(r, i), &(uint32_t){WORD4}, 4);
            for (int i = 0; i < ATOMICS8; i++)
                memcpy(mine[k] + WORD(r, ATOMICS4 + i), &(uint64_t){WORD8}, 8);
        }
    }
}

static void check_word(const uint8_t *at, uint64_t expected, size_t width, const char *what, const char *name, int peer, int kind, int other)
{
    uint64_t found = 0;

    memcpy(&found, at, width);
    CHECK(found == expected, "%s, %s memory here, %s memory there, other rank %d: %s is %#lx, expected %#lx", name, kind_names[kind], kind_names[other], peer, what, found, expected);
    for (size_t i = width; i < SPACING; i++)
        CHECK(at[i] == GUARD_BYTE, "%s, %s memory here, %s memory there, other rank %d: byte %zu after the %s is %#x", name, kind_names[kind], kind_names[other], peer, i, what, at[i]);
}

static void check_atomics(int initiator, int owner)
{
    for (int k = 0; k < KINDS; k++)
        for (int r = 0; r < KINDS; r++) {
            for (int i = 0; i < ATOMICS4; i++) {
                if (rank == owner)
                    check_word(mine[k] + WORD(r, i), atomics4[i].expected, 4, "new value", atomics4[i].name, initiator, k, r);
                if (rank == initiator)
                    check_word(mine[r] + OLD_AT(k, i), WORD4, 4, "old value", atomics4[i].name, owner, r, k);
            }
            for (int i = 0; i < ATOMICS8; i++) {
                if (rank == owner)
                    check_word(mine[k] + WORD(r, ATOMICS4 + i), atomics8[i].expected, 8, "new value", atomics8[i].name, initiator, k, r);
                if (rank == initiator)
                    check_word(mine[r] + OLD_AT(k, ATOMICS4 + i), WORD8, 8, "old value", atomics8[i].name, owner, r, k);
            }
        }
}

static void test_atomics(void)
{
    for (int initiator = 0; initiator < procs; initiator++)
        for (int owner = 0; owner < procs; owner++) {
            fill_words();
            sync_all();
            for (int k = 0; rank == initiator && k < KINDS; k++)
                for (int r = 0; r < KINDS; r++)
                    issue_atomics(owner, k, r);
            acp_complete(ACP_HANDLE_ALL);
            sync_all();
            check_atomics(initiator, owner);
            sync_all();
        }
}

/* --- errors */

#define REFUSED(call) CHECK((call) == ACP_HANDLE_NULL, "%s was not refused", #call)

static void test_errors(void)
{
    for (int k = 0; k < KINDS; k++)
        for (int r = 0; r < procs; r++) {
            acp_ga_t dst = ga[k][rank] + WORDS, src = ga[k][r] + WORDS + 64;
            for (int i = 0; i < ATOMICS4; i++)
                for (int off = 1; off < 4; off++) {
                    REFUSED(atomics4[i].call(dst + (acp_ga_t)off, src, 1, ACP_HANDLE_NULL));
                    REFUSED(atomics4[i].call(dst, src + (acp_ga_t)off, 1, ACP_HANDLE_NULL));
                }
            for (int i = 0; i < ATOMICS8; i++)
                for (int off = 1; off < 8; off++) {
                    REFUSED(atomics8[i].call(dst + (acp_ga_t)off, src, 1, ACP_HANDLE_NULL));
                    REFUSED(atomics8[i].call(dst, src + (acp_ga_t)off, 1, ACP_HANDLE_NULL));
                }
            REFUSED(acp_add8(ACP_GA_NULL, src, 1, ACP_HANDLE_NULL));
            REFUSED(acp_add8(dst, ACP_GA_NULL, 1, ACP_HANDLE_NULL));
            REFUSED(acp_copy(dst, ACP_GA_NULL, 1, ACP_HANDLE_NULL));
            REFUSED(acp_copy(ACP_GA_NULL, src, 1, ACP_HANDLE_NULL));
            if (r != rank)
                REFUSED(acp_add8(src, dst, 1, ACP_HANDLE_NULL));
        }
    acp_complete(ACP_HANDLE_ALL);
    sync_all();
}

/* --- huge copies */

enum { HUGE_SIZE = 300 << 20 };

static void huge_copy(uint8_t *heap, acp_ga_t *directory, int initiator, int from, int to, bool into_starter)
{
    size_t at = 64;
    int round = initiator + 3 * from + 5 * to;
    uint8_t *src = into_starter ? heap : mine[STARTER] + at, *dst = into_starter ? mine[STARTER] + at : heap;

    if (rank == from)
        for (size_t i = 0; i < HUGE_SIZE; i++)
            src[i] = pattern(rank, 0, round, i);
    if (rank == to && from != to)
        memset(dst, GUARD_BYTE, HUGE_SIZE);
    sync_all();
    if (rank == initiator) {
        acp_ga_t src_ga = into_starter ? directory[from] : acp_query_starter_ga(from) + at;
        acp_ga_t dst_ga = into_starter ? acp_query_starter_ga(to) + at : directory[to];
        DONE(acp_copy(dst_ga, src_ga, HUGE_SIZE, ACP_HANDLE_NULL));
    }
    sync_all();
    for (size_t i = 0; rank == to && i < HUGE_SIZE; i++)
        CHECK(dst[i] == pattern(from, 0, round, i), "300 MiB by rank %d from rank %d: byte %zu is %#x, expected %#x", initiator, from, i, dst[i], pattern(from, 0, round, i));
    sync_all();
}

static void test_huge(void)
{
    uint8_t *heap = malloc(HUGE_SIZE);
    acp_ga_t directory[16];

    CHECK(heap != NULL && procs <= 16, "no memory, or more than 16 ranks");
    mine[STARTER] = starter();
    acp_atkey_t key = acp_register_memory(heap, HUGE_SIZE, 0);
    *(acp_ga_t *)mine[STARTER] = acp_query_ga(key, heap);
    sync_all();
    for (int r = 0; r < procs; r++) {
        DONE(acp_copy(acp_query_starter_ga(rank) + 8, acp_query_starter_ga(r), 8, ACP_HANDLE_NULL));
        directory[r] = ((acp_ga_t *)mine[STARTER])[1];
    }
    sync_all();
    huge_copy(heap, directory, 0, 0, 0, true);
    huge_copy(heap, directory, 0, 0, procs - 1, true);
    huge_copy(heap, directory, 0, procs - 1, 0, false);
    huge_copy(heap, directory, 0, 1 % procs, procs - 1, true);
    CHECK(acp_unregister_memory(key) == 0, "acp_unregister_memory failed");
    free(heap);
}

static void test_all(void)
{
    uint8_t stack[REGION];
    uint8_t *heap = malloc(REGION);
    acp_atkey_t keys[KINDS];

    publish(heap, stack, keys);
    test_copies();
    test_overlap();
    test_atomics();
    test_errors();
    for (int k = HEAP; k < KINDS; k++)
        CHECK(acp_unregister_memory(keys[k]) == 0, "acp_unregister_memory failed for %s memory", kind_names[k]);
    free(heap);
    for (int k = 0; k < KINDS; k++)
        free(ga[k]);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    rank = acp_rank();
    procs = acp_procs();
    if (argc > 1 && strcmp(argv[1], "huge") == 0)
        test_huge();
    else
        test_all();
    end();
    return EXIT_SUCCESS;
}
