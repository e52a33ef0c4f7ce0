/*
 * Global pointer arrays: ranks compare the counts of acp_stats with their known gets and puts.
 *
 *     acprun -stats -np 3 pointercounts shm|tcp SEED
 */
#include "program.h"

#include <gp.h>

enum { TIMES = 200, ROWS = 9, COLUMNS = 7, MOST = 8, LONGEST = 20000, KINDS = 7 };

static int me, procs, path_to_others, array;
static unsigned seed;
static int owner[ROWS][COLUMNS];
static char memory[ROWS * COLUMNS * LONGEST];
static struct { int64_t operations, bytes; } ledger[MOST][KINDS];

static int draw(int n) { return (int)(rand_r(&seed) % (unsigned)n); }

/* The bytes of the element of a place. Some have none, and few are long. */
static int size_of(int row, int column)
{
    int i = row * COLUMNS + column;

    return i % 5 == 0 ? 0 : i % 13 == 1 ? LONGEST : 8 + i;
}

static void note(int row, int column, int kind, int bytes)
{
    int rank = owner[row][column];

    ledger[rank][kind].operations += bytes > 0;
    ledger[rank][kind].bytes += bytes;
}

/* Finds the owners of all places, and gives each place of this rank its element. */
static void assign(void)
{
    for (int rank = 0; rank < procs; rank++) {
        int lo[2], hi[2];
        GP_Distribution(array, rank, lo, hi);
        for (int row = lo[0]; row <= hi[0]; row++)
            for (int column = lo[1]; column <= hi[1]; column++) {
                int at[2] = {row, column}, bytes = size_of(row, column);
                owner[row][column] = rank;
                if (rank == me && bytes > 0)
                    GP_Assign_local_element(array, at, GP_Malloc((size_t)bytes), bytes);
            }
    }
}

/* A section: it is got, got into own memory, or put. */
static void move_section(void)
{
    int lo[2], hi[2] = {draw(ROWS), draw(COLUMNS)}, total, k = 0, kind = draw(3);
    void *pointers[ROWS * COLUMNS];
    int sizes[ROWS * COLUMNS], ld = COLUMNS;

    for (int d = 0; d < 2; d++)
        lo[d] = draw(hi[d] + 1);
    for (int row = lo[0]; row <= hi[0]; row++)
        for (int column = lo[1]; column <= hi[1]; column++, k++) {
            int at = (row - lo[0]) * ld + column - lo[1], bytes = size_of(row, column);
            if (kind == 1 && bytes > 0) /* a part of the element */
                bytes = 1 + draw(bytes);
            pointers[at] = memory + (size_t)k * LONGEST;
            sizes[at] = bytes;
            note(row, column, kind == 2 ? ACP_STATS_PUT : ACP_STATS_GET, bytes);
        }
    if (kind == 2)
        GP_Put(array, lo, hi, pointers, &ld, sizes, &ld, &total, 1);
    else
        GP_Get(array, lo, hi, memory, pointers, &ld, sizes, &ld, &total, kind);
}

/* A list of places: it is gathered, gathered into own memory, or scattered. */
static void move_list(void)
{
    enum { MOST_PLACES = 12 };
    int n = 1 + draw(MOST_PLACES), kind = draw(3), total, at[2 * MOST_PLACES], sizes[MOST_PLACES];
    void *pointers[MOST_PLACES];
    static char taken[ROWS][COLUMNS];

    memset(taken, 0, sizeof taken);
    for (int i = 0; i < n; i++) {
        int row, column;
        do {
            row = draw(ROWS);
            column = draw(COLUMNS);
        } while (taken[row][column]);
        taken[row][column] = 1;
        at[2 * i] = row;
        at[2 * i + 1] = column;
        pointers[i] = memory + (size_t)i * LONGEST;
        sizes[i] = size_of(row, column);
        note(row, column, kind == 2 ? ACP_STATS_PUT : ACP_STATS_GET, sizes[i]);
    }
    if (kind == 2)
        GP_Scatter(array, n, at, pointers, sizes, &total, 1);
    else
        GP_Gather(array, n, at, memory, pointers, sizes, &total, kind);
}

/* Compares all numbers with the ledger. Whether they are equal. */
static int agree(void)
{
    int equal = 1;

    for (int rank = 0; rank < procs; rank++)
        for (int kind = 1; kind < KINDS; kind++) {
            int64_t bytes = -1, operations = acp_stats(rank, kind, ACP_STATS_ALL, &bytes);
            int path = rank == me ? ACP_STATS_SHM : path_to_others;
            if (operations == ledger[rank][kind].operations && bytes == ledger[rank][kind].bytes &&
                acp_stats(rank, kind, path, NULL) == operations)
                continue;
            printf("rank %d counts %lld operations of kind %d on rank %d and %lld bytes, expected %lld and %lld\n", me,
                   (long long)operations, kind, rank, (long long)bytes, (long long)ledger[rank][kind].operations,
                   (long long)ledger[rank][kind].bytes);
            equal = 0;
        }
    return equal;
}

int main(int argc, char **argv)
{
    int dims[2] = {ROWS, COLUMNS}, equal = 1;

    if (acp_init(&argc, &argv) != 0 || argc != 3)
        return EXIT_FAILURE;
    me = acp_rank();
    procs = acp_procs();
    path_to_others = strcmp(argv[1], "tcp") == 0 ? ACP_STATS_TCP : ACP_STATS_SHM;
    seed = (unsigned)atoi(argv[2]) + (unsigned)me;
    GP_Initialize();
    array = GP_Create_handle();
    GP_Set_dimensions(array, 2, dims);
    GP_Allocate(array);
    assign();
    GP_Sync();
    for (int i = 0; i < TIMES && equal; i++) {
        draw(2) ? move_section() : move_list();
        if (i % 20 == 0 || i == TIMES - 1)
            equal = agree();
    }
    GP_Sync();
    GP_Destroy(array);
    GP_Terminate();
    if (equal)
        printf("rank %d of %d agrees\n", me, procs);
    acp_finalize();
    return equal ? EXIT_SUCCESS : EXIT_FAILURE;
}
