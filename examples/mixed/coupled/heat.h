/*
 * The physics of the coupled example, without MPI and without ACP.
 *
 * Heat spreads in two media that touch: an ocean below, an atmosphere above. Both
 * are one unit wide and half a unit thick and isolated from the rest of the world,
 * so the heat of both together never changes. Each is a model of its own, with its
 * own grid of square cells and its own material:
 *
 *        +--+--+--+--+--+--+--+--+   atmosphere: cells half as wide, conducts well
 *        +--+--+--+--+--+--+--+--+
 *     0  +--+--+--+--+--+--+--+--+   row 0 touches the interface
 *     ================================ interface
 *     0  |     |     |     |     |   row 0 touches the interface
 *        +-----+-----+-----+-----+
 *        |     |     |     |     |   ocean: stores much heat, conducts badly
 *        +-----+-----+-----+-----+
 *
 * Inside a medium, heat flows between neighbouring cells (finite volumes, explicit
 * Euler steps):
 *
 *     dT/dt = diffusivity * (d2T/dx2 + d2T/dy2)
 *
 * Through each fine face of the interface flows EXCHANGE * (T below - T above). The
 * atmosphere takes the temperature below a face from the ocean cell there (coarse to
 * fine: piecewise constant), the ocean takes the mean over its fine faces (fine to
 * coarse: average). Both so compute the same flux, with opposite sign: what leaves
 * one model enters the other.
 *
 * Every cell is computed by the same operations in the same order, no matter which
 * rank owns it, so the parallel models can be compared with the serial run closely.
 */
#ifndef HEAT_H
#define HEAT_H

#include <math.h>
#include <stdlib.h>

enum {
    OCEAN_COLUMNS = 50,
    REFINE = 2, /* fine cells of the atmosphere per cell of the ocean, along the interface */
    STEPS = 1000,
    REPORT_EVERY = 100, /* steps between two reports of the heat content */
    REPORTS = STEPS / REPORT_EVERY + 1
};

static const double TIME_STEP = 2.0e-5; /* diffusivity * TIME_STEP / (h*h) is 0.2 in the atmosphere; 0.25 is the limit */
static const double EXCHANGE = 20.0;    /* heat through the interface per length, time and degree */

/* A medium: what is the same in all parts of one model. */
struct medium {
    const char *name;
    int columns, rows;  /* of the whole grid */
    double capacity;    /* heat per area and degree */
    double diffusivity; /* area per time */
    double t0, tx, txx, ty; /* temperature in the beginning: t0 + tx*x + txx*x*x + ty*y */
};

static const struct medium OCEAN = {"ocean", OCEAN_COLUMNS, OCEAN_COLUMNS / 2, 4.0, 0.1, 12.0, 8.0, -6.0, -4.0};
static const struct medium ATMOSPHERE = {
    "atmosphere", REFINE *OCEAN_COLUMNS, REFINE *OCEAN_COLUMNS / 2, 1.0, 1.0, 4.0, -3.0, 5.0, 2.0};

/* A run of neighbouring columns of some grid. */
struct span {
    int first, count;
};

/*
 * One part of a medium: a run of its columns, with all their rows. In memory a row
 * is contiguous and has one ghost cell more at either end, which holds a copy of the
 * neighbouring part's column, or, at a wall, of the own one.
 */
struct part {
    const struct medium *medium;
    struct span own;     /* columns of this part */
    int stride;          /* cells of a row, with ghosts */
    double *cells;       /* both time levels, one after the other */
    double *now, *next;  /* temperature at this step and at the next */
    double *flux;        /* heat through the interface into each surface cell */
};

/* heat_share returns the columns of number out of size equal parts. */
static inline struct span heat_share(int columns, int number, int size)
{
    int first = columns * number / size;
    return (struct span){first, columns * (number + 1) / size - first};
}

/* heat_needs_of_ocean returns the fine columns above own columns of the ocean. */
static inline struct span heat_needs_of_ocean(struct span own)
{
    return (struct span){own.first * REFINE, own.count * REFINE};
}

/* heat_needs_of_atmosphere returns the coarse columns below own columns of the
 * atmosphere. Two parts need the same ocean cell if their boundary lies above it. */
static inline struct span heat_needs_of_atmosphere(struct span own)
{
    int first = own.first / REFINE, end = (own.first + own.count + REFINE - 1) / REFINE;
    return (struct span){first, end - first};
}

/* heat_level returns the number of cells of one time level. */
static inline size_t heat_level(const struct part *p)
{
    return (size_t)p->medium->rows * (size_t)p->stride;
}

/* heat_open makes the columns own of medium at time 0. Returns 0, or -1 if there is
 * no memory or no column. */
static inline int heat_open(struct part *p, const struct medium *medium, struct span own)
{
    *p = (struct part){.medium = medium, .own = own, .stride = own.count + 2};
    if (own.count < 1)
        return -1;
    p->cells = calloc(2 * heat_level(p), sizeof *p->cells);
    p->flux = calloc((size_t)own.count, sizeof *p->flux);
    if (p->cells == NULL || p->flux == NULL) {
        free(p->cells);
        free(p->flux);
        return -1;
    }
    p->now = p->cells;
    p->next = p->cells + heat_level(p);
    for (int row = 0; row < medium->rows; row++)
        for (int i = 0; i < own.count; i++) {
            double x = (own.first + i + 0.5) / medium->columns, y = (row + 0.5) / medium->columns;
            p->now[row * p->stride + 1 + i] = medium->t0 + medium->tx * x + medium->txx * x * x + medium->ty * y;
        }
    return 0;
}

static inline void heat_close(struct part *p)
{
    free(p->cells);
    free(p->flux);
}

/* heat_walls fills the ghost columns at the walls of the domain: no heat flows
 * between equal temperatures. */
static inline void heat_walls(struct part *p)
{
    int n = p->own.count;
    for (int row = 0; row < p->medium->rows; row++) {
        double *t = p->now + row * p->stride;
        if (p->own.first == 0)
            t[0] = t[1];
        if (p->own.first + n == p->medium->columns)
            t[n + 1] = t[n];
    }
}

/* heat_flux_ocean computes the flux into the surface cells of the ocean. above holds
 * the temperatures of the fine columns that they need. */
static inline void heat_flux_ocean(struct part *ocean, const double *above)
{
    for (int i = 0; i < ocean->own.count; i++) {
        double sum = 0.0;
        for (int f = 0; f < REFINE; f++)
            sum += EXCHANGE * (above[i * REFINE + f] - ocean->now[1 + i]);
        ocean->flux[i] = sum / REFINE;
    }
}

/* heat_flux_atmosphere computes the flux into the surface cells of the atmosphere.
 * below holds the temperatures of the coarse columns that they need. */
static inline void heat_flux_atmosphere(struct part *air, const double *below)
{
    int first = heat_needs_of_atmosphere(air->own).first;
    for (int i = 0; i < air->own.count; i++)
        air->flux[i] = EXCHANGE * (below[(air->own.first + i) / REFINE - first] - air->now[1 + i]);
}

/* heat_row computes one row of the next time level. toward and away are the rows on
 * the side of the interface and on the other; at an edge, the row itself. */
static inline void heat_row(double *next, const double *row, const double *toward, const double *away, int count,
                            double r)
{
    for (int i = 1; i <= count; i++) {
        double t = row[i];
        next[i] = t + r * (row[i - 1] - 2.0 * t + row[i + 1]) + r * (toward[i] - 2.0 * t + away[i]);
    }
}

/* heat_step computes the next time level from ghost cells and fluxes; heat_advance
 * makes it the current one. */
static inline void heat_step(struct part *p)
{
    const struct medium *m = p->medium;
    double h = 1.0 / m->columns, r = m->diffusivity * TIME_STEP / (h * h);

    for (int j = 0; j < m->rows; j++) {
        const double *row = p->now + j * p->stride;
        heat_row(p->next + j * p->stride, row, j > 0 ? row - p->stride : row,
                 j < m->rows - 1 ? row + p->stride : row, p->own.count, r);
    }
    for (int i = 0; i < p->own.count; i++)
        p->next[1 + i] += TIME_STEP * p->flux[i] / (m->capacity * h);
}

static inline void heat_advance(struct part *p)
{
    double *now = p->now;
    p->now = p->next;
    p->next = now;
}

/* heat_serial runs both media in full, in one process. Returns 0, or -1 if there is
 * no memory. The caller closes both. */
static inline int heat_serial(struct part *ocean, struct part *air)
{
    if (heat_open(ocean, &OCEAN, (struct span){0, OCEAN.columns}) != 0)
        return -1;
    if (heat_open(air, &ATMOSPHERE, (struct span){0, ATMOSPHERE.columns}) != 0) {
        heat_close(ocean);
        return -1;
    }
    for (int step = 0; step < STEPS; step++) {
        heat_walls(ocean);
        heat_walls(air);
        heat_flux_ocean(ocean, air->now + 1);
        heat_flux_atmosphere(air, ocean->now + 1);
        heat_step(ocean);
        heat_step(air);
        heat_advance(ocean);
        heat_advance(air);
    }
    return 0;
}

/* heat_difference compares a part with the same columns of whole and returns the
 * largest difference, relative to the largest temperature. */
static inline double heat_difference(const struct part *p, const struct part *whole)
{
    double difference = 0.0, scale = 0.0;
    for (int row = 0; row < p->medium->rows; row++) {
        const double *mine = p->now + row * p->stride + 1;
        const double *theirs = whole->now + row * whole->stride + 1 + p->own.first;
        for (int i = 0; i < p->own.count; i++) {
            double d = fabs(mine[i] - theirs[i]);
            if (isnan(d))
                return d; /* no comparison would notice it */
            if (d > difference)
                difference = d;
            if (fabs(theirs[i]) > scale)
                scale = fabs(theirs[i]);
        }
    }
    return difference / scale;
}

/* heat_error compares a part, after the last step, with the serial run. Returns the
 * relative difference, or -1 if there is no memory for the serial run. */
static inline double heat_error(const struct part *p)
{
    struct part ocean, air;
    if (heat_serial(&ocean, &air) != 0)
        return -1.0;
    double d = heat_difference(p, p->medium == &OCEAN ? &ocean : &air);
    heat_close(&ocean);
    heat_close(&air);
    return d;
}

#endif
