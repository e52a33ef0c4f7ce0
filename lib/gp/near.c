#include "near.h"
#include "atomics.h"

#include "direct.h"
#include "lookup.h"
#include "traffic.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* An element, as read from its record. */
struct element {
  char *at; /* its address in this process */
  uint64_t size;
};

/* The places of a call, after the checks. */
struct selection {
  const struct goacp_direct *direct;
  const struct goacp_gp_array *array;
  const struct places *places;
  size_t n;                                      /* places */
  size_t row;                                    /* places that are adjacent in both buffers */
  uint64_t pointer_steps[GOACP_GP_MAX_DIMS - 1]; /* from a place to the next of a dimension, in pointers */
  uint64_t size_steps[GOACP_GP_MAX_DIMS - 1];    /* and in sizes */
  struct goacp_traffic *traffic; /* NULL if this process does not count, and before the elements are copied */
  int kind;                      /* of the count */
  struct element *elements;
  struct element few[64]; /* used if the elements are few */
};

/* Go handles calls with more places. */
enum { MOST_PLACES = 1 << 24 };

/* The array with a number, or NULL if Go has to look it up. */
static const struct goacp_gp_array *find_array(const struct goacp_gp *t, int number) {
  if (t == NULL || number <= 0 || goacp_load_relaxed(&t->direct->procs) == 0)
    return NULL;
  return goacp_look_up(&t->arrays, (uint64_t)number);
}

/* Checks the strides of an array of the program, and computes its steps. Returns whether C can handle them. */
static int find_steps(uint64_t *steps, const struct selection *s, const int *ld) {
  const struct places *p = s->places;
  uint64_t step = 1;
  int dims = (int)s->array->dims;
  if (dims > 1 && ld == NULL)
    return 0;
  for (int d = dims - 1; d > 0; d--) {
    if (ld[d - 1] <= p->hi[d] - p->lo[d])
      return 0;
    steps[d - 1] = step *= (uint64_t)ld[d - 1];
  }
  return 1;
}

/* Checks a section. Returns whether C can handle it. */
static int select_section(struct selection *s) {
  const struct goacp_gp_array *a = s->array;
  const struct places *p = s->places;
  s->n = 1;
  for (uint64_t d = 0; d < a->dims; d++) {
    if (p->lo[d] < 0 || p->hi[d] < p->lo[d] || (uint64_t)p->hi[d] >= a->dimensions[d].places)
      return 0;
    s->row = (size_t)(p->hi[d] - p->lo[d]) + 1;
    s->n *= s->row;
    if (s->n > MOST_PLACES)
      return 0;
  }
  return find_steps(s->pointer_steps, s, p->ld) && find_steps(s->size_steps, s, p->ld_size);
}

/* Checks the subscripts of a list. Returns whether C can handle it. */
static int select_list(struct selection *s) {
  const struct places *p = s->places;
  if (p->n <= 0 || p->n > MOST_PLACES || p->subscripts == NULL)
    return 0;
  s->n = s->row = (size_t)p->n;
  const int *at = p->subscripts;
  for (size_t i = 0; i < s->n; i++)
    for (uint64_t d = 0; d < s->array->dims; d++, at++)
      if (*at < 0 || (uint64_t)*at >= s->array->dimensions[d].places)
        return 0;
  return 1;
}

/* The block of a dimension that has an index. */
static uint64_t block_of(const struct goacp_gp_dimension *d, int index) {
  uint64_t block = 0, end = d->blocks; /* the first begins at 0 */
  while (end - block > 1) {
    uint64_t middle = block + (end - block) / 2;
    if (d->starts[middle] <= index)
      block = middle;
    else
      end = middle;
  }
  return block;
}

/* The position of a place: its rank, and its index there. */
struct spot {
  uint64_t rank, index;
};

/* Adds dimension d to the spot of a place, which has the earlier dimensions. Returns the first index
   of the next block. */
static int64_t descend(struct spot *s, const struct goacp_gp_dimension *d, int index) {
  uint64_t block = block_of(d, index);
  int64_t first = d->starts[block];
  int64_t end = block + 1 < d->blocks ? d->starts[block + 1] : (int64_t)d->places;
  s->rank = s->rank * d->blocks + block;
  s->index = s->index * (uint64_t)(end - first) + (uint64_t)(index - first);
  return end;
}

/* Reads n records of a rank from a spot on. Fails if a record changes, and if an element is not mapped. */
static inline int read_records(const struct selection *s, struct spot from, size_t n, struct element *e) {
  enum { TOGETHER = 64 }; /* few enough that a read finishes between two changes of a busy owner */
  const struct goacp_peer *peer = &s->direct->peers[from.rank];
  const struct goacp_gp_records *head =
      goacp_at(s->direct, s->array->records[from.rank],
               sizeof *head + (from.index + n) * sizeof(struct goacp_gp_record));
  if (head == NULL)
    return 0;
  uint64_t mapped = goacp_load_acquire(&peer->heap_len); /* before base, as goacp_at */
  uint64_t heap = goacp_heap_position(peer);
  char *base = goacp_load_acquire(&peer->base) + heap;
  uint64_t low = from.rank << GOACP_POSITION_BITS | heap;
  const struct goacp_gp_record *r = (const struct goacp_gp_record *)(head + 1) + from.index;
  while (n > 0) {
    size_t part = n < TOGETHER ? n : TOGETHER;
    int outside = 0;
    uint64_t before = goacp_load_acquire(&head->changes);
    for (size_t i = 0; i < part; i++) {
      uint64_t at = goacp_load_relaxed(&r[i].at) - low;
      uint64_t size = goacp_load_relaxed(&r[i].size);
      outside |= size != 0 && !goacp_within(at, size, 0, mapped);
      e[i] = (struct element){(char *)((uintptr_t)base + at), size};
    }
    goacp_fence_acquire();
    if (outside || before % 2 != 0 || goacp_load_relaxed(&head->changes) != before)
      return 0;
    r += part;
    e += part;
    n -= part;
  }
  return 1;
}

/* Counts the elements with bytes of n places from a spot on. */
static inline int count_elements(const struct selection *s, struct spot from, size_t n, struct element *e) {
  for (size_t i = 0; i < n; i++)
    if (e[i].size != 0)
      goacp_count_rank(s->traffic, from.rank, s->kind, GOACP_TRAFFIC_SHM, e[i].size);
  return 1;
}

/* A visitor of n places from a spot on, whose elements begin at e; returns 0 if it fails. */
typedef int visitor(const struct selection *s, struct spot from, size_t n, struct element *e);

/* Functions with a visitor are compiled for each visitor. */
#define FOR_EACH_VISITOR static inline __attribute__((always_inline))

/* The current row of a section, and the begin of its entries in both buffers. */
struct row {
  uint64_t pointer, size;
  int at[GOACP_GP_MAX_DIMS]; /* subscript of its first place */
};

static struct row first_row(const struct selection *s) {
  struct row r = {0, 0, {0}};
  if (s->places->lo != NULL)
    memcpy(r.at, s->places->lo, s->array->dims * sizeof *r.at);
  return r;
}

/* Goes to the next row; 0 after the last. A list is one row. */
static int next_row(const struct selection *s, struct row *r) {
  const struct places *p = s->places;
  if (p->lo == NULL)
    return 0;
  for (int d = (int)s->array->dims - 2; d >= 0; d--) {
    if (r->at[d] < p->hi[d]) {
      r->at[d]++;
      r->pointer += s->pointer_steps[d];
      r->size += s->size_steps[d];
      return 1;
    }
    uint64_t back = (uint64_t)(r->at[d] - p->lo[d]);
    r->at[d] = p->lo[d];
    r->pointer -= back * s->pointer_steps[d];
    r->size -= back * s->size_steps[d];
  }
  return 0;
}

/* Visits the places of a row of a section. */
FOR_EACH_VISITOR int visit_row(const struct selection *s, const struct row *r, struct element *e, visitor *visit) {
  uint64_t last = s->array->dims - 1;
  const struct goacp_gp_dimension *d = s->array->dimensions;
  struct spot before = {0, 0};
  for (uint64_t i = 0; i < last; i++)
    descend(&before, &d[i], r->at[i]);
  for (int64_t at = r->at[last], end = s->places->hi[last]; at <= end;) {
    struct spot spot = before;
    int64_t next = descend(&spot, &d[last], (int)at);
    size_t n = (size_t)((next <= end ? next : end + 1) - at);
    if (!visit(s, spot, n, e))
      return 0;
    e += n;
    at = next;
  }
  return 1;
}

/* Visits the places of a list. */
FOR_EACH_VISITOR int visit_list(const struct selection *s, visitor *visit) {
  const int *at = s->places->subscripts;
  for (size_t i = 0; i < s->n; i++, at += s->array->dims) {
    struct spot spot = {0, 0};
    for (uint64_t d = 0; d < s->array->dims; d++)
      descend(&spot, &s->array->dimensions[d], at[d]);
    if (!visit(s, spot, 1, &s->elements[i]))
      return 0;
  }
  return 1;
}

FOR_EACH_VISITOR int visit_all(const struct selection *s, visitor *visit) {
  if (s->places->lo == NULL)
    return visit_list(s, visit);
  struct row r = first_row(s);
  struct element *e = s->elements;
  do {
    if (!visit_row(s, &r, e, visit))
      return 0;
    e += s->row;
  } while (next_row(s, &r));
  return 1;
}

/* Ends the use of a selection. */
static void drop(struct selection *s) {
  if (s->elements != s->few)
    free(s->elements);
}

/* Ends the use of a selection. total is the number of bytes copied, or -1 if nothing was copied. */
static int done(struct selection *s, int kind, int total) {
  s->traffic = goacp_traffic(s->direct);
  s->kind = kind;
  if (s->traffic != NULL && total > 0)
    visit_all(s, count_elements);
  drop(s);
  return total;
}

/* Finds the elements of all places. Returns 0 in unusual cases; the caller then has nothing to
   drop. */
static int find(struct selection *s, const struct places *p) {
  const struct goacp_gp *t = goacp_gp_table();
  s->places = p;
  if ((s->array = find_array(t, p->number)) == NULL || p->pointers == NULL || p->sizes == NULL ||
      (p->lo == NULL) != (p->hi == NULL))
    return 0;
  s->direct = t->direct;
  if (!(p->lo != NULL ? select_section(s) : select_list(s)))
    return 0;
  s->elements = s->n <= sizeof s->few / sizeof *s->few ? s->few : malloc(s->n * sizeof *s->elements);
  if (s->elements == NULL)
    return 0;
  if (visit_all(s, read_records))
    return 1;
  drop(s);
  return 0;
}

/* The bytes of all elements together, or -1 if an int cannot hold them. */
static int total_of(const struct selection *s) {
  uint64_t total = 0; /* the sum of the sizes of so many mapped elements cannot overflow */
  for (size_t i = 0; i < s->n; i++)
    total += s->elements[i].size;
  return total <= INT_MAX ? (int)total : -1;
}

/* Limits each element to the size of its buffer. Returns the total number of bytes, or -1 if a buffer
   is larger than its element, or, if exact, has another size. */
static int fit(struct selection *s, int exact) {
  struct row r = first_row(s);
  struct element *e = s->elements;
  uint64_t total = 0;
  int wrong = 0;
  do {
    void **pointer = s->places->pointers + r.pointer;
    const int *size = s->places->sizes + r.size;
    for (size_t i = 0; i < s->row; i++, e++) {
      uint64_t have = e->size;
      wrong |= size[i] < 0 || (exact ? (uint64_t)size[i] != have : (uint64_t)size[i] > have);
      wrong |= size[i] != 0 && pointer[i] == NULL;
      total += e->size = (uint64_t)size[i];
    }
  } while (next_row(s, &r));
  return wrong || total > INT_MAX ? -1 : (int)total;
}

/* Copies between the elements and the buffers. */
static void copy(const struct selection *s, int put) {
  struct row r = first_row(s);
  const struct element *e = s->elements;
  do {
    void **pointer = s->places->pointers + r.pointer;
    for (size_t i = 0; i < s->row; i++, e++) {
      if (e->size == 0)
        continue;
      if (put)
        memmove(e->at, pointer[i], e->size);
      else
        memmove(pointer[i], e->at, e->size);
    }
  } while (next_row(s, &r));
}

int near_get(const struct places *p, void *buf) {
  struct selection s;
  if (!find(&s, p))
    return -1;
  int total = total_of(&s);
  if (total > 0 && buf == NULL)
    total = -1;
  if (total >= 0) {
    struct row r = first_row(&s);
    const struct element *e = s.elements;
    char *to = buf;
    do {
      void **pointer = p->pointers + r.pointer;
      int *size = p->sizes + r.size;
      for (size_t i = 0; i < s.row; i++, e++) {
        pointer[i] = to;
        size[i] = (int)e->size;
        if (e->size != 0)
          to = (char *)memmove(to, e->at, e->size) + e->size;
      }
    } while (next_row(&s, &r));
  }
  return done(&s, GOACP_TRAFFIC_GET, total);
}

int near_get_into(const struct places *p) {
  struct selection s;
  if (!find(&s, p))
    return -1;
  int total = fit(&s, 0);
  if (total >= 0)
    copy(&s, 0);
  return done(&s, GOACP_TRAFFIC_GET, total);
}

int near_put(const struct places *p, int exact) {
  struct selection s;
  if (!find(&s, p))
    return -1;
  int total = fit(&s, exact);
  if (total >= 0)
    copy(&s, 1);
  return done(&s, GOACP_TRAFFIC_PUT, total);
}
