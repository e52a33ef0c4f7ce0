/*
 * Every rank registers many pieces of memory; the next rank reads and changes each of them, and so
 * does the owner. Then the owner unregisters them and registers other pieces in their place.
 *
 *     acprun -np 2 registrations [NUMBER]
 */
#include "program.h"

/* Apart, so that no piece can be joined with its neighbour. */
enum { PIECE = 64, STRIDE = 4096, ROUNDS = 2 };

static int rank, procs, number;

/* use_all copies a word of each piece of a rank, adds to it, and copies it back to the next word. */
static void use_all(int owner, const acp_ga_t *pieces)
{
    acp_ga_t here = acp_query_starter_ga(rank);
    uint64_t *word = (uint64_t *)starter();

    for (int i = 0; i < number; i++) {
        acp_handle_t h = acp_copy(here, pieces[i], 8, ACP_HANDLE_NULL);
        h = acp_add8(here + 8, pieces[i], 1000000, h);
        DONE(acp_copy(pieces[i] + 8 + 8 * (acp_ga_t)rank, here + 8, 8, h));
        CHECK(word[0] % 1000000 == (uint64_t)(owner * number + i), "piece %d of rank %d begins with %lu", i, owner, word[0]);
        CHECK(word[1] % 1000000 == word[0] % 1000000, "piece %d of rank %d had %lu for the copy and %lu for the atomic", i, owner, word[0], word[1]);
    }
}

static void run_round(uint8_t *memory, acp_ga_t *pieces, acp_atkey_t *keys)
{
    size_t table = (size_t)number * sizeof *pieces;
    acp_ga_t *all = (acp_ga_t *)(starter() + 64);

    for (int i = 0; i < number; i++) {
        uint64_t *piece = (uint64_t *)(memory + (size_t)i * STRIDE);
        memset(piece, 0, PIECE);
        piece[0] = (uint64_t)(rank * number + i);
        keys[i] = acp_register_memory(piece, PIECE, 0);
        CHECK(keys[i] != ACP_ATKEY_NULL, "registration %d failed", i);
        all[i] = acp_query_ga(keys[i], piece);
    }
    sync_all();
    int next = (rank + 1) % procs;
    DONE(acp_copy(acp_query_starter_ga(rank) + 64 + table, acp_query_starter_ga(next) + 64, table, ACP_HANDLE_NULL));
    memcpy(pieces, all + number, table);
    use_all(next, pieces);
    use_all(rank, all);
    sync_all();
    for (int i = 0; i < number; i++) {
        const uint64_t *piece = (uint64_t *)(memory + (size_t)i * STRIDE);
        int before = (rank + procs - 1) % procs;
        uint64_t expected = (uint64_t)(rank * number + i);
        CHECK(piece[0] == expected + 2 * 1000000, "piece %d begins with %lu", i, piece[0]);
        CHECK(piece[1 + rank] % 1000000 == expected && piece[1 + before] % 1000000 == expected, "piece %d holds %lu and %lu", i, piece[1 + rank], piece[1 + before]);
        CHECK(acp_unregister_memory(keys[i]) == 0, "piece %d was not unregistered", i);
    }
    sync_all();
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    rank = acp_rank();
    procs = acp_procs();
    number = argc > 1 ? atoi(argv[1]) : 10000;
    uint8_t *memory = aligned_alloc(STRIDE, (size_t)number * STRIDE);
    acp_ga_t *pieces = calloc((size_t)number, sizeof *pieces);
    acp_atkey_t *keys = calloc((size_t)number, sizeof *keys);
    for (int i = 0; i < ROUNDS; i++)
        run_round(memory, pieces, keys);
    end();
    return EXIT_SUCCESS;
}
