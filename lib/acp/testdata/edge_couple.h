// The values of the parameters of functions of acp_couple.h, for edge_values.h.

#ifndef EDGE_COUPLE_H
#define EDGE_COUPLE_H

#include <acp_couple.h>

#include <pthread.h>

KIND(model, acp_model_t)
KIND(model_name, const char *)
KIND(model_ranks, const int *)
KIND(model_size, int)
KIND(field, acp_field_t)
KIND(field_name, const char *)
KIND(field_type, int)
KIND(field_values, int)
KIND(field_data, void *)
KIND(unlinked_field, acp_field_t)
KIND(field_mask, const int *)
KIND(mask_count, int64_t)
KIND(range_firsts, const int64_t *)
KIND(range_counts, const int64_t *)
KIND(ranges, int)
KIND(points, const int64_t *)
KIND(point_count, int64_t)
KIND(dims, int)
KIND(grid, const int *)
KIND(block_firsts, const int *)
KIND(block_extents, const int *)
KIND(halos, const int *)
KIND(block_flags, int)
KIND(far_field, const char *)
KIND(weight_file, const char *)
KIND(levels, int)
KIND(every, int)
KIND(seconds, double)
KIND(rows, const int64_t *)
KIND(columns, const int64_t *)
KIND(weights, const double *)
KIND(entries, int64_t)
KIND(out_link, acp_link_t)
KIND(in_link, acp_link_t)
KIND(step_link, acp_link_t)
KIND(watched_link, acp_link_t)
KIND(closed_link, acp_link_t)
KIND(begun_links, const acp_link_t *)
KIND(begun_count, int)
KIND(link_step, int64_t)
KIND(came, int64_t *)
KIND(described, acp_links_t)
KIND(watched_field, const char *)
KIND(timed_link, acp_link_t)
KIND(reduction, int)
KIND(lag, int)
KIND(factor, double)
KIND(conservation, int)
KIND(areas, const double *)
KIND(area_count, int64_t)
KIND(state_file, const char *)
KIND(state_folder, const char *)
KIND(spent, double *)
KIND(coordinates, const double *)
KIND(grid_dims, int)
KIND(grid_sizes, const int *)
KIND(grid_flags, int)
KIND(made_grid, acp_grid_t)
KIND(corners, int)
KIND(grid_count, int64_t)
KIND(weights_method, int)
KIND(choice, int)
KIND(grid_points, const int64_t *)
KIND(grid_point_count, int64_t)
KIND(made_weights, acp_weights_t)
KIND(grid_numbers, int64_t *)
KIND(grid_values, double *)
KIND(iterating_model, acp_model_t)
KIND(other_model, const char *)
KIND(leads, int)
KIND(implicit, acp_implicit_t)
KIND(waiting_implicit, acp_implicit_t)
KIND(iterated, void *)
KIND(iterated_name, const char *)
KIND(reuse, int)
KIND(iterated_count, int64_t)
KIND(measure, int)
KIND(limit, double)
KIND(method, int)
KIND(iteration_columns, int)
KIND(last_count, int *)
KIND(waiting_link, acp_link_t)
KIND(record_every, int)

// The right values. Both models of the links are rank 0.
static struct couplings {
  acp_model_t model, dead_model;
  acp_field_t field, unlinked, dead_field;
  acp_link_t out, in, published, watched, begun, dead_link;
  acp_link_t timed[2];
  acp_links_t described, dead_described;
  acp_implicit_t implicit, dead_implicit;
  acp_grid_t grid, dead_grid;
  acp_weights_t weights, dead_weights;
} couplings;

enum { GRID_POINTS = 4, GRID_CORNERS = 3 };

static inline void put_declarations(const struct fixtures *f) {
  static char long_name[202];
  static int own[2], none[] = {-1, INT_MAX};
  memset(long_name, 'n', 201);
  own[0] = own[1] = f->rank;
#define PUT_HANDLES(kind, type, right, dead)                                   \
  do {                                                                         \
    PUT(kind, RIGHT, "own", right);                                            \
    PUT(kind, WRONG, "freed", dead);                                           \
    PUT(kind, WRONG, "null", (type)0);                                         \
    PUT(kind, WRONG, "all bits", (type)UINTPTR_MAX);                           \
  } while (0)
#define PUT_NAMES(kind)                                                        \
  do {                                                                         \
    PUT(kind, WRONG, "empty", "");                                             \
    PUT(kind, WRONG, "with a full stop", "a.b");                               \
    PUT(kind, WRONG, "with >", "a>b");                                         \
    PUT(kind, WRONG, "201 bytes", long_name);                                  \
  } while (0)
  PUT_HANDLES(model, acp_model_t, couplings.model, couplings.dead_model);
  PUT(model_name, RIGHT, "edges", "edges");
  PUT(model_name, ODD, "NULL", NULL);
  PUT_NAMES(model_name);
  PUT(model_ranks, RIGHT, "own", own);
  PUT(model_ranks, ODD, "NULL", NULL);
  PUT(model_ranks, WRONG, "-1", none);
  PUT(model_ranks, WRONG, "INT_MAX", none + 1);
  PUT(model_size, RIGHT, "1", 1);
  PUT(model_size, ALONE, "0", 0);
  PUT(model_size, ALONE, "twice", 2);
  PUT_INTS(model_size, ALONE, ALONE);
  PUT_HANDLES(field, acp_field_t, couplings.field, couplings.dead_field);
  PUT(field_name, RIGHT, "f", "f");
  PUT(field_name, WRONG, "NULL", NULL);
  PUT_NAMES(field_name);
  PUT(field_type, RIGHT, "double", ACP_DOUBLE);
  PUT(field_type, RIGHT, "double complex", ACP_DOUBLE_COMPLEX);
  PUT(field_type, WRONG, "0", 0);
  PUT(field_type, WRONG, "13", ACP_DOUBLE_COMPLEX + 1);
  PUT_INTS(field_type, WRONG, WRONG);
  PUT(field_values, RIGHT, "1", 1);
  PUT(field_values, RIGHT, "2", 2);
  PUT(field_values, WRONG, "0", 0);
  PUT_INTS(field_values, ODD, WRONG);
  PUT(field_data, RIGHT, "memory", f->memory);
  PUT(field_data, ALONE, "NULL", NULL);
  PUT(field_data, ALONE, "in the first page", (char *)NULL + 24);
}

static inline void put_masks(void) {
  static const int mask[] = {0, 1, -1, 0};
  PUT(field_mask, RIGHT, "0, 1, -1, 0", mask);
  PUT(field_mask, ALONE, "NULL", NULL);
  PUT(mask_count, RIGHT, "4", 4);
  PUT(mask_count, WRONG, "0", 0);
  PUT(mask_count, WRONG, "5", 5);
  PUT(mask_count, WRONG, "-1", -1);
  PUT(mask_count, WRONG, "INT64_MIN", INT64_MIN);
  PUT(mask_count, WRONG, "INT64_MAX", INT64_MAX);
}

static inline void put_points(void) {
  static const int64_t none[] = {0, 1}, minus[] = {-1, -1}, most[] = {INT64_MAX, INT64_MAX};
  static const int64_t least[] = {INT64_MIN, 0}, counts[] = {4, 4}, list[] = {3, 1, 2, 0}, twice[] = {1, 2, 1, 0};
  PUT(range_firsts, RIGHT, "0", none);
  PUT(range_firsts, ALONE, "NULL", NULL);
  PUT(range_firsts, ALONE, "-1", minus);
  PUT(range_firsts, ALONE, "INT64_MAX", most);
  PUT(range_firsts, ALONE, "INT64_MIN", least);
  PUT(range_counts, RIGHT, "4", counts);
  PUT(range_counts, ALONE, "NULL", NULL);
  PUT(range_counts, ALONE, "-1", minus);
  PUT(range_counts, ALONE, "INT64_MAX", most);
  PUT(range_counts, ALONE, "INT64_MIN", least);
  PUT(ranges, RIGHT, "1", 1);
  PUT(ranges, ODD, "0", 0);
  PUT(ranges, ALONE, "2, which overlap", 2);
  PUT(ranges, WRONG, "-1", -1);
  PUT(ranges, WRONG, "INT_MIN", INT_MIN);
  PUT(points, RIGHT, "list", list);
  PUT(points, ALONE, "NULL", NULL);
  PUT(points, ALONE, "twice", twice);
  PUT(points, ODD, "-1", minus);
  PUT(points, ODD, "INT64_MAX", most);
  PUT(point_count, RIGHT, "4", 4);
  PUT(point_count, ODD, "0", 0);
  PUT(point_count, ODD, "1", 1);
  PUT(point_count, WRONG, "-1", -1);
  PUT(point_count, WRONG, "INT64_MIN", INT64_MIN);
  PUT(point_count, WRONG, "INT64_MAX", INT64_MAX);
}

static inline void put_blocks(void) {
  static const int four[] = {4, 4}, zero[] = {0, 0}, one[] = {1, 1}, two[] = {2, 2};
  static const int minus[] = {-1, 0}, most[] = {INT_MAX, INT_MAX}, least[] = {INT_MIN, 0};
  PUT(dims, RIGHT, "2", 2);
  PUT(dims, ODD, "1", 1);
  PUT(dims, WRONG, "0", 0);
  PUT(dims, WRONG, "65", 65);
  PUT_INTS(dims, WRONG, WRONG);
#define PUT_SUBSCRIPTS(kind, right, zero_is, most_is)                          \
  do {                                                                         \
    PUT(kind, RIGHT, "right", right);                                          \
    PUT(kind, WRONG, "NULL", NULL);                                            \
    PUT(kind, zero_is, "0", zero);                                             \
    PUT(kind, ALONE, "-1", minus);                                             \
    PUT(kind, ALONE, "INT_MIN", least);                                        \
    PUT(kind, most_is, "INT_MAX", most);                                       \
  } while (0)
  PUT_SUBSCRIPTS(grid, four, ALONE, ODD);
  PUT_SUBSCRIPTS(block_firsts, one, RIGHT, ALONE);
  PUT_SUBSCRIPTS(block_extents, two, ODD, ALONE);
  PUT(halos, RIGHT, "0", zero);
  PUT(halos, RIGHT, "NULL", NULL);
  PUT(halos, ODD, "1", one);
  PUT(halos, ALONE, "-1", minus);
  PUT(halos, ALONE, "INT_MIN", least);
  PUT(halos, ODD, "INT_MAX", most);
  PUT(block_flags, RIGHT, "0", 0);
  PUT(block_flags, RIGHT, "both", ACP_ORDER_FORTRAN | ACP_FILL_HALO);
  PUT(block_flags, RIGHT, "numbers", ACP_SAME_NUMBERS);
  PUT(block_flags, WRONG, "8", 8);
  PUT_INTS(block_flags, WRONG, WRONG);
}

// No side of a link that a case opens has a partner. So time limits are short.
static inline void put_openings(void) {
  static const int64_t some[] = {0, 1}, minus[] = {-1, -1}, most[] = {INT64_MAX, INT64_MAX};
  static const double halves[] = {0.5, 0.5}, odd[] = {NAN, INFINITY};
  PUT(far_field, RIGHT, "absent.g", "absent.g");
  PUT(far_field, WRONG, "NULL", NULL);
  PUT(far_field, WRONG, "empty", "");
  PUT(far_field, WRONG, "without a field", "absent");
  PUT(far_field, WRONG, "without a name", "absent.");
  PUT(far_field, WRONG, "without a model", ".g");
  PUT(far_field, WRONG, "with two full stops", "a.b.c");
  PUT(weight_file, RIGHT, "a matrix", "testdata/three.mtx");
  PUT(weight_file, WRONG, "NULL", NULL);
  PUT(weight_file, ODD, "empty", "");
  PUT(weight_file, ODD, "absent", "testdata/absent.nc");
  PUT(weight_file, ODD, "no matrix", "testdata/edges.def");
  PUT(levels, RIGHT, "0", 0);
  PUT(levels, RIGHT, "65536", 65536);
  PUT(levels, WRONG, "65537", 65537);
  PUT_INTS(levels, WRONG, WRONG);
  PUT(every, RIGHT, "0", 0);
  PUT_INTS(every, RIGHT, WRONG);
  PUT(seconds, RIGHT, "0", 0);
  PUT(seconds, RIGHT, "0.0001", 1e-4);
  PUT(seconds, WRONG, "NaN", NAN);
  PUT(rows, RIGHT, "own", some);
  PUT(rows, ALONE, "NULL", NULL);
  PUT(rows, ODD, "-1", minus);
  PUT(rows, ODD, "INT64_MAX", most);
  PUT(columns, RIGHT, "some", some);
  PUT(columns, ALONE, "NULL", NULL);
  PUT(columns, ODD, "-1", minus);
  PUT(columns, ODD, "INT64_MAX", most);
  PUT(weights, RIGHT, "1/2", halves);
  PUT(weights, ALONE, "NULL", NULL);
  PUT(weights, ODD, "no numbers", odd);
  PUT(entries, RIGHT, "2", 2);
  PUT(entries, ODD, "0", 0);
  PUT(entries, WRONG, "-1", -1);
  PUT(entries, WRONG, "INT64_MIN", INT64_MIN);
  PUT(entries, WRONG, "INT64_MAX", INT64_MAX);
}

static inline void put_links(void) {
  static int64_t came;
  static acp_link_t none[2];
  const struct couplings *c = &couplings;
#define PUT_NO_LINKS(kind)                                                     \
  do {                                                                         \
    PUT(kind, WRONG, "closed", c->dead_link);                                  \
    PUT(kind, WRONG, "null", ACP_LINK_NULL);                                   \
    PUT(kind, WRONG, "all bits", (acp_link_t)UINTPTR_MAX);                     \
  } while (0)
#define PUT_LINKS(kind, sends, receives, publishes, watches)                   \
  do {                                                                         \
    PUT(kind, sends, "of a sender", c->out);                                   \
    PUT(kind, publishes, "of a publisher", c->published);                      \
    PUT(kind, receives, "of a receiver", c->in);                               \
    PUT(kind, watches, "of a watcher", c->watched);                            \
    PUT_NO_LINKS(kind);                                                        \
  } while (0)
  PUT_LINKS(out_link, RIGHT, WRONG, RIGHT, WRONG);
  PUT(in_link, RIGHT, "first", c->in);
  PUT_LINKS(in_link, WRONG, RIGHT, WRONG, WRONG);
  PUT_LINKS(step_link, RIGHT, RIGHT, RIGHT, WRONG);
  PUT(watched_link, RIGHT, "first", c->watched);
  PUT_LINKS(watched_link, WRONG, WRONG, WRONG, RIGHT);
  PUT(closed_link, RIGHT, "of a receiver", c->in);
  PUT_NO_LINKS(closed_link);
  PUT(begun_links, RIGHT, "one", &c->begun);
  PUT(begun_links, ALONE, "null handles", none);
  PUT(begun_links, ALONE, "NULL", NULL);
  PUT(begun_links, ALONE, "open", &c->in);
  PUT(begun_count, RIGHT, "1", 1);
  PUT(begun_count, ODD, "0", 0);
  PUT(begun_count, WRONG, "-1", -1);
  PUT(begun_count, WRONG, "INT_MIN", INT_MIN);
  PUT(link_step, RIGHT, "1", 1);
  PUT(link_step, RIGHT, "2", 2);
  PUT(link_step, ODD, "-1", -1);
  PUT(link_step, ODD, "INT64_MIN", INT64_MIN);
  PUT(link_step, ODD, "INT64_MAX", INT64_MAX);
  PUT(came, RIGHT, "room", &came);
  PUT(came, RIGHT, "NULL", NULL);
  PUT_HANDLES(described, acp_links_t, c->described, c->dead_described);
  PUT(watched_field, RIGHT, "f", "f");
  PUT(watched_field, RIGHT, "empty", "");
  PUT(watched_field, WRONG, "NULL", NULL);
}

// Operations in time of the links may succeed or fail: they depend on each other.
static inline void put_times(void) {
  static double some[4] = {1, 2, 3, 4};
  const struct couplings *c = &couplings;
  PUT(timed_link, ODD, "of a sender", c->timed[0]);
  PUT(timed_link, ODD, "of a receiver", c->timed[1]);
  PUT(timed_link, WRONG, "of a publisher", c->published);
  PUT(timed_link, WRONG, "of a watcher", c->watched);
  PUT_NO_LINKS(timed_link);
  PUT(waiting_link, RIGHT, "of a sender", c->timed[0]);
  PUT_LINKS(waiting_link, RIGHT, RIGHT, WRONG, RIGHT);
  PUT(reduction, RIGHT, "average", ACP_REDUCE_AVERAGE);
  PUT(reduction, RIGHT, "last", ACP_REDUCE_LAST);
  PUT(reduction, WRONG, "-1", -1);
  PUT(reduction, WRONG, "5", 5);
  PUT(reduction, WRONG, "INT_MAX", INT_MAX);
  PUT(lag, RIGHT, "1", 1);
  PUT(lag, RIGHT, "0", 0);
  PUT(lag, WRONG, "-1", -1);
  PUT(lag, WRONG, "65", 65);
  PUT(lag, WRONG, "INT_MAX", INT_MAX);
  PUT(factor, RIGHT, "2", 2);
  PUT(factor, WRONG, "NaN", NAN);
  PUT(factor, WRONG, "infinite", INFINITY);
  PUT(conservation, RIGHT, "none", ACP_CONSERVE_NONE);
  PUT(conservation, RIGHT, "multiply", ACP_CONSERVE_MULTIPLY);
  PUT(conservation, WRONG, "-1", -1);
  PUT(conservation, WRONG, "3", 3);
  PUT(conservation, WRONG, "INT_MIN", INT_MIN);
  PUT(areas, RIGHT, "some", some);
  PUT(areas, ODD, "NULL", NULL);
  PUT(area_count, RIGHT, "4", 4);
  PUT(area_count, ALONE, "0", 0);
  PUT(area_count, ALONE, "-1", -1);
  PUT(area_count, ALONE, "INT64_MAX", INT64_MAX);
  PUT(state_file, ODD, "NULL", NULL);
  PUT(state_file, WRONG, "in a folder that does not exist", "absent/state");
  PUT(state_folder, RIGHT, "absent", "absent");
  PUT(state_folder, WRONG, "NULL", NULL);
  static double spent;
  PUT(spent, RIGHT, "room", &spent);
  PUT(spent, RIGHT, "NULL", NULL);
  PUT(record_every, RIGHT, "1", 1);
  PUT(record_every, WRONG, "0", 0);
  PUT(record_every, WRONG, "-1", -1);
}

// The model of the iteration has been sealed by an opening of links, or not: a case may have been the first to do so.
static inline void put_iterations(void) {
  static double values[2];
  static int count;
  const struct couplings *c = &couplings;
  PUT(iterating_model, ODD, "right", c->model);
  PUT(iterating_model, WRONG, "freed", c->dead_model);
  PUT(iterating_model, WRONG, "null", ACP_MODEL_NULL);
  PUT(other_model, RIGHT, "other", "other");
  PUT(other_model, WRONG, "NULL", NULL);
  PUT(other_model, WRONG, "empty", "");
  PUT(other_model, WRONG, "with a full stop", "a.b");
  PUT(leads, RIGHT, "1", 1);
  PUT(leads, RIGHT, "0", 0);
  PUT(leads, RIGHT, "INT_MIN", INT_MIN);
  PUT(implicit, ODD, "leading", c->implicit);
  PUT(implicit, WRONG, "freed", c->dead_implicit);
  PUT(implicit, WRONG, "null", ACP_IMPLICIT_NULL);
  PUT(waiting_implicit, RIGHT, "leading", c->implicit);
  PUT(waiting_implicit, WRONG, "freed", c->dead_implicit);
  PUT(waiting_implicit, WRONG, "null", ACP_IMPLICIT_NULL);
  PUT(iterated_name, ODD, "right", "x");
  PUT(iterated_name, WRONG, "NULL", NULL);
  PUT(iterated_name, WRONG, "empty", "");
  PUT(reuse, RIGHT, "1", 1);
  PUT(reuse, RIGHT, "INT_MAX", INT_MAX);
  PUT(reuse, WRONG, "-1", -1);
  PUT(iterated, RIGHT, "two", values);
  PUT(iterated, ODD, "NULL", NULL);
  PUT(iterated_count, RIGHT, "2", 2);
  PUT(iterated_count, RIGHT, "0", 0);
  PUT(iterated_count, WRONG, "-1", -1);
  PUT(iterated_count, WRONG, "INT64_MAX", INT64_MAX);
  PUT(measure, RIGHT, "absolute", ACP_MEASURE_ABSOLUTE);
  PUT(measure, RIGHT, "residual", ACP_MEASURE_RESIDUAL);
  PUT(measure, WRONG, "-1", -1);
  PUT(measure, WRONG, "3", 3);
  PUT(limit, RIGHT, "1", 1);
  PUT(limit, WRONG, "0", 0);
  PUT(limit, WRONG, "NaN", NAN);
  PUT(limit, WRONG, "infinite", INFINITY);
  PUT(method, RIGHT, "Aitken", ACP_METHOD_AITKEN);
  PUT(method, RIGHT, "IQN-ILS", ACP_METHOD_IQN_ILS);
  PUT(method, WRONG, "-1", -1);
  PUT(method, WRONG, "3", 3);
  PUT(iteration_columns, RIGHT, "0", 0);
  PUT(iteration_columns, ODD, "201", 201);
  PUT(iteration_columns, ODD, "-1", -1);
  PUT(last_count, RIGHT, "room", &count);
  PUT(last_count, RIGHT, "NULL", NULL);
}

#include "edge_grids.h"

static inline void put_couplings(const struct fixtures *f) {
  put_declarations(f);
  put_masks();
  put_points();
  put_blocks();
  put_openings();
  put_links();
  put_times();
  put_iterations();
  put_grids();
}

// Declares a field of a model of this rank with four points.
static inline acp_field_t four_points(const char *model, acp_model_t *m, const struct fixtures *f) {
  static const int64_t zero, four = 4;
  *m = acp_create_model(model, &f->rank, 1);
  acp_field_t field = acp_create_field_ranges(*m, "f", ACP_DOUBLE, 1, f->memory, &zero, &four, 1);
  CHECK(field != ACP_FIELD_NULL);
  return field;
}

// Makes new models and fields, and closes links of the description.
static inline void make_couplings(const struct fixtures *f) {
  struct couplings *c = &couplings;
  make_grids();
  acp_model_t other;
  c->field = four_points("edges", &c->model, f);
  c->dead_field = four_points("gone", &c->dead_model, f);
  c->begun = acp_begin_link_to(c->field, "absent.g", 1, 1, 1e-4);
  CHECK(c->begun != ACP_LINK_NULL);
  CHECK(acp_free_field(c->dead_field) == 0 && acp_free_model(c->dead_model) == 0);
  c->unlinked = four_points("edges", &other, f);
  four_points("sealed", &other, f);
  c->described = acp_open_links(other, 0);
  c->dead_described = acp_open_links(other, 0);
  CHECK(c->described != ACP_LINKS_NULL && acp_close_links(c->dead_described) == 0);
}

static inline void *open_in(void *field) {
  couplings.in = acp_open_link_from((acp_field_t)field, "source.f", 64, 1, -1);
  return NULL;
}

// Opens links between two models of this rank, which stay open.
static inline void make_links(const struct fixtures *f) {
  struct couplings *c = &couplings;
  acp_model_t from, to;
  acp_field_t source = four_points("source", &from, f), sink = four_points("sink", &to, f);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, open_in, sink) == 0);
  c->out = acp_open_link_to(source, "sink.f", 64, 1, -1);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(c->out != ACP_LINK_NULL && c->in != ACP_LINK_NULL);
  acp_model_t late;
  acp_field_t later = four_points("later", &late, f);
  c->timed[0] = acp_begin_link_to(source, "later.f", 64, 1, -1);
  c->timed[1] = acp_begin_link_from(later, "source.f", 64, 1, -1);
  CHECK(acp_complete_links(c->timed, 2) == 0);
  four_points("iterating", &late, f);
  c->implicit = acp_create_implicit(late, "partner", 1);
  c->dead_implicit = acp_create_implicit(late, "nothing", 0);
  CHECK(c->implicit != ACP_IMPLICIT_NULL && acp_free_implicit(c->dead_implicit) == 0);
  sink = four_points("viewer", &to, f);
  c->published = acp_publish_link_to(source, "viewer.f", 1);
  c->watched = acp_watch_link_from(sink, "source.f", -1);
  c->dead_link = acp_publish_link_to(source, "gone.f", 1);
  CHECK(c->published != ACP_LINK_NULL && c->watched != ACP_LINK_NULL && acp_close_link(c->dead_link) == 0);
}

#endif
