/*
 * The ocean: an MPI program that is coupled with the atmosphere by ACP.
 *
 *     macpcc coupled/ocean.c -o ocean
 *     macprun coupled/coupled.inputfile
 *
 * heat.h holds the physics, halo.h what the ranks of this model do by MPI. couple and run
 * couple it with the other model.
 */
#include <mpi.h>

#include "halo.h"
#include "heat.h"

#include <acp_couple.h>
#include <stdio.h>
#include <stdlib.h>

/* need ends the run with the reason unless a call of the library has succeeded. */
static void need(int ok)
{
    if (!ok)
        acp_abort(acp_couple_message());
}

/* This model sends its temperatures: the other model wants those at the interface, the watcher all. */
struct coupling {
    acp_field_t mine, theirs;
    acp_link_t out, in, watched;
};

/* couple declares the temperatures of this rank, and those of the other model that it needs, and opens the links.
 * Points are numbered as in the grid, so the first ones are those at the interface. */
static void couple(struct coupling *c, struct part *ocean, struct span needs, double *above)
{
    int sizes[] = {OCEAN.rows, OCEAN.columns}, firsts[] = {0, ocean->own.first};
    int extents[] = {OCEAN.rows, ocean->own.count}, halos[] = {0, 1};
    acp_model_t model = acp_create_model("ocean", NULL, 0);
    c->mine = acp_create_field_block(model, "all", ACP_DOUBLE, 1, ocean->now, 2, sizes, firsts, extents, halos, 0);
    c->theirs = acp_create_field_block(model, "above", ACP_DOUBLE, 1, above, 1, &ATMOSPHERE.columns, &needs.first,
                                       &needs.count, NULL, ACP_SAME_NUMBERS);
    need(c->mine != ACP_FIELD_NULL && c->theirs != ACP_FIELD_NULL);
    need((c->out = acp_open_link_to(c->mine, "atmosphere.below", 1, 1, -1)) != ACP_LINK_NULL);
    need((c->in = acp_open_link_from(c->theirs, "atmosphere.all", 1, 1, -1)) != ACP_LINK_NULL);
    need((c->watched = acp_open_link_to(c->mine, "watcher.ocean", REPORTS, REPORT_EVERY, -1)) != ACP_LINK_NULL);
}

/* run computes all steps. Sending goes on behind the halo exchange. */
static void run(struct part *ocean)
{
    struct span needs = heat_needs_of_ocean(ocean->own);
    double *above = calloc((size_t)needs.count, sizeof *above);
    struct coupling c;
    struct halo halo;

    couple(&c, ocean, needs, above);
    halo_open(&halo, ocean);
    for (int step = 0; step <= STEPS; step++) {
        acp_use_field(c.mine, ocean->now);
        need(acp_send_link(c.watched, step) == 0); /* acts in each REPORT_EVERY-th step */
        if (step == STEPS)
            break;
        need(acp_send_link(c.out, step) == 0);
        halo_exchange(&halo, ocean);
        need(acp_receive_link(c.in, step) == 0);
        heat_flux_ocean(ocean, above);
        heat_step(ocean);
        heat_advance(ocean);
    }
    halo_close(&halo);
    need(acp_close_link(c.out) == 0 && acp_close_link(c.in) == 0 && acp_close_link(c.watched) == 0);
    free(above);
}

/* check compares this part with the serial run. Returns the exit status. */
static int check(const struct part *ocean, int rank, int size)
{
    double error = heat_error(ocean);

    printf("%s %d of %d, ACP rank %d, columns %d-%d: differs from the serial run by %.1e\n", ocean->medium->name, rank,
           size, acp_rank(), ocean->own.first, ocean->own.first + ocean->own.count - 1, error);
    fflush(stdout);
    return error >= 0.0 && error <= 1e-12 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    int rank, size;
    struct part ocean;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (acp_init(&argc, &argv) != 0) {
        fprintf(stderr, "acp_init failed\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }

    if (heat_open(&ocean, &OCEAN, heat_share(OCEAN.columns, rank, size)) != 0)
        acp_abort("no memory, or more processes than columns");
    run(&ocean);
    int status = check(&ocean, rank, size);
    heat_close(&ocean);

    if (acp_finalize() != 0)
        status = EXIT_FAILURE;
    MPI_Finalize();
    return status;
}
