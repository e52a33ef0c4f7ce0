// Barriers and reductions on the collective area that the members of a group share. Mirrors Barrier and
// Combine of internal/structure/collarea, except that Go parks.

#include "area.h"

#include "atomics.h"
#include "direct.h"
#include "floats.h"
#include "futex.h"
#include "lookup.h"
#include "spin.h"

#include <string.h>

// The value of a process in place of the number of remaining bytes, if other processes disagree.
#define UNEQUAL UINT64_MAX

// The part of an array that this process has still to combine, from at on.
struct part {
  char *at;
  size_t size;   // bytes of an element
  size_t n;      // elements of one operation
  uint64_t left; // bytes of all that are left
};

struct goacp_armci_area *goacp_armci_area(uint64_t group) {
  const struct goacp_armci *t = goacp_armci_table();
  if (t == NULL || goacp_load_relaxed(&t->direct->procs) == 0)
    return NULL;
  return goacp_look_up(&t->areas, group);
}

// Fills a slot with the data of this process.
static void show(struct goacp_armci_slot *p, uint32_t number, const struct part *x) {
  p->left = x->left;
  if (x->n != 0)
    memcpy(p->data, x->at, x->n * x->size);
  // Sequentially consistent: either this side sees that the other is about to park, or the other sees
  // the number.
  goacp_store_seq_cst(&p->number, number);
  if (goacp_load_seq_cst(&p->parked) != 0)
    goacp_futex_wake_all(&p->number);
}

// Waits until a slot has a number. Returns 0 or a negative number.
static int await(call_t call, const struct goacp_armci_area *b, struct goacp_armci_slot *p,
                 uint32_t number) {
  int there = 0;
  GOACP_AWAIT(b->load, there = goacp_load_acquire(&p->number) == number);
  return there ? 0 : goacp_armci_await(call, b->group, p, number);
}

// Executes one operation. Returns 0 or a negative number.
static int operate(call_t call, struct goacp_armci_area *b, struct part x, goacp_armci_combine_t *f) {
  uint32_t number = (uint32_t)++b->count, parity = number % 2;
  for (uint64_t i = 0; i < b->used; i++) {
    const struct goacp_armci_step *s = &b->steps[i];
    if (s->mine != NULL)
      show(&s->mine[parity], number, &x);
    struct goacp_armci_slot *theirs = &s->theirs[parity];
    int failed = await(call, b, theirs, number);
    if (failed != 0)
      return failed;
    if (theirs->left != x.left) {
      x.left = UNEQUAL;
      x.n = 0;
    }
    if (x.n != 0 && s->first)
      f(x.at, x.at, theirs->data, x.n);
    else if (x.n != 0)
      f(x.at, theirs->data, x.at, x.n);
  }
  return x.left == UNEQUAL ? goacp_armci_unequal(call) : 0;
}

int goacp_armci_meet(call_t call, struct goacp_armci_area *b) {
  return operate(call, b, (struct part){NULL, 0, 0, 0}, NULL);
}

int goacp_armci_combine(call_t call, struct goacp_armci_area *b, void *x, size_t n, size_t size,
                        const struct goacp_armci_combiner *f) {
  GOACP_HOLD_FLOATS;
  if (f->prepare != NULL)
    f->prepare(x, n);
  while (n > 0) {
    size_t once = GOACP_ARMCI_SLOT_BYTES / size;
    if (once > n)
      once = n;
    int failed = operate(call, b, (struct part){x, size, once, n * size}, f->combine);
    if (failed != 0)
      return failed;
    x = (char *)x + once * size;
    n -= once;
  }
  return 0;
}
