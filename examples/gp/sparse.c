/*
 * A sparse matrix as a global pointer array of blocks.
 *
 * The rows and columns of the matrix are cut into as many pieces as there are ranks. Place [i j] of the
 * array is for the entries of the i-th piece of rows in the j-th piece of columns. Its element is a
 * block in compressed rows, and a place without entries has no element. Rank i owns row i of the
 * array. To transpose the matrix, it gets column i.
 *
 *     acprun -np 4 sparse_acp [POINTS_PER_EDGE]
 */
#include "stencil.h"

#include <gp.h>

#ifdef WITH_MPI
#include <mpi.h>
#endif

#include <acp.h>
#include <stdio.h>
#include <stdlib.h>

enum { TRANSPOSITIONS = 10 };

static int rank, ranks, n;

static void fail(const char *what)
{
    acp_abort(what);
    abort();
}

static void *zeroed(size_t size)
{
    void *memory = calloc(1, size + 1);
    if (memory == NULL)
        fail("out of memory");
    return memory;
}

/* first returns the first row or column of a piece. */
static int first(int piece) { return (int)((long long)n * n * n * piece / ranks); }

/*
 * A block. Behind it are the values of its entries, their columns, and for each row where its entries
 * begin. Columns are counted from the first of the block. The size is a multiple of 8, so blocks that
 * stand one behind the other are aligned.
 */
struct block {
    int rows, columns, entries, unused;
};

static int size_of(int rows, int entries)
{
    return (int)((sizeof(struct block) + (size_t)entries * (sizeof(double) + sizeof(int)) + ((size_t)rows + 1) * sizeof(int) + 7) & ~(size_t)7);
}

static double *values(struct block *b) { return (double *)(b + 1); }
static int *columns_of(struct block *b) { return (int *)(values(b) + b->entries); }
static int *starts(struct block *b) { return columns_of(b) + b->entries; }

/* allocate returns an element for a block. */
static struct block *allocate(int rows, int columns, int entries)
{
    struct block *b = GP_Malloc((size_t)size_of(rows, entries));
    if (b == NULL)
        fail("no room for the matrix: -startermemsize-dl makes the heap larger");
    *b = (struct block){rows, columns, entries, 0};
    return b;
}

/* row_in stores the entries of a row in a piece of the columns, and returns how many there are. */
static int row_in(int row, int piece, int columns[MOST_ENTRIES])
{
    int all[MOST_ENTRIES], entries = entries_of(row, n, all), found = 0;

    for (int k = 0; k < entries; k++)
        if (all[k] >= first(piece) && all[k] < first(piece + 1))
            columns[found++] = all[k];
    return found;
}

/* make returns block [rank j], or NULL if it has no entries. */
static struct block *make(int j)
{
    int columns[MOST_ENTRIES], begin = first(rank), end = first(rank + 1), entries = 0;

    for (int row = begin; row < end; row++)
        entries += row_in(row, j, columns);
    if (entries == 0)
        return NULL;
    struct block *b = allocate(end - begin, first(j + 1) - first(j), entries);
    int at = 0;
    for (int row = begin; row < end; row++) {
        starts(b)[row - begin] = at;
        int found = row_in(row, j, columns);
        for (int k = 0; k < found; k++, at++) {
            values(b)[at] = entry(row, columns[k]);
            columns_of(b)[at] = columns[k] - first(j);
        }
    }
    starts(b)[b->rows] = at;
    return b;
}

/* transposed returns a block with the entries of b, rows and columns exchanged. */
static struct block *transposed(struct block *b)
{
    struct block *t = allocate(b->columns, b->rows, b->entries);
    int *next = zeroed(((size_t)t->rows + 1) * sizeof *next);

    for (int k = 0; k < b->entries; k++)
        next[columns_of(b)[k] + 1]++;
    for (int row = 0; row < t->rows; row++)
        next[row + 1] += next[row];
    for (int row = 0; row <= t->rows; row++)
        starts(t)[row] = next[row];
    for (int row = 0; row < b->rows; row++)
        for (int k = starts(b)[row]; k < starts(b)[row + 1]; k++) {
            int at = next[columns_of(b)[k]]++;
            values(t)[at] = values(b)[k];
            columns_of(t)[at] = row;
        }
    free(next);
    return t;
}

/* assign gives place [rank j] a block, or none. */
static void assign(int matrix, int j, struct block *b)
{
    int at[2] = {rank, j};

    GP_Free(GP_Free_local_element(matrix, at));
    if (b != NULL)
        GP_Assign_local_element(matrix, at, b, size_of(b->rows, b->entries));
}

static void transpose(int matrix)
{
    int lo[2] = {0, rank}, hi[2] = {ranks - 1, rank}, ld[1] = {1}, size;
    void **where = zeroed((size_t)ranks * sizeof *where);
    int *sizes = zeroed((size_t)ranks * sizeof *sizes);

    GP_Get_size(matrix, lo, hi, &size);
    void *column = zeroed((size_t)size);
    GP_Get(matrix, lo, hi, column, where, ld, sizes, ld, &size, 0);
    GP_Sync(); /* No rank needs the old blocks any more. */
    for (int j = 0; j < ranks; j++)
        assign(matrix, j, sizes[j] > 0 ? transposed(where[j]) : NULL);
    GP_Sync();
    free(column);
    free(sizes);
    free(where);
}

/* check multiplies the blocks of this rank with the factors, and compares the result. */
static void check(int matrix, int is_transposed)
{
    int begin = first(rank), rows = first(rank + 1) - begin, size;
    double *sums = zeroed((size_t)rows * sizeof *sums);

    for (int j = 0; j < ranks; j++) {
        int at[2] = {rank, j};
        struct block *b;
        GP_Access_element(matrix, at, &b, &size);
        for (int row = 0; b != NULL && row < rows; row++)
            for (int k = starts(b)[row]; k < starts(b)[row + 1]; k++)
                sums[row] += values(b)[k] * factor(first(j) + columns_of(b)[k]);
        GP_Release_element(matrix, at);
    }
    for (int row = 0; row < rows; row++)
        if (sums[row] != product(begin + row, n, is_transposed))
            fail("a row of the product is wrong");
    free(sums);
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
    n = argc > 1 ? atoi(argv[1]) : 30;

    /* One row of places for each rank. */
    int matrix = GP_Create_handle(), dims[2] = {ranks, ranks}, chunk[2] = {1, ranks}, blocks = 0, size;
    GP_Set_dimensions(matrix, 2, dims);
    GP_Set_chunk(matrix, chunk);
    if (GP_Allocate(matrix) != 1)
        fail("no room for the places");
    for (int j = 0; j < ranks; j++) {
        struct block *b = make(j);
        assign(matrix, j, b);
        blocks += b != NULL;
    }
    GP_Sync();

    check(matrix, 0);
    for (int i = 1; i <= TRANSPOSITIONS; i++) {
        transpose(matrix);
        check(matrix, i % 2);
    }
    int lo[2] = {rank, 0}, hi[2] = {rank, ranks - 1};
    GP_Get_size(matrix, lo, hi, &size);
    printf("rank %d of %d: %d blocks, %d bytes\n", rank, ranks, blocks, size);
    fflush(stdout);
    GP_Sync();
    if (rank == 0)
        printf("%d points: the products of %d transpositions are right\n", n * n * n, TRANSPOSITIONS);

    for (int j = 0; j < ranks; j++)
        assign(matrix, j, NULL);
    GP_Destroy(matrix);
    GP_Terminate();
    acp_finalize();
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    return EXIT_SUCCESS;
}
