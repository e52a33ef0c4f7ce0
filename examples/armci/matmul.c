/*
 * A product of two matrices, by tasks that processes take from a counter.
 *
 * The matrices are cut into square blocks. A row of blocks belongs to one process, the next row to the
 * next one. A task is a pair of blocks: the process that takes it gets both from their owners by
 * ARMCI_GetS, multiplies them, and adds the product to the block of the result by ARMCI_AccS. The
 * counter is an ARMCI_Rmw on a number of process 0, so a fast process takes more tasks.
 *
 *     acprun -np 4 matmul_acp [SIZE]
 *     macprun matmul.inputfile
 */
#include <armci.h>

#ifdef WITH_MPI
#include <mpi.h>
#endif

#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 32 };

static int self, procs, size, blocks; /* blocks along each side */

/* matrix is one of the three: the address of its rows on each process. */
struct matrix {
    void **rows;
};

/* factors are small integers, so that every sum is exact. */
static double left(int i, int j) { return (i * 7 + j * 3) % 11 - 5; }
static double right(int i, int j) { return (i * 5 + j * 2) % 13 - 6; }

static void *allocate(size_t count, size_t bytes)
{
    void *at = calloc(count, bytes);
    if (at == NULL)
        ARMCI_Error("out of memory", 1);
    return at;
}

/* extent returns the rows or columns of a block. */
static int extent(int block) { return size - block * BLOCK < BLOCK ? size - block * BLOCK : BLOCK; }

/* make allocates a matrix. Each process has room for its rows of blocks. */
static struct matrix make(void)
{
    struct matrix m = {allocate((size_t)procs, sizeof(void *))};
    int own = (blocks + procs - 1 - self) / procs;
    if (ARMCI_Malloc(m.rows, (armci_size_t)sizeof(double) * own * BLOCK * size) != 0)
        ARMCI_Error("no room for the matrices", 1);
    return m;
}

static void drop(struct matrix m)
{
    ARMCI_Free(m.rows[self]);
    free(m.rows);
}

static int owner(int row) { return row % procs; }

/* block returns the address of a block in its owner. */
static double *block(struct matrix m, int row, int column)
{
    return (double *)m.rows[owner(row)] + (size_t)(row / procs) * BLOCK * size + column * BLOCK;
}

/* fill sets the own rows of a matrix. */
static void fill(struct matrix m, double value(int, int))
{
    for (int row = self; row < blocks; row += procs) {
        double *at = block(m, row, 0);
        for (int i = 0; i < extent(row); i++)
            for (int j = 0; j < size; j++)
                at[i * size + j] = value(row * BLOCK + i, j);
    }
}

/* The strides of a row of a matrix, and of a row of a block of this process. */
static int far[1], near[1] = {BLOCK * sizeof(double)};

/* get copies a block to memory of this process. */
static void get(struct matrix m, int row, int column, double *to)
{
    int count[2] = {extent(column) * (int)sizeof(double), extent(row)};
    ARMCI_GetS(block(m, row, column), far, to, near, count, 1, owner(row));
}

/* add adds a block of this process to one of a matrix. */
static void add(struct matrix m, int row, int column, double *from)
{
    int count[2] = {extent(column) * (int)sizeof(double), extent(row)};
    double one = 1;
    ARMCI_AccS(ARMCI_ACC_DBL, &one, from, near, block(m, row, column), far, count, 1, owner(row));
}

/* multiply carries out one task: it adds a[i][k] * b[k][j] to c[i][j]. */
static void multiply(struct matrix a, struct matrix b, struct matrix c, int i, int j, int k)
{
    static double x[BLOCK * BLOCK], y[BLOCK * BLOCK], product[BLOCK * BLOCK];

    get(a, i, k, x);
    get(b, k, j, y);
    for (int row = 0; row < extent(i); row++)
        for (int column = 0; column < extent(j); column++) {
            double sum = 0;
            for (int n = 0; n < extent(k); n++)
                sum += x[row * BLOCK + n] * y[n * BLOCK + column];
            product[row * BLOCK + column] = sum;
        }
    add(c, i, j, product);
}

/* work carries out tasks until none is left, and returns how many it was. */
static long work(struct matrix a, struct matrix b, struct matrix c)
{
    void **counter = allocate((size_t)procs, sizeof *counter);
    long task, done = 0, all = (long)blocks * blocks * blocks;

    if (ARMCI_Malloc(counter, self == 0 ? (armci_size_t)sizeof task : 0) != 0)
        ARMCI_Error("no room for the counter", 1);
    for (;; done++) {
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &task, counter[0], 1, 0);
        if (task >= all)
            break;
        multiply(a, b, c, (int)(task / blocks / blocks), (int)(task / blocks % blocks), (int)(task % blocks));
    }
    ARMCI_Barrier();
    ARMCI_Free(counter[self]);
    free(counter);
    return done;
}

/* report says how many tasks each job has done. */
static void report(long done)
{
#ifdef WITH_MPI
    int rank, count;
    long of_job = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    MPI_Reduce(&done, &of_job, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("job of %d processes: %ld tasks\n", count, of_job);
#else
    printf("process %d of %d: %ld tasks\n", self, procs, done);
#endif
    fflush(stdout);
}

/* wrong counts the elements of a matrix that differ from those of a serial product. */
static long wrong(struct matrix c)
{
    double *part = allocate(BLOCK * BLOCK, sizeof *part);
    long differ = 0;

    for (int row = 0; row < blocks; row++)
        for (int column = 0; column < blocks; column++) {
            get(c, row, column, part);
            for (int i = 0; i < extent(row); i++)
                for (int j = 0; j < extent(column); j++) {
                    double sum = 0;
                    for (int k = 0; k < size; k++)
                        sum += left(row * BLOCK + i, k) * right(k, column * BLOCK + j);
                    differ += part[i * BLOCK + j] != sum;
                }
        }
    free(part);
    return differ;
}

int main(int argc, char **argv)
{
    ARMCI_Init_args(&argc, &argv);
    self = armci_msg_me();
    procs = armci_msg_nproc();
    size = argc > 1 ? atoi(argv[1]) : 400;
    if (size < 1 || size > 10000)
        ARMCI_Error("the size is none of 1 to 10000", 1);
    blocks = (size + BLOCK - 1) / BLOCK;
    far[0] = size * (int)sizeof(double);

    struct matrix a = make(), b = make(), c = make();
    fill(a, left);
    fill(b, right);
    ARMCI_Barrier();
    long done = work(a, b, c), all = done;
    report(done);
    char sum[] = "+";
    armci_msg_lgop(&all, 1, sum);
    if (self == 0) {
        long differ = wrong(c);
        printf("%d x %d, processes: %d, tasks: %ld: %ld elements differ from those of one process\n", size, size, procs, all, differ);
        if (differ != 0 || all != (long)blocks * blocks * blocks)
            ARMCI_Error("wrong product", 1);
    }
    ARMCI_Barrier();

    drop(c);
    drop(b);
    drop(a);
    ARMCI_Finalize();
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    return EXIT_SUCCESS;
}
