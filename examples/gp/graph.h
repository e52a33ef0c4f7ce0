/*
 * The graph of adjacency.c. Any process can tell whether two vertices are neighbours, so that the
 * result can be checked. Vertices with low numbers have many neighbours.
 */
#ifndef GRAPH_H
#define GRAPH_H

#include <stdint.h>

static inline int adjacent(int u, int v)
{
    uint32_t low = (uint32_t)(u < v ? u : v), high = (uint32_t)(u < v ? v : u);
    uint32_t x = low * 2654435761u ^ high * 2246822519u;

    x ^= x >> 15;
    x *= 2654435761u;
    x ^= x >> 13;
    return u != v && x % (4 + low / 8) == 0;
}

static inline int degree(int v, int vertices)
{
    int n = 0;

    for (int u = 0; u < vertices; u++)
        n += adjacent(v, u);
    return n;
}

/* neighbours stores those of v, in ascending order. */
static inline void neighbours(int v, int vertices, int *list)
{
    for (int u = 0; u < vertices; u++)
        if (adjacent(v, u))
            *list++ = u;
}

/* common counts what two ascending lists have in common above a number. */
static inline int common(const int *a, int na, const int *b, int nb, int above)
{
    int n = 0;

    for (int i = 0, k = 0; i < na && k < nb;) {
        if (a[i] == b[k] && a[i] > above)
            n++;
        if (a[i] <= b[k])
            i++;
        else
            k++;
    }
    return n;
}

/* count counts the triangles without an array. */
static inline long count(int vertices)
{
    long n = 0;

    for (int u = 0; u < vertices; u++)
        for (int v = u + 1; v < vertices; v++)
            if (adjacent(u, v))
                for (int w = v + 1; w < vertices; w++)
                    n += adjacent(u, w) && adjacent(v, w);
    return n;
}

#endif
