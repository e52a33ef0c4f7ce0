/*
 * The matrix of sparse.c: each of n * n * n points has an entry for itself and for each of its
 * neighbours along the three axes. Any process can compute each entry, so that the result can be
 * checked. All values are whole numbers, so sums do not depend on the order.
 */
#ifndef STENCIL_H
#define STENCIL_H

enum { MOST_ENTRIES = 7 };

/* entries_of stores the columns of a row in ascending order, and returns how many there are. */
static inline int entries_of(int row, int n, int columns[MOST_ENTRIES])
{
    int x = row / (n * n), y = row / n % n, z = row % n, k = 0;

    if (x > 0)
        columns[k++] = row - n * n;
    if (y > 0)
        columns[k++] = row - n;
    if (z > 0)
        columns[k++] = row - 1;
    columns[k++] = row;
    if (z < n - 1)
        columns[k++] = row + 1;
    if (y < n - 1)
        columns[k++] = row + n;
    if (x < n - 1)
        columns[k++] = row + n * n;
    return k;
}

/* entry is the value at a row and a column. The matrix is not symmetric. */
static inline double entry(int row, int column)
{
    return row == column ? 6 + row % 5 : -1 - (row * 7 + column * 3) % 11;
}

/* factor is what the entries of a column are multiplied with. */
static inline double factor(int column) { return 1 + column % 7; }

/* product is a row of the matrix times the factors, or a row of its transpose. */
static inline double product(int row, int n, int transposed)
{
    int columns[MOST_ENTRIES], entries = entries_of(row, n, columns);
    double sum = 0;

    for (int k = 0; k < entries; k++)
        sum += factor(columns[k]) * (transposed ? entry(columns[k], row) : entry(row, columns[k]));
    return sum;
}

#endif
