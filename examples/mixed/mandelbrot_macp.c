/*
 * Computes parts of the picture of mandelbrot, a program in Go, in the processes of an MPI
 * job: takes rows to be computed out of a deque on rank 0, where all ranks take them, and
 * copies what it has computed into a vector there.
 *
 *     macpcc mandelbrot_macp.c -o mandelbrot_macp
 *     macprun mandelbrot/mandelbrot.inputfile
 */
#include <mpi.h>

#include <acp.h>

#include "back_off.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A piece of work: some rows. */
struct band {
    uint32_t first, rows;
};

/* What all ranks read on rank 0. */
struct board {
    uint64_t lock;       /* 1 while a rank has the queue to itself */
    uint64_t rows;       /* computed so far */
    acp_deque_t queue;   /* of struct band */
    acp_vector_t image;  /* iterations of all points, 16 bits each */
    uint64_t width, height, limit;
};

/* How ranks use their starter memory. */
struct starter {
    struct board board; /* of rank 0 */
    struct board copy;  /* of that of rank 0 */
    uint64_t old;       /* receives what atomics find */
    struct band band;
};

static acp_ga_t here, root;
static struct starter *own;

static void fail(const char *why)
{
    acp_abort(why);
}

static void done(acp_handle_t gma)
{
    if (gma == ACP_HANDLE_NULL)
        fail("an access was refused");
    acp_complete(gma);
}

/* next takes a band out of the queue, which this rank has to itself meanwhile. Returns 0
 * if there is none. */
static int next(void)
{
    acp_ga_t old = here + offsetof(struct starter, old);
    unsigned looks = 0;
    acp_deque_t queue = own->copy.queue;

    for (;;) {
        done(acp_cas8(old, root, 0, 1, ACP_HANDLE_NULL));
        if (own->old == 0)
            break;
        back_off(&looks);
    }
    /* A band may lie in two stretches, at the end and the beginning of the ring. */
    acp_ga_t to = here + offsetof(struct starter, band);
    acp_pair_t from = acp_dereference_deque_it(acp_begin_deque(queue), sizeof own->band);
    if (from.first.size > 0)
        done(acp_copy(to, from.first.ga, from.first.size, ACP_HANDLE_NULL));
    if (from.second.size > 0)
        done(acp_copy(to + from.first.size, from.second.ga, from.second.size, ACP_HANDLE_NULL));
    acp_pop_front_deque(queue, sizeof own->band);
    done(acp_swap8(old, root, 0, ACP_HANDLE_NULL));
    return from.first.size > 0;
}

/* iterations is that of mandelbrot/fractal.go: 28 bits behind the point, so that both
 * compute the same. */
static uint16_t iterations(int64_t cx, int64_t cy, uint64_t limit)
{
    int64_t x = 0, y = 0;

    for (uint64_t n = 0; n < limit; n++) {
        int64_t xx = x * x >> 28, yy = y * y >> 28, xy = x * y >> 27;
        if (xx + yy > (int64_t)4 << 28)
            return (uint16_t)n;
        x = xx - yy + cx;
        y = xy + cy;
    }
    return (uint16_t)limit;
}

/* compute computes the band and puts it into the picture. */
static void compute(void)
{
    const struct board *b = &own->copy;
    struct band band = own->band;
    size_t size = (size_t)(band.rows * b->width) * sizeof(uint16_t);
    acp_ga_t memory = acp_malloc(size, acp_rank());
    uint16_t *points = acp_query_address(memory);
    int64_t step = ((int64_t)3 << 28) / (int64_t)b->width;

    if (points == NULL)
        fail("no memory for a band");
    for (uint32_t row = 0; row < band.rows; row++) {
        int64_t y = (2 * (int64_t)(band.first + row) + 1 - (int64_t)b->height) * step / 2;
        for (uint64_t i = 0; i < b->width; i++)
            points[row * b->width + i] = iterations(-((int64_t)9 << 26) + (int64_t)i * step, y, b->limit);
    }
    done(acp_copy(acp_at_vector(b->image, (int)(band.first * b->width * sizeof(uint16_t))), memory, size, ACP_HANDLE_NULL));
    done(acp_add8(here + offsetof(struct starter, old), root + offsetof(struct board, rows), band.rows, ACP_HANDLE_NULL));
    acp_free(memory);
}

int main(int argc, char **argv)
{
    uint32_t rows = 0;

    MPI_Init(&argc, &argv);
    if (acp_init(&argc, &argv) != 0) {
        fprintf(stderr, "acp_init failed\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    here = acp_query_starter_ga(acp_rank());
    root = acp_query_starter_ga(0);
    own = acp_query_address(here);
    if (acp_sync() != 0) /* rank 0 has prepared the work */
        fail("the others have not come");
    done(acp_copy(here + offsetof(struct starter, copy), root, sizeof own->copy, ACP_HANDLE_NULL));
    while (next()) {
        compute();
        rows += own->band.rows;
    }
    printf("rank %d, in C with MPI: %u rows\n", acp_rank(), rows);
    fflush(stdout);
    if (acp_sync() != 0) /* the picture is complete */
        fail("the others have died");
    int status = acp_finalize() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    MPI_Finalize();
    return status;
}
