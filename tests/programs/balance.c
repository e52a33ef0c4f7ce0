/*
 * Two models, one of which is slower. Job ocean sends job ice a field in each step and receives a field from it.
 *
 *     balance MILLISECONDS     for how long the ranks of this job compute in each step
 *
 * When the links are open, each rank prints "rank R pid P".
 */
#include "program.h"

#include <acp_couple.h>
#include <time.h>
#include <unistd.h>

enum { POINTS = 64, STEPS = 20 };

/* COUPLED ends the run with the message of the library unless the call has succeeded. */
#define COUPLED(call) CHECK(call, "%s", acp_couple_message())

static void compute(long milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};

    nanosleep(&time, NULL);
}

int main(int argc, char **argv)
{
    CHECK(acp_init(&argc, &argv) == 0, "acp_init");
    int job = acp_job(acp_rank()), ranks = acp_job_procs(job), index = acp_rank() - acp_job_rank(job, 0);
    int is_ocean = strcmp(acp_job_name(job), "ocean") == 0;
    int size = POINTS, count = POINTS / ranks, first = index * count;
    double own[POINTS] = {0}, other[POINTS] = {0};
    acp_model_t model = acp_create_model(NULL, NULL, 0);
    acp_field_t out = acp_create_field_block(model, "out", ACP_DOUBLE, 1, own, 1, &size, &first, &count, NULL, 0);
    acp_field_t in = acp_create_field_block(model, "in", ACP_DOUBLE, 1, other, 1, &size, &first, &count, NULL, 0);
    acp_link_t links[2] = {
        acp_begin_link_to(out, is_ocean ? "ice.in" : "ocean.in", 1, 1, -1),
        acp_begin_link_from(in, is_ocean ? "ice.out" : "ocean.out", 1, 1, -1),
    };
    COUPLED(acp_complete_links(links, 2) == 0);
    printf("rank %d pid %d\n", acp_rank(), (int)getpid());
    fflush(stdout);
    for (int step = 0; step < STEPS; step++) {
        compute(atol(argv[1]));
        own[0] = step;
        COUPLED(acp_send_link(links[0], step) == 0);
        COUPLED(acp_receive_link(links[1], step) == 0); /* the slower model lets the other model wait here */
        CHECK(index > 0 || other[0] == step, "step %d: %g", step, other[0]);
    }
    COUPLED(acp_close_link(links[is_ocean ? 0 : 1]) == 0);
    COUPLED(acp_close_link(links[is_ocean ? 1 : 0]) == 0);
    CHECK(acp_finalize() == 0, "acp_finalize");
    return 0;
}
