/*
 * The lake: an MPI program on a mesh of triangles, which is coupled with the air by ACP.
 *
 *     macpcc mesh/lake.c -o lake -lm
 *     macprun mesh/mesh.yaml
 *
 * mesh.h has both grids. Each rank has the triangles of a strip of the lake, whose numbers are in no order.
 */
#include <mpi.h>

#include "mesh.h"

#include <acp_couple.h>
#include <stdio.h>

static struct triangle mesh[TRIANGLES];

/* What one rank has. */
static int count;                /* own triangles */
static int64_t own[TRIANGLES];   /* their numbers */
static double t[TRIANGLES];      /* their temperatures */
static double flux[TRIANGLES];   /* heat from the air per area and time */
static double heat[TRIANGLES];   /* what each has */
static double corners[TRIANGLES][6];

static acp_field_t temperature, from_air;
static acp_link_t out, in;
static acp_links_t described;

/* need ends the run with the reason unless a call of the library has succeeded. */
static void need(int ok)
{
    if (!ok)
        acp_abort(acp_couple_message());
}

/* take takes the triangles of a strip of the lake, with their first temperatures. */
static void take(int rank, int size)
{
    mesh_make(mesh);
    for (int i = 0; i < TRIANGLES; i++) {
        struct vertex centre = mesh_centre(&mesh[i]);
        if ((int)(centre.x * size) != rank)
            continue;
        for (int k = 0; k < 3; k++) {
            corners[count][2 * k] = mesh[i].corners[k].x;
            corners[count][2 * k + 1] = mesh[i].corners[k].y;
        }
        t[count] = 5.0 + 10.0 * centre.x;
        own[count++] = i;
    }
}

/* couple opens the links with the air, and those that the description of the run has. */
static void couple(void)
{
    struct matrix cells = {0};
    acp_model_t lake = acp_create_model("lake", NULL, 0);
    temperature = acp_create_field_list(lake, "temperature", ACP_DOUBLE, 1, t, own, count);
    from_air = acp_create_field_list(lake, "flux", ACP_DOUBLE, 1, flux, own, count);
    need(temperature != ACP_FIELD_NULL && from_air != ACP_FIELD_NULL);
    need(acp_create_field_list(lake, "heat", ACP_DOUBLE, 1, heat, own, count) != ACP_FIELD_NULL);
    need(acp_create_field_list(lake, "corners", ACP_DOUBLE, 6, corners, own, count) != ACP_FIELD_NULL);

    need((out = acp_open_link_to(temperature, "air.below", 1, 1, -1)) != ACP_LINK_NULL);
    for (int i = 0; i < count; i++)
        mesh_to_triangle(&cells, mesh, (int)own[i]);
    in = acp_open_link_weighted_from(from_air, "air.flux", cells.rows, cells.columns, cells.weights, cells.entries, 1, 1,
                                     -1);
    need(in != ACP_LINK_NULL);
    matrix_free(&cells);
    need((described = acp_open_links(lake, -1)) != ACP_LINKS_NULL);
}

/* gain returns what flows into a triangle from its neighbours, per area and time. all has all temperatures. */
static double gain(int64_t number, const double *all)
{
    const struct triangle *at = &mesh[number];
    struct vertex here = mesh_centre(at);
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        if (at->neighbours[k] < 0)
            continue;
        struct vertex a = at->corners[k], b = at->corners[(k + 1) % 3], there = mesh_centre(&mesh[at->neighbours[k]]);
        double edge = hypot(a.x - b.x, a.y - b.y), distance = hypot(here.x - there.x, here.y - there.y);
        sum += edge / distance * (all[at->neighbours[k]] - all[number]);
    }
    return LAKE_DIFFUSIVITY * sum / at->area;
}

/* step computes the temperatures of the next step. The ranks of the lake exchange theirs by MPI. */
static void step(void)
{
    double all[TRIANGLES] = {0};
    for (int i = 0; i < count; i++)
        all[own[i]] = t[i];
    MPI_Allreduce(MPI_IN_PLACE, all, TRIANGLES, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++)
        t[i] += TIME_STEP * (gain(own[i], all) + flux[i] / LAKE_CAPACITY);
}

int main(int argc, char **argv)
{
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (acp_init(&argc, &argv) != 0) {
        fprintf(stderr, "acp_init failed\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    take(rank, size);
    couple();
    for (int now = 0; now <= STEPS; now++) {
        for (int i = 0; i < count; i++)
            heat[i] = LAKE_CAPACITY * mesh[own[i]].area * t[i];
        need(acp_send_links(described, now) == 0);
        if (now == STEPS)
            break;
        need(acp_send_link(out, now) == 0 && acp_receive_link(in, now) == 0);
        step();
    }
    need(acp_close_link(out) == 0 && acp_close_link(in) == 0 && acp_close_links(described) == 0);
    int status = acp_finalize() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    MPI_Finalize();
    return status;
}
