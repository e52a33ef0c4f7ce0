// Operations on lists whose memory is mapped. Go executes operations that move many elements.
//
// Mirrors internal/structure/list: open_list is Heaps.open and element is Heaps.node (heaps.go), node_at is ring.at
// and before is ring.before, goacp_try_insert and goacp_try_erase are ring.insert and ring.erase
// (ring.go), goacp_try_count is OpState, goacp_try_next and goacp_try_previous are Heaps.Step by one,
// and goacp_try_value is Heaps.Size (walk.go).
//
// docs/performance.md measures it as "one host: list, push and pop of 8 B".

#include "links.h"
#include "heap.h"
#include "input.h"
#include "traffic.h"

#include <string.h>

// A list, whose control block is at ga.
struct list {
  const struct goacp_direct *d;
  acp_ga_t ga;
  struct goacp_list *control;
};

// The control block or the element at ga, or NULL. Every block of the heap has room for a control block.
static inline struct goacp_list *block_at(const struct goacp_direct *d, acp_ga_t ga) {
  struct goacp_heap heap = goacp_heap_of(d, goacp_rank_of(ga));
  return goacp_words_in_heap(&heap, ga, sizeof(struct goacp_list));
}

static inline int open_list(acp_ga_t ga, struct list *l) {
  l->d = goacp_direct();
  l->ga = ga;
  return l->d != NULL && (l->control = block_at(l->d, ga)) != NULL &&
         l->control->mark == (GOACP_LIST_MARK ^ ga);
}

// The element at ga, or NULL if there is none, or a control block.
static inline struct goacp_link *element(const struct list *l, acp_ga_t ga) {
  struct goacp_list *b = block_at(l->d, ga);
  return b != NULL && b->mark != (GOACP_LIST_MARK ^ ga) ? &b->node : NULL;
}

// The node at a place.
static inline struct goacp_link *node_at(const struct list *l, acp_ga_t place) {
  return place == l->ga ? &l->control->node : element(l, place);
}

// The node before the node of a place, or NULL if the links between the two do not agree.
static inline struct goacp_link *before(const struct list *l, const struct goacp_link *here,
                                        acp_ga_t place) {
  struct goacp_link *prev = node_at(l, here->prev);
  return prev != NULL && prev->next == place ? prev : NULL;
}

static inline void count(const struct list *l, uint64_t n) {
  goacp_count_structure(l->d, goacp_rank_of(l->ga), n);
}

// Inserts bytes that stay valid during the call.
static inline int insert(const struct list *l, acp_ga_t place, const void *bytes, uint64_t n, int rank,
                         acp_ga_t *made) {
  if (place == ACP_GA_NULL)
    place = l->control->node.next;
  struct goacp_link *here = node_at(l, place), *prev;
  if (here == NULL || (prev = before(l, here, place)) == NULL || n > GOACP_LARGE_SIZE - sizeof *here)
    return 0;
  void *block;
  acp_ga_t ga = goacp_try_block(sizeof *here + n, rank, &block);
  if (ga == ACP_GA_NULL)
    return 0;
  struct goacp_link *new = block;
  *new = (struct goacp_link){place, here->prev, n};
  memcpy(new + 1, bytes, n);
  prev->next = ga;
  here->prev = ga;
  l->control->node.n++;
  count(l, n);
  *made = ga;
  return 1;
}

int goacp_try_insert(acp_ga_t list, acp_ga_t place, acp_element_t value, int rank, acp_ga_t *made) {
  struct list l;
  struct goacp_input in;
  if (!open_list(list, &l) || value.size == 0 ||
      !goacp_bring(l.d, value, (acp_element_t){ACP_GA_NULL, 0}, &in))
    return 0;
  int inserted = insert(&l, place, in.data, value.size, rank, made);
  goacp_release(&in);
  return inserted;
}

int goacp_try_erase(acp_ga_t list, acp_ga_t place, acp_ga_t *behind) {
  struct list l;
  if (!open_list(list, &l))
    return 0;
  if (place == ACP_GA_NULL)
    place = l.control->node.next;
  else if (place == list)
    place = l.control->node.prev;
  if (place != list) {
    const struct goacp_link *e = element(&l, place);
    struct goacp_link *prev, *next;
    if (e == NULL || (prev = before(&l, e, place)) == NULL || (next = node_at(&l, e->next)) == NULL ||
        next->prev != place || prev == e || next == e || l.control->node.n == 0)
      return 0;
    acp_ga_t follows = e->next, precedes = e->prev;
    // Another rank may take the block as soon as it is free. Nothing below reads it.
    if (!goacp_try_free(place))
      return 0;
    prev->next = follows;
    next->prev = precedes;
    l.control->node.n--;
    place = follows;
  }
  count(&l, 0);
  *behind = place;
  return 1;
}

int goacp_try_count(acp_ga_t list, acp_ga_t *first, uint64_t *n) {
  struct list l;
  if (!open_list(list, &l))
    return 0;
  *first = l.control->node.next;
  *n = l.control->node.n;
  count(&l, 0);
  return 1;
}

int goacp_try_next(acp_ga_t list, acp_ga_t place, acp_ga_t *next) {
  struct list l;
  const struct goacp_link *here;
  if (!open_list(list, &l) || (here = node_at(&l, place)) == NULL)
    return 0;
  *next = place == list ? place : here->next;
  return 1;
}

int goacp_try_previous(acp_ga_t list, acp_ga_t place, acp_ga_t *previous) {
  struct list l;
  const struct goacp_link *here;
  if (!open_list(list, &l) || (here = node_at(&l, place)) == NULL)
    return 0;
  *previous = here->prev == list ? place : here->prev;
  return 1;
}

int goacp_try_value(acp_ga_t list, acp_ga_t elem, acp_element_t *value) {
  struct list l;
  const struct goacp_link *e;
  if (!open_list(list, &l) || elem == list || (e = element(&l, elem)) == NULL)
    return 0;
  *value = (acp_element_t){elem + sizeof *e, e->n};
  return 1;
}
