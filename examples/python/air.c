/*
 * The air above the ocean of ocean.py. Each rank has every n-th point of the grid, so its points are a list.
 */
#include <acp_couple.h>

#include <stdio.h>
#include <stdlib.h>

enum { NY = 60, NX = 40, STEPS = 200 }; /* as in ocean.py */

static const double EXCHANGE = 0.05; /* of the difference between ocean and air, in each step, as in ocean.py */

static void need(int holds)
{
    if (!holds)
        acp_abort(acp_error_message());
}

static double sum(const double *values, int count)
{
    double all = 0;
    for (int i = 0; i < count; i++)
        all += values[i];
    return all;
}

/* Stores the heat of this rank under a name, for the ocean. */
static void put_heat(const char *name, const double *values, int count)
{
    char text[64];
    double heat = sum(values, count);
    snprintf(text, sizeof text, "%s of %d", name, acp_rank());
    need(acp_put_value(text, &heat, sizeof heat) == 1);
}

int main(int argc, char **argv)
{
    if (acp_init(&argc, &argv) != 0)
        return EXIT_FAILURE;
    int job = acp_job(acp_rank()), ranks = acp_job_procs(job), mine = 0, count = 0;
    while (acp_job_rank(job, mine) != acp_rank())
        mine++;
    int64_t *points = malloc(NY * NX * sizeof *points);
    double *air = calloc(NY * NX, sizeof *air), *below = calloc(NY * NX, sizeof *below);
    need(points != NULL && air != NULL && below != NULL);
    for (int64_t p = mine; p < NY * NX; p += ranks)
        points[count++] = p;
    for (int i = 0; i < count; i++)
        air[i] = 10;
    put_heat("before", air, count);

    acp_model_t model = acp_create_model("air", NULL, 0);
    acp_field_t theirs = acp_create_field_list(model, "below", ACP_DOUBLE, 1, below, points, count);
    acp_field_t own = acp_create_field_list(model, "surface", ACP_DOUBLE, 1, air, points, count);
    need(theirs != ACP_FIELD_NULL && own != ACP_FIELD_NULL);
    acp_link_t in = acp_open_link_from(theirs, "ocean.surface", 1, 1, -1);
    need(in != ACP_LINK_NULL);
    acp_link_t out = acp_open_link_to(own, "ocean.air", 1, 1, -1);
    need(out != ACP_LINK_NULL);
    for (int step = 0; step < STEPS; step++) {
        need(acp_send_link(out, step) == 0 && acp_receive_link(in, step) == 0);
        for (int i = 0; i < count; i++)
            air[i] += EXCHANGE * (below[i] - air[i]);
    }
    need(acp_close_link(in) == 0 && acp_close_link(out) == 0);
    put_heat("after", air, count);
    need(acp_sync() == 0);
    free(points);
    free(air);
    free(below);
    return acp_finalize() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
