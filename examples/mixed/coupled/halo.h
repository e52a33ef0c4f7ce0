/*
 * What the parts of one model do by MPI, among themselves: exchange the columns at
 * their common boundaries, so that each can compute the cells next to them. This is
 * as it would be without any coupling; MPI_COMM_WORLD is the model alone.
 *
 * Errors of MPI end the program, as MPI_COMM_WORLD does unless told otherwise.
 */
#ifndef HALO_H
#define HALO_H

#include "heat.h"

#include <mpi.h>

struct halo {
    MPI_Datatype column; /* one cell of every row */
    int left, right;     /* neighbours, or MPI_PROC_NULL at a wall */
};

static inline void halo_open(struct halo *h, const struct part *p)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    h->left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    h->right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Type_vector(p->medium->rows, 1, p->stride, MPI_DOUBLE, &h->column);
    MPI_Type_commit(&h->column);
}

/* halo_exchange fills all ghost columns of p: by neighbours or by walls. */
static inline void halo_exchange(const struct halo *h, struct part *p)
{
    int n = p->own.count;
    MPI_Sendrecv(p->now + n, 1, h->column, h->right, 0, p->now, 1, h->column, h->left, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(p->now + 1, 1, h->column, h->left, 0, p->now + n + 1, 1, h->column, h->right, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    heat_walls(p);
}

static inline void halo_close(struct halo *h)
{
    MPI_Type_free(&h->column);
}

#endif
