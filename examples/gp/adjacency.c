/*
 * A graph as a distributed adjacency list, and its triangles.
 *
 * The vertices are the places of a global pointer array. The element of a vertex is the list of its
 * neighbours, whose length differs from vertex to vertex. The owner of a vertex makes the list. Then
 * each rank takes a share of the vertices, gathers the lists of the neighbours of each, wherever they
 * are, and counts the triangles.
 *
 *     acprun -np 4 adjacency_acp [VERTICES]
 *     macprun inputfile
 */
#include "graph.h"

#include <gp.h>

#ifdef WITH_MPI
#include <mpi.h>
#endif

#include <acp.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, ranks;

static void fail(const char *what)
{
    acp_abort(what);
    abort();
}

/* make gives each vertex of this rank its list. */
static void make(int graph, int vertices)
{
    int first, last;

    GP_Distribution(graph, rank, &first, &last);
    for (int v = first; v <= last; v++) {
        int n = degree(v, vertices);
        if (n == 0)
            continue;
        int *list = GP_Malloc((size_t)n * sizeof *list);
        if (list == NULL)
            fail("no room for the graph: -startermemsize-dl makes the heap larger");
        neighbours(v, vertices, list);
        GP_Assign_local_element(graph, &v, list, n * (int)sizeof *list);
    }
}

/* list is the neighbours of one vertex. */
struct list {
    int *of, n;
};

/* get returns the list of a vertex. */
static struct list get(int graph, int v)
{
    void *where;
    int size, bytes;

    GP_Get_size(graph, &v, &v, &size);
    struct list l = {malloc((size_t)size + 1), size / (int)sizeof(int)};
    if (l.of == NULL)
        fail("out of memory");
    GP_Get(graph, &v, &v, l.of, &where, NULL, &bytes, NULL, &size, 0);
    return l;
}

/* triangles counts those in which v has the lowest number. */
static long triangles(int graph, int v)
{
    struct list own = get(graph, v);
    long found = 0;
    int size;

    void **where = malloc(((size_t)own.n + 1) * sizeof *where);
    int *bytes = malloc(((size_t)own.n + 1) * sizeof *bytes);
    GP_Gather_size(graph, own.n, own.of, &size);
    void *lists = malloc((size_t)size + 1);
    if (where == NULL || bytes == NULL || lists == NULL)
        fail("out of memory");
    /* One call gets the lists of all owners. */
    GP_Gather(graph, own.n, own.of, lists, where, bytes, &size, 0);
    for (int i = 0; i < own.n; i++)
        if (own.of[i] > v)
            found += common(own.of, own.n, where[i], bytes[i] / (int)sizeof(int), own.of[i]);
    free(lists);
    free(bytes);
    free(where);
    free(own.of);
    return found;
}

/* sum adds the numbers of all ranks up on rank 0. */
static long sum(long mine)
{
#ifdef WITH_MPI
    /* First those of each job, by MPI. */
    int job_rank;
    long of_job = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &job_rank);
    MPI_Reduce(&mine, &of_job, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    mine = job_rank == 0 ? of_job : 0;
#endif
    acp_ga_t here = acp_query_starter_ga(rank), there = acp_query_starter_ga(0);
    uint64_t *total = acp_query_address(here);
    *total = 0;
    GP_Sync();
    acp_complete(acp_add8(here + 8, there, (uint64_t)mine, ACP_HANDLE_NULL));
    GP_Sync();
    return (long)*total;
}

int main(int argc, char **argv)
{
#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
#endif
    if (acp_init(&argc, &argv) != 0)
        return EXIT_FAILURE;
    GP_Initialize();
    rank = acp_rank();
    ranks = acp_procs();

    int vertices = argc > 1 ? atoi(argv[1]) : 600;
    int graph = GP_Create_handle();
    GP_Set_dimensions(graph, 1, &vertices);
    if (GP_Allocate(graph) != 1)
        fail("no room for the vertices");
    make(graph, vertices);
    GP_Sync();

    /* Vertices with low numbers have most neighbours, so each rank takes every ranks-th one. */
    long mine = 0;
    for (int v = rank; v < vertices; v += ranks)
        mine += triangles(graph, v);
    printf("rank %d of %d: %ld triangles\n", rank, ranks, mine);
    fflush(stdout);
    long all = sum(mine);
    if (rank == 0) {
        long expected = count(vertices);
        printf("%d vertices, %ld triangles, %s one process counts\n", vertices, all, all == expected ? "as" : "but not as");
        if (all != expected)
            fail("wrong number of triangles");
    }

    GP_Destroy(graph);
    GP_Terminate(); /* frees the lists */
    acp_finalize();
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    return EXIT_SUCCESS;
}
