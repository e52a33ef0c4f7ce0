// The values of parameters of functions for structures, for edge_values.h.

#ifndef EDGE_STRUCTURES_H
#define EDGE_STRUCTURES_H

// The handles of vectors, deques and lists, which are a GA.
#define PUT_GA_HANDLES(kind, type, own, dead, other)                           \
  do {                                                                         \
    PUT(kind, RIGHT, "own", (own)[0]);                                         \
    PUT(kind, RIGHT, "of the last rank", (own)[1]);                            \
    PUT(kind, WRONG, "destroyed", dead);                                       \
    PUT(kind, ODD, "of another type", (type){other});                          \
    PUT(kind, WRONG, "null", (type){ACP_GA_NULL});                             \
    PUT(kind, WRONG, "no rank", (type){f->no_rank});                           \
    PUT(kind, WRONG, "all bits", (type){UINT64_MAX});                          \
    PUT(kind, WRONG, "misaligned", (type){(own)[0].ga + 1});                   \
    PUT(kind, WRONG, "nowhere", (type){f->nowhere});                           \
    PUT(kind, WRONG, "behind starter memory", (type){f->beyond});              \
    PUT(kind, ODD, "starter memory", (type){f->mine});                         \
  } while (0)

// Iterators of vectors and deques at a handle of every kind, and at every index.
#define PUT_INDICES(kind, its_grade, type)                                     \
  do {                                                                         \
    PUT(kind##_it, RIGHT, "of its own", (type){kind##_values[0].is, 1});       \
    for (size_t i = 1; i < kind##_kind.count; i++)                             \
      PUT(kind##_it, its_grade(kind##_values[i].edge.grade),                   \
          kind##_values[i].edge.text, (type){kind##_values[i].is, 1});         \
    PUT(kind##_it, ODD, "at 0", (type){kind##_values[0].is, 0});               \
    PUT(kind##_it, ODD, "at -1", (type){kind##_values[0].is, -1});             \
    PUT(kind##_it, ODD, "at INT_MIN", (type){kind##_values[0].is, INT_MIN});   \
    PUT(kind##_it, ODD, "at INT_MAX", (type){kind##_values[0].is, INT_MAX});   \
  } while (0)

// Two iterators of different structures are wrong, but that is not an error everywhere.
static inline enum grade iterator_grade(enum grade g) { return g == RIGHT ? ODD : g == WRONG ? ALONE : g; }

// The handles and iterators of sets, multisets and maps.
#define PUT_TABLE_HANDLES(kind, type, own, dead, other)                        \
  do {                                                                         \
    type it = (own)[0];                                                        \
    PUT(kind, RIGHT, "own", it);                                               \
    PUT(kind, RIGHT, "of the last rank", (own)[1]);                            \
    PUT(kind, WRONG, "destroyed", dead);                                       \
    PUT(kind, WRONG, "of another type", (type){(other).ga, 1, 2});             \
    PUT(kind, WRONG, "null", (type){ACP_GA_NULL, 1, 2});                       \
    PUT(kind, WRONG, "no rank", (type){f->no_rank, 1, 2});                     \
    PUT(kind, WRONG, "all bits", (type){UINT64_MAX, 1, 2});                    \
    PUT(kind, WRONG, "misaligned", (type){it.ga + 1, 1, 2});                   \
    PUT(kind, WRONG, "nowhere", (type){f->nowhere, 1, 2});                     \
    PUT(kind, WRONG, "starter memory", (type){f->mine, 1, 2});                 \
    PUT(kind, WRONG, "no table", (type){it.ga, 0, 2});                         \
    PUT(kind, WRONG, "two tables", (type){it.ga, 2, 2});                       \
    PUT(kind, WRONG, "2^31 tables", (type){it.ga, (uint64_t)1 << 31, 2});      \
    PUT(kind, WRONG, "2^63 tables", (type){it.ga, (uint64_t)1 << 63, 2});      \
    PUT(kind, WRONG, "no slot", (type){it.ga, 1, 0});                          \
    PUT(kind, WRONG, "three slots", (type){it.ga, 1, 3});                      \
    PUT(kind, WRONG, "2^32 slots", (type){it.ga, 1, (uint64_t)1 << 32});       \
    PUT(kind, WRONG, "2^64-1 slots", (type){it.ga, 1, UINT64_MAX});            \
  } while (0)

#define PUT_PLACES_IN(kind, type)                                              \
  do {                                                                         \
    acp_ga_t elem = acp_begin_##kind(kind##_values[0].is).elem;                \
    PUT(kind##_it, RIGHT, "first", (type){kind##_values[0].is, 0, 0, elem});   \
    for (size_t i = 2; i < kind##_kind.count; i++)                             \
      PUT(kind##_it, kind##_values[i].edge.grade, kind##_values[i].edge.text,  \
          (type){kind##_values[i].is, 0, 0, elem});                            \
    PUT(kind##_it, ODD, "slot -1", (type){kind##_values[0].is, 0, -1, elem});  \
    PUT(kind##_it, ODD, "slot 2^31-1", (type){kind##_values[0].is, 0, INT_MAX, elem}); \
    PUT(kind##_it, ODD, "table -1", (type){kind##_values[0].is, -1, 0, elem}); \
    PUT(kind##_it, ODD, "table 2^31-1", (type){kind##_values[0].is, INT_MAX, 0, elem}); \
    PUT(kind##_it, ODD, "no element", (type){kind##_values[0].is, 0, 0, 0});   \
    PUT(kind##_it, ODD, "nowhere", (type){kind##_values[0].is, 0, 0, f->nowhere}); \
    PUT(kind##_it, ODD, "no rank", (type){kind##_values[0].is, 0, 0, f->no_rank}); \
    PUT(kind##_it, ODD, "misaligned", (type){kind##_values[0].is, 0, 0, elem + 1}); \
    PUT(kind##_it, ODD, "starter memory", (type){kind##_values[0].is, 0, 0, f->mine}); \
  } while (0)

static inline void put_lists(const struct fixtures *f) {
  PUT_GA_HANDLES(list, acp_list_t, f->lists, f->dead_list, f->deques[0].ga);
  PUT(list_it, RIGHT, "first", f->elements[0]);
  PUT(list_it, ODD, "first of the last rank", f->elements[1]);
  for (size_t i = 2; i < list_kind.count; i++) // most look at the element alone
    PUT(list_it, ODD, list_values[i].edge.text,
        (acp_list_it_t){list_values[i].is, f->elements[0].elem});
  acp_list_t own = f->lists[0];
  PUT(list_it, ODD, "end", (acp_list_it_t){own, own.ga});
  PUT(list_it, ODD, "null element", (acp_list_it_t){own, ACP_GA_NULL});
  PUT(list_it, ODD, "element of another list", (acp_list_it_t){own, f->elements[1].elem});
  PUT(list_it, ODD, "element nowhere", (acp_list_it_t){own, f->nowhere});
  PUT(list_it, ODD, "element of no rank", (acp_list_it_t){own, f->no_rank});
  PUT(list_it, ODD, "misaligned element", (acp_list_it_t){own, f->elements[0].elem + 1});
  PUT(list_it, ODD, "element in starter memory", (acp_list_it_t){own, f->mine});
}

static inline void put_structures(const struct fixtures *f) {
  PUT_GA_HANDLES(vector, acp_vector_t, f->vectors, f->dead_vector, f->lists[0].ga);
  PUT_INDICES(vector, iterator_grade, acp_vector_it_t);
  PUT_GA_HANDLES(deque, acp_deque_t, f->deques, f->dead_deque, f->vectors[0].ga);
  PUT_INDICES(deque, iterator_grade, acp_deque_it_t);
  put_lists(f);
  PUT_TABLE_HANDLES(set, acp_set_t, f->sets, f->dead_set, f->maps[0]);
  PUT_PLACES_IN(set, acp_set_it_t);
  PUT_TABLE_HANDLES(multiset, acp_multiset_t, f->multisets, f->dead_multiset, f->sets[0]);
  PUT_PLACES_IN(multiset, acp_multiset_it_t);
  PUT_TABLE_HANDLES(map, acp_map_t, f->maps, f->dead_map, f->vectors[0]);
  PUT_PLACES_IN(map, acp_map_it_t);
  for (size_t i = 0; i < source_kind.count; i++)
    PUT(element, source_values[i].edge.grade == WRONG ? ALONE : source_values[i].edge.grade,
        source_values[i].edge.text, (acp_element_t){source_values[i].is, 8});
  for (size_t i = 1; i < length_kind.count; i++)
    PUT(element, length_values[i].edge.grade == WRONG ? ALONE : length_values[i].edge.grade,
        length_values[i].edge.text, (acp_element_t){f->mine, length_values[i].is});
  for (size_t i = 0; i < element_kind.count; i++)
    PUT(pair, element_values[i].edge.grade, element_values[i].edge.text,
        (acp_pair_t){element_values[i].is, element_values[0].is});
  for (size_t i = 1; i < element_kind.count; i++)
    PUT(pair, ODD, element_values[i].edge.text,
        (acp_pair_t){element_values[0].is, element_values[i].is});
}

#endif
