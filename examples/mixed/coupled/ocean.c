/*
 * The ocean: an MPI program that is coupled with the atmosphere by ACP.
 *
 *     macpcc coupled/ocean.c -o ocean
 *     macprun coupled/coupled.inputfile
 *
 * heat.h holds the physics, halo.h what the ranks of this model do by MPI,
 * coupler.h the exchange with the other model.
 */
#include <mpi.h>

#include "coupler.h"
#include "halo.h"
#include "heat.h"

#include <stdio.h>
#include <stdlib.h>

/* run computes all steps. Sending goes on behind the halo exchange. */
static void run(struct part *ocean, struct coupler *coupler)
{
    struct halo halo;

    halo_open(&halo, ocean);
    coupler_report(coupler);
    for (int step = 0; step < STEPS; step++) {
        coupler_send(coupler, step);
        halo_exchange(&halo, ocean);
        heat_flux_ocean(ocean, coupler_receive(coupler, step));
        heat_step(ocean);
        coupler_sent(coupler); /* this time level is overwritten in the next step */
        heat_advance(ocean);
        if ((step + 1) % REPORT_EVERY == 0)
            coupler_report(coupler);
    }
    halo_close(&halo);
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
    struct coupler coupler;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (acp_init(&argc, &argv) != 0) {
        fprintf(stderr, "acp_init failed\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }

    struct span own = heat_share(OCEAN.columns, rank, size);
    if (heat_open(&ocean, &OCEAN, own) != 0)
        fail("no memory, or more processes than columns");
    coupler_open(&coupler, &ocean, KIND_OCEAN, KIND_ATMOSPHERE, heat_needs_of_ocean(own));
    run(&ocean, &coupler);
    coupler_close(&coupler);
    int status = check(&ocean, rank, size);
    heat_close(&ocean);

    /* Starter memory lives until all have come here, so a watcher that is late can
     * still read the reports. */
    if (acp_finalize() != 0)
        status = EXIT_FAILURE;
    MPI_Finalize();
    return status;
}
