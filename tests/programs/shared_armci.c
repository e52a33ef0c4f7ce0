/*
 * An ARMCI world of programs in C and in Go: shared_armci/main.go does the same. Each process adds to the matrices of
 * all, one column each, counts at process 0, passes a mutex on, and sends the next process its number.
 */
#include "program.h"

#include <armci.h>

enum { ROWS = 4 };

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    ARMCI_Init();
    int self = armci_msg_me(), procs = armci_msg_nproc();
    void **matrix = calloc((size_t)procs, sizeof *matrix), **count = calloc((size_t)procs, sizeof *count);
    CHECK(ARMCI_Malloc(matrix, (armci_size_t)sizeof(double) * ROWS * procs) == 0, "no room");
    CHECK(ARMCI_Malloc(count, self == 0 ? (armci_size_t)sizeof(long) : 0) == 0, "no room");
    CHECK(ARMCI_Create_mutexes(1) == 0, "no mutexes");

    double column[ROWS], scale = 2;
    int dense = sizeof(double), apart = (int)sizeof(double) * procs, blocks[] = {sizeof(double), ROWS};
    for (int row = 0; row < ROWS; row++)
        column[row] = self + row;
    for (int p = 0; p < procs; p++)
        ARMCI_AccS(ARMCI_ACC_DBL, &scale, column, &dense, (double *)matrix[p] + self, &apart, blocks, 1, p);
    ARMCI_Lock(0, procs - 1);
    long n = 0;
    ARMCI_Get(count[0], &n, sizeof n, 0);
    n += self + 1;
    ARMCI_Put(&n, count[0], sizeof n, 0);
    ARMCI_Unlock(0, procs - 1);
    ARMCI_Barrier();

    double *mine = matrix[self];
    for (int row = 0; row < ROWS; row++)
        for (int p = 0; p < procs; p++)
            CHECK(mine[row * procs + p] == 2 * (p + row), "row %d of process %d is %g", row, p, mine[row * procs + p]);
    ARMCI_Get(count[0], &n, sizeof n, 0);
    long sum = self;
    char plus[] = "+";
    armci_msg_lgop(&sum, 1, plus);
    CHECK(sum == procs * (procs - 1) / 2, "the sum is %ld", sum);
    int got, length;
    armci_msg_snd(5, &self, sizeof self, (self + 1) % procs);
    armci_msg_rcv(5, &got, sizeof got, &length, (self + procs - 1) % procs);
    CHECK(length == sizeof got && got == (self + procs - 1) % procs, "%d bytes from process %d", length, got);
    struct { long key, from; } best = {100 - self * self, self}; /* the numbers in main.go are greater */
    char max[] = "max";
    armci_msg_sel(&best, sizeof best, max, ARMCI_LONG, 1);
    CHECK(best.key == 200 && best.from == 2, "process %ld has the greatest, %ld", best.from, best.key);
    printf("process %d in C: %ld\n", self, n);
    ARMCI_Destroy_mutexes();
    ARMCI_Free(count[self]);
    ARMCI_Free(matrix[self]);
    ARMCI_Finalize();
    end();
    return EXIT_SUCCESS;
}
