/*
 * The air: an MPI program on a grid of rows and columns, which is coupled with the lake by ACP.
 *
 *     macpcc mesh/air.c -o air -lm
 *     macprun mesh/mesh.yaml
 *
 * mesh.h has both grids. Each rank has some rows, and one row more at either end, which holds a copy of that of
 * its neighbour.
 */
#include <mpi.h>

#include "mesh.h"

#include <acp_couple.h>
#include <stdio.h>

static int first, rows;                    /* of this rank */
static double levels[2][ROWS + 2][COLUMNS]; /* temperatures of this step and of the next; row 0 is a copy */
static double (*t)[COLUMNS] = levels[0];
static double below[ROWS][COLUMNS];        /* temperatures of the lake */
static double flux[ROWS][COLUMNS];         /* heat that goes down per area and time */
static double heat[ROWS][COLUMNS];         /* what each cell has */

static acp_field_t temperature;
static acp_link_t out, in;
static acp_links_t described;

/* need ends the run with the reason unless a call of the library has succeeded. */
static void need(int ok)
{
    if (!ok)
        acp_abort(acp_couple_message());
}

/* declare declares a field whose values lie at data, with some rows more at either end. */
static acp_field_t declare(acp_model_t air, const char *name, void *data, int more)
{
    int sizes[] = {ROWS, COLUMNS}, firsts[] = {first, 0}, extents[] = {rows, COLUMNS}, halos[] = {more, 0};
    acp_field_t field = acp_create_field_block(air, name, ACP_DOUBLE, 1, data, 2, sizes, firsts, extents, halos, 0);
    need(field != ACP_FIELD_NULL);
    return field;
}

/* couple opens the links with the lake, and those that the description of the run has. */
static void couple(void)
{
    static struct triangle mesh[TRIANGLES];
    struct matrix triangles = {0};
    acp_model_t air = acp_create_model("air", NULL, 0);
    temperature = declare(air, "temperature", t, 1);
    acp_field_t from_lake = declare(air, "below", below, 0), to_lake = declare(air, "flux", flux, 0);
    declare(air, "heat", heat, 0);

    mesh_make(mesh);
    for (int i = 0; i < rows * COLUMNS; i++)
        mesh_to_cell(&triangles, mesh, first * COLUMNS + i);
    in = acp_open_link_weighted_from(from_lake, "lake.temperature", triangles.rows, triangles.columns, triangles.weights,
                                     triangles.entries, 1, 1, -1);
    need(in != ACP_LINK_NULL);
    matrix_free(&triangles);
    need((out = acp_open_link_to(to_lake, "lake.flux", 1, 1, -1)) != ACP_LINK_NULL);
    need((described = acp_open_links(air, -1)) != ACP_LINKS_NULL);
}

/* exchange gets the rows at both ends from the neighbours, and at a wall from this rank. */
static void exchange(int rank, int size)
{
    int before = rank > 0 ? rank - 1 : MPI_PROC_NULL, behind = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    for (int i = 0; i < COLUMNS; i++) {
        t[0][i] = t[1][i];
        t[rows + 1][i] = t[rows][i];
    }
    MPI_Sendrecv(t[1], COLUMNS, MPI_DOUBLE, before, 0, t[rows + 1], COLUMNS, MPI_DOUBLE, behind, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(t[rows], COLUMNS, MPI_DOUBLE, behind, 0, t[0], COLUMNS, MPI_DOUBLE, before, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

/* step computes the temperatures of the next step, and makes them those of this one. */
static void step(void)
{
    double(*next)[COLUMNS] = t == levels[0] ? levels[1] : levels[0];
    for (int j = 1; j <= rows; j++)
        for (int i = 0; i < COLUMNS; i++) {
            double here = t[j][i], left = i > 0 ? t[j][i - 1] : here, right = i < COLUMNS - 1 ? t[j][i + 1] : here;
            double along = (left - 2.0 * here + right) * COLUMNS * COLUMNS;
            double across = (t[j - 1][i] - 2.0 * here + t[j + 1][i]) * ROWS * ROWS;
            next[j][i] = here + TIME_STEP * (AIR_DIFFUSIVITY * (along + across) - flux[j - 1][i] / AIR_CAPACITY);
        }
    t = next;
    need(acp_use_field(temperature, t) == 0);
}

/* run computes all steps. */
static void run(int rank, int size)
{
    for (int now = 0; now <= STEPS; now++) {
        for (int j = 0; j < rows; j++)
            for (int i = 0; i < COLUMNS; i++)
                heat[j][i] = AIR_CAPACITY * CELL_AREA * t[1 + j][i];
        need(acp_send_links(described, now) == 0);
        if (now == STEPS)
            break;
        need(acp_receive_link(in, now) == 0);
        for (int j = 0; j < rows; j++)
            for (int i = 0; i < COLUMNS; i++)
                flux[j][i] = EXCHANGE * (t[1 + j][i] - below[j][i]);
        need(acp_send_link(out, now) == 0);
        exchange(rank, size);
        step();
    }
    need(acp_close_link(in) == 0 && acp_close_link(out) == 0 && acp_close_links(described) == 0);
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
    first = ROWS * rank / size;
    rows = ROWS * (rank + 1) / size - first;
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < COLUMNS; i++)
            t[1 + j][i] = 25.0 - 8.0 * (first + j + 0.5) / ROWS;
    if (rows == 0)
        acp_abort("more processes than rows");
    couple();
    run(rank, size);
    int status = acp_finalize() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    MPI_Finalize();
    return status;
}
