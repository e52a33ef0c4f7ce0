/*
 * Global pointer arrays: ranks write random elements of arrays of all kinds of shapes, read elements, and compare
 * them with the expected contents.
 *
 *     acprun -np 4 pointers [ROUNDS [SEED [say]]]
 *
 * With say each rank prints its process after the first round.
 */
#include "program.h"

#include <gp.h>

enum { MOST_DIMS = 4, MOST_PLACES = 4096, PADDING = 2 };

static int me, procs;
static uint64_t state;

/* draw returns a number from 0 to n-1. Ranks with the same state draw the same. */
static int draw(int n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)n);
}

struct array {
    int handle, ndim, dims[MOST_DIMS], places, generation;
};

/* size_of returns the bytes of the element of place i, 0 if it has none. Some are large. */
static int size_of(const struct array *a, int i)
{
    uint32_t x = (uint32_t)i * 2654435761u + (uint32_t)a->handle * 40503u;

    if (x % 5 == 0)
        return 0;
    return x % 211 == 7 ? (int)(x % 3000000) + 1 : (int)(x >> 8) % 280 + 12;
}

static unsigned char value(const struct array *a, int i, int at, int generation)
{
    return (unsigned char)(i * 13 + at * 7 + generation * 101 + a->handle);
}

static void fill(const struct array *a, int i, unsigned char *memory, int generation)
{
    for (int at = 0; at < size_of(a, i); at++)
        memory[at] = value(a, i, at, generation);
}

static void check(const struct array *a, int i, const unsigned char *memory, int size)
{
    CHECK(size == size_of(a, i), "place %d has %d bytes, expected %d", i, size, size_of(a, i));
    for (int at = 0; at < size; at++)
        CHECK(memory[at] == value(a, i, at, a->generation), "place %d has %d at %d, expected %d", i, memory[at], at,
              value(a, i, at, a->generation));
}

/* subscript stores the subscript of place i. */
static void subscript(const struct array *a, int i, int *at)
{
    for (int d = a->ndim - 1; d >= 0; d--) {
        at[d] = i % a->dims[d];
        i /= a->dims[d];
    }
}

static int number(const struct array *a, const int *at)
{
    int i = 0;

    for (int d = 0; d < a->ndim; d++)
        i = i * a->dims[d] + at[d];
    return i;
}

/* next goes to the next place of a section in C order, and returns 0 after the last. */
static int next(const struct array *a, const int *lo, const int *hi, int *at)
{
    for (int d = a->ndim - 1; d >= 0; d--) {
        if (at[d]++ < hi[d])
            return 1;
        at[d] = lo[d];
    }
    return 0;
}

/* create makes an array of a random shape, the same on all ranks. */
static struct array create(void)
{
    struct array a = {.handle = GP_Create_handle(), .ndim = 1 + draw(MOST_DIMS), .places = 1};
    int chunk[MOST_DIMS], nblock[MOST_DIMS], mapc[MOST_DIMS * 4], starts = 0, blocks = 1;

    for (int d = 0; d < a.ndim; d++) {
        a.dims[d] = 1 + draw(a.ndim == 1 ? 200 : a.ndim == 2 ? 40 : 8);
        a.places *= a.dims[d];
        chunk[d] = draw(a.dims[d] + 2) - 1;
    }
    GP_Set_dimensions(a.handle, a.ndim, a.dims);
    switch (draw(3)) {
    case 0:
        GP_Set_chunk(a.handle, chunk);
        break;
    case 1:
        for (int d = 0; d < a.ndim; d++) {
            nblock[d] = a.dims[d] >= 2 && blocks * 2 <= procs ? 2 : 1;
            blocks *= nblock[d];
            mapc[starts++] = 0;
            if (nblock[d] == 2)
                mapc[starts++] = draw(a.dims[d] + 1);
        }
        GP_Set_irreg_distr(a.handle, mapc, nblock);
    }
    CHECK(GP_Allocate(a.handle) == 1, "no room for array %d", a.handle);
    return a;
}

/* assign gives the places of this rank their elements. */
static void assign(const struct array *a)
{
    int lo[MOST_DIMS], hi[MOST_DIMS], at[MOST_DIMS];

    GP_Distribution(a->handle, me, lo, hi);
    if (hi[0] < lo[0])
        return;
    memcpy(at, lo, sizeof at);
    do {
        int i = number(a, at), size = size_of(a, i);
        if (size == 0)
            continue;
        unsigned char *memory = GP_Malloc((size_t)size);
        CHECK(memory != NULL, "no room for %d bytes", size);
        fill(a, i, memory, a->generation);
        GP_Assign_local_element(a->handle, at, memory, size);
    } while (next(a, lo, hi, at));
}

static void *pointers[MOST_PLACES * 4];
static int sizes[MOST_PLACES * 4];

/* read_section gets a random section, packed, with strides that are larger than it. */
static void read_section(const struct array *a)
{
    int lo[MOST_DIMS], hi[MOST_DIMS], at[MOST_DIMS], ld[MOST_DIMS], size, want;
    size_t entries = 1;

    for (int d = 0; d < a->ndim; d++) {
        lo[d] = draw(a->dims[d]);
        hi[d] = lo[d] + draw(a->dims[d] - lo[d]);
        if (d > 0)
            ld[d - 1] = hi[d] - lo[d] + 1 + draw(PADDING);
        entries *= (size_t)(hi[d] - lo[d] + 1 + PADDING);
    }
    CHECK(entries <= sizeof sizes / sizeof *sizes, "%zu entries", entries);
    GP_Get_size(a->handle, lo, hi, &want);
    unsigned char *buffer = malloc((size_t)want + 1), *expected = buffer;
    GP_Get(a->handle, lo, hi, buffer, pointers, ld, sizes, ld, &size, 0);
    CHECK(size == want, "%d bytes, expected %d", size, want);
    memcpy(at, lo, sizeof at);
    do {
        int e = at[0] - lo[0];
        for (int d = 1; d < a->ndim; d++)
            e = e * ld[d - 1] + at[d] - lo[d];
        CHECK(pointers[e] == expected, "the bytes are not packed");
        check(a, number(a, at), pointers[e], sizes[e]);
        expected += sizes[e];
    } while (next(a, lo, hi, at));
    free(buffer);
}

/* read_list gets random places to memory of its own. */
static void read_list(const struct array *a)
{
    enum { LISTED = 50 };
    int places[LISTED * MOST_DIMS], size, want = 0;

    for (int k = 0; k < LISTED; k++) {
        int i = draw(a->places);
        subscript(a, i, &places[k * a->ndim]);
        sizes[k] = size_of(a, i);
        pointers[k] = malloc((size_t)sizes[k] + 1);
        want += sizes[k];
    }
    GP_Gather(a->handle, LISTED, places, NULL, pointers, sizes, &size, 1);
    CHECK(size == want, "%d bytes, expected %d", size, want);
    for (int k = 0; k < LISTED; k++) {
        check(a, number(a, &places[k * a->ndim]), pointers[k], sizes[k]);
        free(pointers[k]);
    }
}

/* write gives all elements the next generation. Rank r writes places r, r + procs … by scatter. */
static void write_all(struct array *a)
{
    static int places[MOST_PLACES * MOST_DIMS];
    int nv = 0, size, want = 0;

    for (int i = me; i < a->places; i += procs, nv++) {
        subscript(a, i, &places[nv * a->ndim]);
        sizes[nv] = size_of(a, i);
        pointers[nv] = malloc((size_t)sizes[nv] + 1);
        fill(a, i, pointers[nv], a->generation + 1);
        want += sizes[nv];
    }
    GP_Sync();
    GP_Scatter(a->handle, nv, places, pointers, sizes, &size, 1);
    CHECK(size == want, "%d bytes, expected %d", size, want);
    a->generation++;
    while (nv-- > 0)
        free(pointers[nv]);
    GP_Sync();
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    int rounds = argc > 1 ? atoi(argv[1]) : 8;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;

    me = acp_rank();
    procs = acp_procs();
    GP_Initialize();
    for (int round = 0; round < rounds; round++) {
        state = seed * 1000003 + (uint64_t)round;
        struct array a = create();
        assign(&a);
        GP_Sync();
        state += (uint64_t)me * 7919;
        for (int turn = 0; turn < 3; turn++) {
            for (int i = 0; i < 4; i++) {
                read_section(&a);
                read_list(&a);
            }
            write_all(&a);
        }
        read_section(&a);
        GP_Sync();
        CHECK(GP_Destroy(a.handle) == 1, "array %d was not destroyed", a.handle);
        GP_Terminate(); /* frees the elements */
        GP_Initialize();
        if (argc > 3 && round == 0) {
            printf("rank %d pid %d\n", me, (int)getpid());
            fflush(stdout);
        }
    }
    GP_Terminate();
    if (me == 0)
        printf("%d ranks: %d arrays\n", procs, rounds);
    end();
    return EXIT_SUCCESS;
}
