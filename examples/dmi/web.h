/* A directed graph whose vertices have very different numbers of edges. All processes compute the same one. */
#ifndef WEB_H
#define WEB_H

#include "dmi_api.h"

/* Edges of a vertex. A vertex v has edges to targets[0 .. count - 1], which may occur several times. */
enum { MOST_EDGES = 64 };

static inline uint64_t mixed(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/* Few vertices have many edges: the number of edges of half of them is 2, of a quarter 4, and so on. */
static inline int edges_of(int64_t v, int64_t vertices, int64_t *targets) {
  uint64_t x = mixed((uint64_t)v + 1);
  int count = 2;
  for (uint64_t bits = x; (bits & 1) != 0 && count < MOST_EDGES; bits >>= 1)
    count *= 2;
  for (int i = 0; i < count; i++) {
    /* The square of a number below 1 makes small targets likely. */
    double r = (double)(mixed(x + (uint64_t)i * 0x9e3779b97f4a7c15u) >> 11) * 0x1p-53;
    targets[i] = (int64_t)(r * r * (double)vertices);
  }
  return count;
}

/* The length of edge i of vertex v. */
static inline int64_t length_of(int64_t v, int i) { return 1 + (int64_t)(mixed((uint64_t)v * 131 + (uint64_t)i) % 100); }

static inline int64_t first_of(int64_t vertices, int rank, int all) { return vertices * rank / all; }

#endif
