/*
 * Heat in a plate: Jacobi steps on a grid of points that is cut into rectangles, one for each process.
 *
 * A rectangle has a border of ghost points, which are the points of its neighbours. In each step a
 * process puts the points at its edges into the ghosts of its neighbours: rows by ARMCI_Put, columns,
 * which do not lie together, by ARMCI_PutS. armci_notify comes behind the data and tells the neighbour
 * that they are there. There are two copies of each rectangle: a step reads one and writes the other.
 * So no process puts ghosts that its neighbour still reads, and no step has a barrier.
 *
 *     acprun -np 4 stencil_acp [STEPS]
 *     macprun stencil.inputfile
 */
#include <armci.h>

#ifdef WITH_MPI
#include <mpi.h>
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 97, COLUMNS = 128, DOUBLE = sizeof(double) };

static int self, procs, down, across; /* processes along each side */

/* part is the rectangle of a process, which has (rows + 2) * (columns + 2) points with its ghosts. */
struct part {
    int first_row, rows, first_column, columns;
};

static void *allocate(size_t count, size_t bytes)
{
    void *at = calloc(count, bytes);
    if (at == NULL)
        ARMCI_Error("out of memory", 1);
    return at;
}

/* arrange chooses the arrangement of the processes that is nearest to a square. */
static void arrange(void)
{
    for (down = 1; (down + 1) * (down + 1) <= procs; down++)
        ;
    while (procs % down != 0)
        down--;
    across = procs / down;
}

/* part_of returns the rectangle of a process. */
static struct part part_of(int proc)
{
    int i = proc / across, j = proc % across;
    struct part p = {ROWS * i / down, 0, COLUMNS * j / across, 0};
    p.rows = ROWS * (i + 1) / down - p.first_row;
    p.columns = COLUMNS * (j + 1) / across - p.first_column;
    return p;
}

/* width returns the points between two rows of a rectangle. */
static int width(struct part p) { return p.columns + 2; }

static size_t points(struct part p) { return (size_t)(p.rows + 2) * (size_t)width(p); }

/* border returns the fixed temperature of a point outside of the plate. */
static double border(int row, int column) { return row < 0 ? 100 : row >= ROWS ? 20 : column < 0 ? row % 50 : 0; }

/* start sets a rectangle to the temperatures at the beginning. */
static void start(double *at, struct part p)
{
    for (int i = -1; i <= p.rows; i++)
        for (int j = -1; j <= p.columns; j++) {
            int row = p.first_row + i, column = p.first_column + j;
            int inside = row >= 0 && row < ROWS && column >= 0 && column < COLUMNS;
            at[(i + 1) * width(p) + j + 1] = inside ? 0 : border(row, column);
        }
}

/* relax makes a step, and returns the greatest change. */
static double relax(const double *from, double *to, struct part p)
{
    double greatest = 0;
    int w = width(p);

    for (int i = 1; i <= p.rows; i++)
        for (int j = 1; j <= p.columns; j++) {
            const double *x = from + i * w + j;
            to[i * w + j] = (x[-w] + x[w] + x[-1] + x[1]) / 4;
            double change = fabs(to[i * w + j] - *x);
            if (change > greatest)
                greatest = change;
        }
    return greatest;
}

/* neighbour returns the process in a direction, or -1 at the border of the plate. */
static int neighbour(int rows, int columns)
{
    int i = self / across + rows, j = self % across + columns;
    return i < 0 || i >= down || j < 0 || j >= across ? -1 : i * across + j;
}

/* put_row puts a row of this process into the ghosts of a neighbour. */
static void put_row(double *mine, int row, double *theirs, int to_row, int proc)
{
    struct part p = part_of(self), q = part_of(proc);
    ARMCI_Put(mine + row * width(p) + 1, theirs + to_row * width(q) + 1, p.columns * DOUBLE, proc);
}

/* put_column does the same with a column, whose points do not lie together. */
static void put_column(double *mine, int column, double *theirs, int to_column, int proc)
{
    struct part p = part_of(self), q = part_of(proc);
    int here = width(p) * DOUBLE, there = width(q) * DOUBLE, count[2] = {DOUBLE, p.rows};
    ARMCI_PutS(mine + width(p) + column, &here, theirs + width(q) + to_column, &there, count, 1, proc);
}

/* exchange fills the ghosts of all neighbours, and waits until they have filled those of this process. */
static void exchange(void **plate)
{
    struct part p = part_of(self);
    double *mine = plate[self];
    int up = neighbour(-1, 0), below = neighbour(1, 0), west = neighbour(0, -1), east = neighbour(0, 1);
    int all[4] = {up, below, west, east};

    if (up >= 0)
        put_row(mine, 1, plate[up], part_of(up).rows + 1, up);
    if (below >= 0)
        put_row(mine, p.rows, plate[below], 0, below);
    if (west >= 0)
        put_column(mine, 1, plate[west], part_of(west).columns + 1, west);
    if (east >= 0)
        put_column(mine, p.columns, plate[east], 0, east);
    for (int i = 0; i < 4; i++)
        if (all[i] >= 0)
            armci_notify(all[i]);
    for (int i = 0; i < 4; i++)
        if (all[i] >= 0)
            armci_notify_wait(all[i], NULL);
}

/* wrong gets the rectangles of all processes, and counts the points that one process computes
   differently. */
static long wrong(void **plate, int steps)
{
    struct part whole = {0, ROWS, 0, COLUMNS};
    double *of[2] = {allocate(points(whole), DOUBLE), allocate(points(whole), DOUBLE)};
    double *got = allocate(points(whole), DOUBLE);
    long differ = 0;

    start(of[0], whole);
    start(of[1], whole);
    for (int step = 0; step < steps; step++)
        relax(of[step % 2], of[1 - step % 2], whole);
    for (int proc = 0; proc < procs; proc++) {
        struct part q = part_of(proc);
        int there = width(q) * DOUBLE, here = width(whole) * DOUBLE, count[2] = {q.columns * DOUBLE, q.rows};
        double *to = got + (q.first_row + 1) * width(whole) + q.first_column + 1;
        ARMCI_GetS((double *)plate[proc] + width(q) + 1, &there, to, &here, count, 1, proc);
    }
    for (int i = 1; i <= ROWS; i++)
        for (int j = 1; j <= COLUMNS; j++)
            differ += got[i * width(whole) + j] != of[steps % 2][i * width(whole) + j];
    free(got);
    free(of[1]);
    free(of[0]);
    return differ;
}

int main(int argc, char **argv)
{
    ARMCI_Init_args(&argc, &argv);
    self = armci_msg_me();
    procs = armci_msg_nproc();
    arrange();
    if (across > COLUMNS)
        ARMCI_Error("more processes than columns", 1);
    int steps = argc > 1 ? atoi(argv[1]) : 200;

    struct part p = part_of(self);
    void **plate[2];
    for (int i = 0; i < 2; i++) {
        plate[i] = allocate((size_t)procs, sizeof(void *));
        if (ARMCI_Malloc(plate[i], (armci_size_t)(points(p) * DOUBLE)) != 0)
            ARMCI_Error("no room for the plate", 1);
        start(plate[i][self], p);
    }
    ARMCI_Barrier();
    double change = 0;
    for (int step = 0; step < steps; step++) {
        exchange(plate[step % 2]);
        change = relax(plate[step % 2][self], plate[1 - step % 2][self], p);
    }
    char max[] = "max";
    armci_msg_dgop(&change, 1, max);
    ARMCI_Barrier();
    if (self == 0) {
        long differ = wrong(plate[steps % 2], steps);
        printf("%d x %d points on %d x %d processes, %d steps, last change %.4f: %ld points differ from those of one process\n",
               ROWS, COLUMNS, down, across, steps, change, differ);
        if (differ != 0)
            ARMCI_Error("wrong temperatures", 1);
    }
    ARMCI_Barrier();

    for (int i = 1; i >= 0; i--) {
        ARMCI_Free(plate[i][self]);
        free(plate[i]);
    }
    ARMCI_Finalize();
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    return EXIT_SUCCESS;
}
