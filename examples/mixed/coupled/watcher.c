/*
 * The watcher: a plain ACP program, without MPI, that follows two coupled models. It reads the
 * reports of all their ranks out of their memory. The models take no part and do not know of it.
 *
 *     acpcc coupled/watcher.c -o watcher
 *     macprun coupled/coupled.inputfile
 */
#include "directory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

/* The boards of all ranks as last seen, by rank. */
struct view {
    struct board *boards;
    acp_ga_t ga;
    acp_atkey_t key;
};

static void view_open(struct view *v)
{
    size_t bytes = (size_t)acp_procs() * sizeof *v->boards;
    v->boards = calloc(1, bytes);
    if (v->boards == NULL)
        fail("no memory for the boards");
    v->ga = published(v->boards, bytes, &v->key);
}

static void view_close(struct view *v)
{
    if (acp_unregister_memory(v->key) != 0)
        fail("memory cannot be unregistered");
    free(v->boards);
}

/* is_model tells whether e is a rank that reports. */
static int is_model(const struct entry *e)
{
    return e->kind == KIND_OCEAN || e->kind == KIND_ATMOSPHERE;
}

/* view_refresh reads the boards and returns the number of reports that all have
 * made. The reports are read after their count, by the order of the second copy: so
 * all that are counted are there. */
static uint64_t view_refresh(struct view *v, const struct entry *directory)
{
    uint64_t common = REPORTS;

    for (int rank = 0; rank < acp_procs(); rank++) {
        if (!is_model(&directory[rank]))
            continue;
        acp_ga_t from = directory[rank].board, to = v->ga + (acp_ga_t)rank * sizeof(struct board);
        acp_handle_t count = issued(acp_copy(to, from, sizeof(uint64_t), ACP_HANDLE_NULL), "no count of reports");
        issued(acp_copy(to + offsetof(struct board, heat), from + offsetof(struct board, heat),
                        sizeof v->boards->heat, count),
               "no reports");
    }
    acp_complete(ACP_HANDLE_ALL);
    for (int rank = 0; rank < acp_procs(); rank++)
        if (is_model(&directory[rank]) && v->boards[rank].reports < common)
            common = v->boards[rank].reports;
    return common;
}

/* heat_of sums up report n of all ranks of a model. */
static double heat_of(enum kind kind, const struct view *v, const struct entry *directory, uint64_t n)
{
    double sum = 0.0;
    for (int rank = 0; rank < acp_procs(); rank++)
        if (directory[rank].kind == (uint64_t)kind)
            sum += v->boards[rank].heat[n];
    return sum;
}

/* watch prints each report once all ranks have made it. Returns by how much the heat
 * of both models changed from the first report to the last, relatively. */
static double watch(struct view *v, const struct entry *directory)
{
    double first = 0.0, together = 0.0;

    for (uint64_t shown = 0; shown < REPORTS;) {
        for (uint64_t common = view_refresh(v, directory); shown < common; shown++) {
            double ocean = heat_of(KIND_OCEAN, v, directory, shown);
            double air = heat_of(KIND_ATMOSPHERE, v, directory, shown);
            together = ocean + air;
            if (shown == 0)
                first = together;
            printf("watcher: step %4d: heat of the ocean %.6f, of the atmosphere %.6f, together %.6f\n",
                   (int)shown * REPORT_EVERY, ocean, air, together);
        }
        fflush(stdout);
        thrd_sleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    return fabs(together - first) / fabs(first);
}

int main(int argc, char **argv)
{
    struct view view;

    if (acp_init(&argc, &argv) != 0) {
        fprintf(stderr, "acp_init failed\n");
        return EXIT_FAILURE;
    }
    struct starter *s = starter_memory();
    s->mine = (struct entry){.kind = KIND_WATCHER};
    directory_join(s);
    view_open(&view);
    double drift = watch(&view, s->directory);
    view_close(&view);

    printf("watcher: in %d steps the heat of both changed by %.1e of itself\n", STEPS, drift);
    fflush(stdout);
    int status = drift <= 1e-9 ? EXIT_SUCCESS : EXIT_FAILURE;
    if (acp_finalize() != 0)
        status = EXIT_FAILURE;
    return status;
}
