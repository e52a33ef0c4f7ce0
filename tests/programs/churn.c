/*
 * Every rank registers many pieces of memory permanently, and reads and changes the pieces of the next rank, while a
 * thread of each rank registers and unregisters other pieces among them, in order, in reverse and at random.
 *
 *     acprun -np 2 churn [NUMBER]
 */
#include "program.h"

#include <pthread.h>

/* Apart, so that no piece can be joined with its neighbour. Pieces of even numbers stay. */
enum { PIECE = 64, STRIDE = 4096, ROUNDS = 6 };

static int rank, procs, number;
static uint8_t *memory;
static int ended; /* whether the thread has done its rounds */

static void *piece(int i) { return memory + (size_t)i * STRIDE; }

/* shuffle brings numbers into an order that depends on a seed. */
static void shuffle(int *numbers, int count, unsigned seed)
{
    for (int i = count - 1; i > 0; i--) {
        int k = rand_r(&seed) % (i + 1), held = numbers[i];
        numbers[i] = numbers[k];
        numbers[k] = held;
    }
}

/* change registers and unregisters the pieces of odd numbers. */
static void *change(void *unused)
{
    acp_atkey_t *keys = calloc((size_t)number, sizeof *keys);
    int count = number / 2, *order = calloc((size_t)count, sizeof *order);

    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < count; i++) {
            int at = 2 * i + 1;
            keys[at] = acp_register_memory(piece(at), PIECE, 0);
            CHECK(keys[at] != ACP_ATKEY_NULL && acp_query_ga(keys[at], piece(at)) != ACP_GA_NULL, "piece %d was not registered", at);
            order[i] = round % 3 == 1 ? number - 1 - 2 * i : at;
        }
        if (round % 3 == 2)
            shuffle(order, count, (unsigned)(rank * ROUNDS + round));
        for (int i = 0; i < count; i++)
            CHECK(acp_unregister_memory(keys[order[i]]) == 0, "piece %d was not unregistered", order[i]);
    }
    __atomic_store_n(&ended, 1, __ATOMIC_RELEASE);
    free(order);
    free(keys);
    return unused;
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    rank = acp_rank();
    procs = acp_procs();
    number = argc > 1 ? atoi(argv[1]) & ~1 : 20000;
    int stay = number / 2, next = (rank + 1) % procs;
    size_t table = (size_t)stay * sizeof(acp_ga_t);
    acp_atkey_t *keys = calloc((size_t)stay, sizeof *keys);
    acp_ga_t *own = (acp_ga_t *)((uint8_t *)starter() + 64), *theirs = own + stay, here = acp_query_starter_ga(rank);
    uint64_t *word = starter(), turns = 0;

    memory = aligned_alloc(STRIDE, (size_t)number * STRIDE);
    memset(memory, 0, (size_t)number * STRIDE);
    for (int i = 0; i < stay; i++) {
        keys[i] = acp_register_memory(piece(2 * i), PIECE, 0);
        own[i] = acp_query_ga(keys[i], piece(2 * i));
        CHECK(own[i] != ACP_GA_NULL, "piece %d was not registered", 2 * i);
        *(uint64_t *)piece(2 * i) = (uint64_t)(rank * stay + i);
    }
    sync_all();
    DONE(acp_copy(here + 64 + table, acp_query_starter_ga(next) + 64, table, ACP_HANDLE_NULL));

    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, change, NULL) == 0, "no thread");
    for (unsigned seed = (unsigned)rank; !__atomic_load_n(&ended, __ATOMIC_ACQUIRE); turns++) {
        int i = rand_r(&seed) % stay;
        word[0] = ~(uint64_t)0;
        DONE(acp_copy(here, theirs[i], 8, ACP_HANDLE_NULL));
        CHECK(word[0] == (uint64_t)(next * stay + i), "piece %d of rank %d begins with %lu", 2 * i, next, (unsigned long)word[0]);
        DONE(acp_add8(here, theirs[i] + 8, 1, ACP_HANDLE_NULL));
    }
    CHECK(pthread_join(thread, NULL) == 0, "the thread is lost");
    word[1] = turns;
    sync_all();

    /* Every addition of the rank before has come. */
    uint64_t sum = 0;
    for (int i = 0; i < stay; i++) {
        sum += ((uint64_t *)piece(2 * i))[1];
        CHECK(acp_unregister_memory(keys[i]) == 0, "piece %d was not unregistered", 2 * i);
    }
    DONE(acp_copy(here, acp_query_starter_ga((rank + procs - 1) % procs) + 8, 8, ACP_HANDLE_NULL));
    CHECK(sum == word[0] && sum > 0, "%lu additions came of %lu", (unsigned long)sum, (unsigned long)word[0]);
    sync_all();
    end();
    return EXIT_SUCCESS;
}
