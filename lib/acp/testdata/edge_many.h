// The values of parameters of functions for many keys or elements, for edge_values.h.

#ifndef EDGE_MANY_H
#define EDGE_MANY_H

KIND(many, int)
KIND(elements, const acp_element_t *)
KIND(pairs, const acp_pair_t *)
KIND(results, int *)
KIND(times, uint64_t *)
KIND(set_places, acp_set_it_t *)
KIND(multiset_places, acp_multiset_it_t *)
KIND(map_places, acp_map_it_t *)

// Arrays for functions for many keys or elements.
static inline void put_many(const struct fixtures *f) {
  static acp_element_t right[2], odd[2], wrong[2];
  static acp_pair_t pairs[2], no_key[2], no_value[2];
  static int results[2];
  static uint64_t times[2];
  static acp_set_it_t set_places[2];
  static acp_multiset_it_t multiset_places[2];
  static acp_map_it_t map_places[2];
  for (int i = 0; i < 2; i++) {
    right[i] = (acp_element_t){i == 0 ? f->mine : f->theirs, 8};
    odd[i] = (acp_element_t){i == 0 ? f->mine : f->unregistered, 8};
    wrong[i] = (acp_element_t){i == 0 ? f->no_rank : f->registered, 8};
    pairs[i] = (acp_pair_t){right[i], right[i]};
    no_key[i] = (acp_pair_t){{ACP_GA_NULL, 8}, right[i]};
    no_value[i] = (acp_pair_t){right[i], {ACP_GA_NULL, 8}};
  }
  PUT(many, RIGHT, "2", 2);
  PUT(many, RIGHT, "1", 1);
  PUT(many, WRONG, "-1", -1);
  PUT(many, WRONG, "INT_MIN", INT_MIN);
  PUT(elements, RIGHT, "two", right);
  PUT(elements, ODD, "unregistered", odd);
  PUT(elements, ALONE, "no rank", wrong);
  PUT(elements, ALONE, "NULL", NULL);
  PUT(pairs, RIGHT, "two", pairs);
  PUT(pairs, ALONE, "null key", no_key);
  PUT(pairs, ALONE, "null value", no_value);
  PUT(pairs, ALONE, "NULL", NULL);
  PUT(results, RIGHT, "room", results);
  PUT(results, RIGHT, "NULL", NULL);
  PUT(times, RIGHT, "room", times);
  PUT(times, ALONE, "NULL", NULL);
  PUT(set_places, RIGHT, "room", set_places);
  PUT(set_places, ALONE, "NULL", NULL);
  PUT(multiset_places, RIGHT, "room", multiset_places);
  PUT(multiset_places, ALONE, "NULL", NULL);
  PUT(map_places, RIGHT, "room", map_places);
  PUT(map_places, ALONE, "NULL", NULL);
}

#endif
