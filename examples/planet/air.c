// The atmosphere of the planet, on 320 triangles, under an MPI of its own. It takes four steps in the time of one step of the ocean. In
// each step it gives heat to the ocean below, or takes it, where there is ocean, and the sun warms it.
//
//     air STEPS FOLDER [continue]
//
// FOLDER has the file air.grid, and gets the state of a restart.

#include <acp_couple.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 320, PER_STEP = 4 };

// What the program knows of a cell: the fraction is that of its area above the ocean.
struct cell {
    double longitude, latitude, area, fraction;
};

static int rank, ranks;

static void need(int ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "air: rank %d: %s: %s\n", rank, what, acp_couple_message());
    acp_abort("the atmosphere cannot continue");
}

// Reads or writes the values of this rank, which are not part of the state of links.
static void values(const char *folder, double *x, int count, int save)
{
    char name[1000];
    snprintf(name, sizeof name, "%s/air.%d", folder, rank);
    FILE *f = fopen(name, save ? "wb" : "rb");
    need(f != NULL, name);
    size_t done = save ? fwrite(x, sizeof *x, (size_t)count, f) : fread(x, sizeof *x, (size_t)count, f);
    need(done == (size_t)count && fclose(f) == 0, name);
}

// Reads the cells of this rank.
static void read_cells(const char *folder, struct cell *cells, int first, int count)
{
    char name[1000];
    snprintf(name, sizeof name, "%s/air.grid", folder);
    FILE *f = fopen(name, "rb");
    need(f != NULL && fseek(f, first * (long)sizeof *cells, SEEK_SET) == 0, name);
    need(fread(cells, sizeof *cells, (size_t)count, f) == (size_t)count && fclose(f) == 0, name);
}

int main(int argc, char **argv)
{
    static struct cell cells[CELLS];
    // given is the heat that the ocean has got by the step before, in all steps. It is part of the values of a restart.
    static double state[CELLS + 2], heat[CELLS], water[CELLS];
    double *warmth = state, *given, sum[2];

    MPI_Init(&argc, &argv);
    if (acp_init(&argc, &argv) != 0 || argc < 3)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int cells_of_all = CELLS, first = CELLS * rank / ranks, count = CELLS * (rank + 1) / ranks - first;
    given = state + count; // before the last window, and in it
    read_cells(argv[2], cells, first, count);
    for (int i = 0; i < count; i++) {
        warmth[i] = 280;
        water[i] = 285;
    }

    acp_model_t model = acp_create_model("air", NULL, 0);
    struct {
        const char *name;
        double *values;
    } fields[] = {{"heat", heat}, {"water", water}, {"warmth", warmth}};
    for (int i = 0; i < 3; i++)
        need(acp_create_field_block(model, fields[i].name, ACP_DOUBLE, 1, fields[i].values, 1, &cells_of_all, &first, &count, NULL, 0) !=
                 ACP_FIELD_NULL,
             fields[i].name);
    acp_links_t links = acp_open_links(model, 60);
    need(links != ACP_LINKS_NULL, "acp_open_links");

    int64_t last = -1;
    if (argc > 3) {
        need(acp_load_links(links, argv[2], &last) == 0, "acp_load_links");
        values(argv[2], state, count + 2, 0);
    }
    int64_t end = last + 1 + atoi(argv[1]);
    for (int64_t step = last + 1; step < end; step++) {
        need(acp_receive_links(links, step) == 0, "acp_receive_links");
        if (step % PER_STEP == 0) { // the ocean gets what was given in the last window
            given[0] += given[1];
            given[1] = 0;
        }
        for (int i = 0; i < count; i++) {
            double sun = 240 * cos(cells[i].latitude * acos(-1) / 180), lost = 0.8 * (warmth[i] - 60);
            heat[i] = 10 * (warmth[i] - water[i]);
            warmth[i] += 0.02 * (sun - lost - cells[i].fraction * heat[i]);
            given[1] += heat[i] * cells[i].fraction * cells[i].area / PER_STEP;
        }
        need(acp_send_links(links, step) == 0, "acp_send_links");
    }
    need(acp_save_links(links, argv[2]) == 0, "acp_save_links");
    values(argv[2], state, count + 2, 1);

    double own[2] = {given[0], 0};
    for (int i = 0; i < count; i++)
        own[1] += warmth[i] * cells[i].area;
    MPI_Reduce(own, sum, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("air: %d steps, the ocean has got %.12e, mean %.15g\n", (int)end, sum[0], sum[1] / (4 * acos(-1)));
    acp_close_links(links);
    if (acp_finalize() != 0)
        return EXIT_FAILURE;
    MPI_Finalize();
    return EXIT_SUCCESS;
}
