/*
 * The program soak in C, for a few structures: all ranks do random operations in rounds, and
 * compare the results with a model. It takes the same arguments and prints the same lines.
 *
 *     acprun -np 8 -smemsize 1m soak -seed 7 -rounds 5 -steps 200
 */
#include "program.h"

enum { RANKS = 16, SLOT = 4096, BLOCK = 16384, MESSAGE = 8192, KEYS = 20, EACH = 4 /* operations in a step */ };

/* The starter memory of a rank. */
struct memory {
    uint64_t added, compared; /* counters that all ranks change */
    uint64_t did[2][RANKS];   /* the changes of this rank to the counters of each rank */
    uint64_t map[4];          /* the map, as rank 0 has made it */
    uint64_t old, word;       /* results */
    unsigned char key[8], value[64];
    unsigned char out[SLOT], in[SLOT];
    unsigned char block[BLOCK];
    unsigned char slots[RANKS][SLOT]; /* of each rank */
};

#define PLACE(of, member) (base[of] + offsetof(struct memory, member))

static int rank, procs;
static uint64_t state, seed;
static acp_ga_t base[RANKS];
static struct memory *mine;
static unsigned char model[RANKS][SLOT];

/* The data of a rank in the structures. */
static struct {
    acp_ga_t ga;
    size_t size;
    uint64_t key;
} block;
static acp_vector_t vector;
static uint64_t *values;
static size_t length;
static acp_map_t map;
static int there[KEYS];
static acp_ch_t to, from;
static int sent, received;

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint64_t chance(uint64_t n)
{
    state = mix(state);
    return state % n;
}

static void pattern(unsigned char *b, size_t n, uint64_t key)
{
    for (size_t i = 0; i < n; i++) {
        if (i % 8 == 0)
            key = mix(key);
        b[i] = (unsigned char)(key >> 8 * (i % 8));
    }
}

static acp_ga_t slot(int of) { return PLACE(of, slots) + (acp_ga_t)rank * SLOT; }

/* copies puts, gets or moves bytes of the slots that this rank has on every rank. */
static void copies(void)
{
    int a = (int)chance((uint64_t)procs), b = (int)chance((uint64_t)procs);
    size_t n = chance(SLOT) + 1, at = chance(SLOT - n + 1);

    switch (chance(3)) {
    case 0:
        pattern(mine->out, n, chance(UINT64_MAX));
        memcpy(&model[a][at], mine->out, n);
        DONE(acp_copy(slot(a) + at, PLACE(rank, out), n, ACP_HANDLE_NULL));
        break;
    case 1:
        memmove(&model[a][at], &model[b][at], n);
        DONE(acp_copy(slot(a) + at, slot(b) + at, n, ACP_HANDLE_NULL));
        break;
    default:
        DONE(acp_copy(PLACE(rank, in), slot(a) + at, n, ACP_HANDLE_NULL));
        CHECK(memcmp(mine->in, &model[a][at], n) == 0, "seed %lu: %zu bytes at %zu of rank %d are wrong", seed, n, at, a);
    }
}

/* atomics changes the counters of a rank. */
static void atomics(void)
{
    int of = (int)chance((uint64_t)procs);
    uint64_t value = chance(UINT64_MAX);

    mine->did[0][of] += value;
    DONE(acp_add8(PLACE(rank, old), PLACE(of, added), value, ACP_HANDLE_NULL));
    mine->did[1][of]++;
    for (uint64_t expected = 0;; expected = mine->old) {
        DONE(acp_cas8(PLACE(rank, old), PLACE(of, compared), expected, expected + 1, ACP_HANDLE_NULL));
        if (mine->old == expected)
            break;
    }
}

/* blocks allocates memory on a rank, or checks and frees it. */
static void blocks(void)
{
    if (block.ga == ACP_GA_NULL) {
        block.size = chance(BLOCK) + 1;
        block.key = chance(UINT64_MAX);
        block.ga = acp_malloc(block.size, (int)chance((uint64_t)procs));
        CHECK(block.ga != ACP_GA_NULL, "no memory");
        pattern(mine->block, block.size, block.key);
        DONE(acp_copy(block.ga, PLACE(rank, block), block.size, ACP_HANDLE_NULL));
        return;
    }
    static unsigned char want[BLOCK];
    pattern(want, block.size, block.key);
    DONE(acp_copy(PLACE(rank, block), block.ga, block.size, ACP_HANDLE_NULL));
    CHECK(memcmp(mine->block, want, block.size) == 0, "seed %lu: a block of %zu bytes is wrong", seed, block.size);
    acp_free(block.ga);
    block.ga = ACP_GA_NULL;
}

/* sequence appends to the vector, takes from it, or reads a value. */
static void sequence(void)
{
    if (length == 0 || chance(2) == 0) {
        values[length++] = mine->word = chance(UINT64_MAX);
        acp_push_back_vector(vector, PLACE(rank, word), sizeof mine->word);
    } else if (chance(2) == 0) {
        acp_pop_back_vector(vector, sizeof mine->word);
        length--;
    } else {
        size_t i = chance(length);
        DONE(acp_copy(PLACE(rank, word), acp_at_vector(vector, (int)(i * sizeof mine->word)), sizeof mine->word, ACP_HANDLE_NULL));
        CHECK(mine->word == values[i], "seed %lu: value %zu is %lu, expected %lu", seed, i, mine->word, values[i]);
    }
    CHECK(acp_size_vector(vector) == length * sizeof mine->word, "seed %lu: %zu bytes in the vector, expected %zu values",
          seed, acp_size_vector(vector), length);
}

/* keys inserts or removes a key of this rank in the map of all. */
static void keys(void)
{
    int i = (int)chance(KEYS);
    acp_element_t key = {.ga = PLACE(rank, key), .size = sizeof mine->key};
    acp_element_t value = {.ga = PLACE(rank, value), .size = 1 + chance(sizeof mine->value)};

    memset(mine->key, 0, sizeof mine->key);
    mine->key[0] = (unsigned char)rank;
    mine->key[1] = (unsigned char)i;
    if (chance(2) == 0) {
        int new = acp_insert_map(map, (acp_pair_t){.first = key, .second = value});
        CHECK(new == !there[i], "seed %lu: inserting key %d returned %d", seed, i, new);
        there[i] = 1;
    } else {
        acp_remove_map(map, key);
        there[i] = 0;
    }
}

/* message fills b with message number i of a rank and returns its size. */
static size_t message(unsigned char *b, int of, int i)
{
    uint64_t key = mix(mix(seed + (uint64_t)of) + (uint64_t)i);
    size_t n = key % MESSAGE;

    pattern(b, n, key);
    return n;
}

/* messages sends a message to the next rank and receives a message from the previous rank. */
static void messages(void)
{
    static unsigned char out[MESSAGE], in[MESSAGE], want[MESSAGE];

    if (procs == 1)
        return;
    size_t n = message(out, rank, sent++);
    acp_request_t send = acp_nbsend_ch(to, out, n), receive = acp_nbrecv_ch(from, in, sizeof in);
    CHECK(send != ACP_REQUEST_NULL && receive != ACP_REQUEST_NULL, "seed %lu: no request", seed);
    size_t got = acp_wait_ch(receive);
    n = message(want, (rank + procs - 1) % procs, received++);
    CHECK(got == n && memcmp(in, want, n) == 0, "seed %lu: message %d is wrong", seed, received);
    acp_wait_ch(send);
}

/* begin_round makes the structures. */
static void begin_round(void)
{
    int ranks[RANKS];

    memset(mine, 0, sizeof *mine);
    memset(model, 0, sizeof model);
    memset(there, 0, sizeof there);
    length = 0;
    sync_all();
    if (rank == 0) {
        for (int r = 0; r < procs; r++)
            ranks[r] = r;
        map = acp_create_map(procs, ranks, 32, 0);
        _Static_assert(sizeof map <= sizeof mine->map, "the map does not fit");
        memcpy(mine->map, &map, sizeof map);
    }
    sync_all();
    DONE(acp_copy(PLACE(rank, map), PLACE(0, map), sizeof mine->map, ACP_HANDLE_NULL));
    memcpy(&map, mine->map, sizeof map);
    vector = acp_create_vector(0, (int)chance((uint64_t)procs));
    if (procs > 1) {
        to = acp_create_ch(rank, (rank + 1) % procs);
        from = acp_create_ch((rank + procs - 1) % procs, rank);
    }
    sync_all();
}

/* check compares the changes of all ranks. */
static void check(void)
{
    uint64_t added = 0, compared = 0;

    for (int of = 0; of < procs; of++) {
        DONE(acp_copy(PLACE(rank, in), slot(of), SLOT, ACP_HANDLE_NULL));
        CHECK(memcmp(mine->in, model[of], SLOT) == 0, "seed %lu: the slot of rank %d is wrong", seed, of);
        DONE(acp_copy(PLACE(rank, word), PLACE(of, did[0][0]) + 8 * (acp_ga_t)rank, 8, ACP_HANDLE_NULL));
        added += mine->word;
        DONE(acp_copy(PLACE(rank, word), PLACE(of, did[1][0]) + 8 * (acp_ga_t)rank, 8, ACP_HANDLE_NULL));
        compared += mine->word;
    }
    CHECK(mine->added == added && mine->compared == compared, "seed %lu: counted %lu and %lu, expected %lu and %lu", seed,
          mine->added, mine->compared, added, compared);
    for (int i = 0; i < KEYS; i++) {
        memset(mine->key, 0, sizeof mine->key);
        mine->key[0] = (unsigned char)rank;
        mine->key[1] = (unsigned char)i;
        acp_map_it_t it = acp_find_map(map, (acp_element_t){.ga = PLACE(rank, key), .size = sizeof mine->key});
        acp_map_it_t end_it = acp_end_map(map);
        CHECK((memcmp(&it, &end_it, sizeof it) != 0) == there[i], "seed %lu: key %d is wrong", seed, i);
    }
    if (block.ga != ACP_GA_NULL)
        blocks();
}

static void end_round(void)
{
    acp_destroy_vector(vector);
    if (procs > 1) {
        acp_request_t both[] = {acp_nbfree_ch(to), acp_nbfree_ch(from)};
        acp_wait_ch(both[0]);
        acp_wait_ch(both[1]);
    }
    sync_all();
    if (rank == 0)
        acp_destroy_map(map);
    sync_all();
}

/* number returns the value of an option. */
static uint64_t number(int argc, char **argv, const char *name)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return strtoull(argv[i + 1], NULL, 10);
    CHECK(0, "%s N is missing", name);
    return 0;
}

int main(int argc, char **argv)
{
    static void (*const actors[])(void) = {copies, atomics, blocks, sequence, keys};
    char host[256] = "";

    begin(&argc, &argv);
    rank = acp_rank();
    procs = acp_procs();
    gethostname(host, sizeof host - 1);
    printf("rank %d host %s pid %d\n", rank, host, (int)getpid());
    fflush(stdout);
    CHECK(procs <= RANKS, "%d ranks, at most %d are possible", procs, RANKS);
    seed = number(argc, argv, "-seed");
    uint64_t rounds = number(argc, argv, "-rounds"), steps = number(argc, argv, "-steps");
    state = mix(seed + (uint64_t)rank);
    mine = starter();
    values = calloc(steps * EACH + 1, sizeof *values);
    for (int r = 0; r < procs; r++)
        base[r] = acp_query_starter_ga(r);
    for (uint64_t round = 0; round < rounds; round++) {
        begin_round();
        for (uint64_t step = 0; step < steps; step++) {
            for (int i = 0; i < EACH; i++)
                actors[chance(sizeof actors / sizeof *actors)]();
            messages();
        }
        sync_all();
        check();
        sync_all();
        end_round();
        if (rank == 0) {
            printf("seed %lu round %lu: right in C\n", seed, round);
            fflush(stdout);
        }
    }
    free(values);
    end();
    return EXIT_SUCCESS;
}
