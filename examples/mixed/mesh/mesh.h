/*
 * The two grids of this example, without MPI and without ACP. Both cover the unit square:
 *
 *     +-----+-----+-----+        +----+------+----+
 *     |     |     |     |        |\   |    _/|\   |
 *     +-----+-----+-----+        | \  |  _/  | \  |
 *     |     |     |     |        |  \ | /    |  \ |
 *     +-----+-----+-----+        +---\+------+---\+
 *
 * The air has cells in rows and columns. The lake has triangles, whose numbers say nothing of where they
 * are. The weights between both are the parts of a cell that triangles cover, and of a triangle that
 * cells cover. So what goes from one grid to the other keeps its integral.
 */
#ifndef MESH_H
#define MESH_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    DIVISIONS = 18, /* of each side of the square, each of them with a square that is cut into two triangles */
    TRIANGLES = 2 * DIVISIONS * DIVISIONS,
    STRIDE = 245, /* between the numbers of triangles that are cut out one after the other */
    COLUMNS = 16,
    ROWS = 12,
    CELLS = ROWS * COLUMNS,
    STEPS = 400
};

static const double TIME_STEP = 2e-3;
static const double EXCHANGE = 2.0; /* heat through the surface per area, time and degree */
static const double LAKE_CAPACITY = 4.0, AIR_CAPACITY = 1.0;      /* heat per area and degree */
static const double LAKE_DIFFUSIVITY = 0.01, AIR_DIFFUSIVITY = 0.05; /* area per time */
static const double CELL_AREA = 1.0 / CELLS;

struct vertex {
    double x, y;
};

struct triangle {
    struct vertex corners[3];
    int ends[3];       /* numbers of the corners */
    int neighbours[3]; /* beyond the edge from each corner to the next one; -1: none */
    double area;
};

/* mesh_random returns a number from -1 to 1 that is always the same for i. */
static inline double mesh_random(uint32_t i)
{
    i = (i ^ 61) * 2654435769u;
    i = (i ^ (i >> 15)) * 2246822519u;
    return (i ^ (i >> 13)) / 2147483647.5 - 1.0;
}

/* mesh_vertex returns the corner of four squares. Those inside are moved a little. */
static inline struct vertex mesh_vertex(int number)
{
    int i = number % (DIVISIONS + 1), j = number / (DIVISIONS + 1);
    int inside = i > 0 && i < DIVISIONS && j > 0 && j < DIVISIONS;
    double dx = inside ? 0.25 * mesh_random(2 * (uint32_t)number) : 0.0;
    double dy = inside ? 0.25 * mesh_random(2 * (uint32_t)number + 1) : 0.0;
    return (struct vertex){(i + dx) / DIVISIONS, (j + dy) / DIVISIONS};
}

/* mesh_area returns the area of a polygon whose corners go round to the left. */
static inline double mesh_area(const struct vertex *v, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        struct vertex a = v[i], b = v[(i + 1) % n];
        sum += (a.x - v[0].x) * (b.y - v[0].y) - (b.x - v[0].x) * (a.y - v[0].y);
    }
    return sum / 2;
}

static inline struct vertex mesh_centre(const struct triangle *t)
{
    const struct vertex *v = t->corners;
    return (struct vertex){(v[0].x + v[1].x + v[2].x) / 3, (v[0].y + v[1].y + v[2].y) / 3};
}

/* mesh_join notes that two triangles are neighbours, if they are. */
static inline void mesh_join(struct triangle *all, int a, int b)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            if (all[a].ends[i] == all[b].ends[(k + 1) % 3] && all[a].ends[(i + 1) % 3] == all[b].ends[k]) {
                all[a].neighbours[i] = b;
                all[b].neighbours[k] = a;
            }
}

/* mesh_make makes all triangles. */
static inline void mesh_make(struct triangle *all)
{
    for (int i = 0; i < TRIANGLES; i++) {
        int square = i / 2, first = square / DIVISIONS * (DIVISIONS + 1) + square % DIVISIONS;
        int around[] = {first, first + 1, first + DIVISIONS + 2, first + DIVISIONS + 1};
        int turn = (mesh_random((uint32_t)square + 7919) > 0.0) + 2 * (i % 2); /* along either diagonal */
        struct triangle *t = &all[i * STRIDE % TRIANGLES];
        for (int k = 0; k < 3; k++) {
            t->ends[k] = around[(turn + k) % 4];
            t->corners[k] = mesh_vertex(t->ends[k]);
            t->neighbours[k] = -1;
        }
        t->area = mesh_area(t->corners, 3);
    }
    for (int a = 0; a < TRIANGLES; a++)
        for (int b = 0; b < a; b++)
            mesh_join(all, a, b);
}

/* mesh_cut cuts off the part of a polygon where a*x + b*y > c. Returns how many corners are left. */
static inline int mesh_cut(struct vertex *v, int n, double a, double b, double c)
{
    struct vertex left[8];
    int m = 0;
    for (int i = 0; i < n; i++) {
        struct vertex p = v[i], q = v[(i + 1) % n];
        double at_p = a * p.x + b * p.y - c, at_q = a * q.x + b * q.y - c;
        if (at_p <= 0.0)
            left[m++] = p;
        if ((at_p < 0.0 && at_q > 0.0) || (at_p > 0.0 && at_q < 0.0)) {
            double s = at_p / (at_p - at_q);
            left[m++] = (struct vertex){p.x + s * (q.x - p.x), p.y + s * (q.y - p.y)};
        }
    }
    for (int i = 0; i < m; i++)
        v[i] = left[i];
    return m;
}

/* mesh_overlap returns the area that a triangle and a cell have in common. */
static inline double mesh_overlap(const struct triangle *t, int cell)
{
    struct vertex v[8] = {t->corners[0], t->corners[1], t->corners[2]};
    int row = cell / COLUMNS, column = cell % COLUMNS;
    int n = mesh_cut(v, 3, -1.0, 0.0, -(double)column / COLUMNS);
    n = mesh_cut(v, n, 1.0, 0.0, (column + 1.0) / COLUMNS);
    n = mesh_cut(v, n, 0.0, -1.0, -(double)row / ROWS);
    n = mesh_cut(v, n, 0.0, 1.0, (row + 1.0) / ROWS);
    return mesh_area(v, n);
}

/* The entries of a sparse matrix, as acp_open_link_weighted_from takes them. */
struct matrix {
    int64_t *rows, *columns, entries;
    double *weights;
};

static inline void matrix_add(struct matrix *m, int64_t row, int64_t column, double weight)
{
    size_t n = (size_t)m->entries + 1;
    m->rows = realloc(m->rows, n * sizeof *m->rows);
    m->columns = realloc(m->columns, n * sizeof *m->columns);
    m->weights = realloc(m->weights, n * sizeof *m->weights);
    if (m->rows == NULL || m->columns == NULL || m->weights == NULL)
        abort();
    m->rows[n - 1] = row;
    m->columns[n - 1] = column;
    m->weights[n - 1] = weight;
    m->entries++;
}

static inline void matrix_free(struct matrix *m)
{
    free(m->rows);
    free(m->columns);
    free(m->weights);
}

/* mesh_to_cell adds the row of a cell: the parts of it that triangles cover. */
static inline void mesh_to_cell(struct matrix *m, const struct triangle *all, int cell)
{
    for (int t = 0; t < TRIANGLES; t++) {
        double common = mesh_overlap(&all[t], cell);
        if (common > 0.0)
            matrix_add(m, cell, t, common / CELL_AREA);
    }
}

/* mesh_to_triangle adds the row of a triangle: the parts of it that cells cover. */
static inline void mesh_to_triangle(struct matrix *m, const struct triangle *all, int t)
{
    for (int cell = 0; cell < CELLS; cell++) {
        double common = mesh_overlap(&all[t], cell);
        if (common > 0.0)
            matrix_add(m, t, cell, common / all[t].area);
    }
}

#endif
