#include "spans.h"
#include "metadata.h"
#include "lock.h"
#include "rules.h"
#include "bins.h"

pthread_mutex_t spans_lock = PTHREAD_MUTEX_INITIALIZER;
struct span **span_of_unit;
uint8_t *class_of_unit;

// Free spans keep pages for this many units, or for an eighth of the units in use if that is more. So a program that
// frees and allocates blocks of some MiB in turns needs no new pages.
#define KEPT (((size_t)16 << 20) >> UNIT_SHIFT)

static struct bins dirty, clean;
static struct span *spare; // records of freed spans
static size_t used;       // units
static int locked_memory; // the kernel refuses to take pages back

// record returns a record of a span, NULL if there is no memory.
static struct span *record(size_t start, size_t units, enum state state) {
  struct span *span = spare;
  if (span != NULL)
    spare = span->next;
  else if ((span = metadata_take(sizeof *span)) == NULL)
    return NULL;
  *span = (struct span){start, units, state, NULL, NULL, NULL};
  return span;
}

static void forget(struct span *span) {
  span->next = spare;
  spare = span;
}

static void mark(struct span *span) {
  span_of_unit[span->start] = span_of_unit[span->start + span->units - 1] = span;
}

static struct bins *bins_of(const struct span *span) { return span->state == DIRTY ? &dirty : &clean; }

struct span *spans_next(struct span *span) {
  size_t next = span == NULL ? 0 : span->start + span->units;
  return next < memory.size >> UNIT_SHIFT ? span_of_unit[next] : NULL;
}

static struct span *previous_of(struct span *span) { return span->start == 0 ? NULL : span_of_unit[span->start - 1]; }

// enter_bin joins a free span with its neighbours and puts it into its bin.
static void enter_bin(struct span *span) {
  struct span *before = previous_of(span), *behind = spans_next(span);
  if (before != NULL && before->state == span->state) {
    bins_remove(bins_of(before), before);
    span->start = before->start;
    span->units += before->units;
    forget(before);
  }
  if (behind != NULL && behind->state == span->state) {
    bins_remove(bins_of(behind), behind);
    span->units += behind->units;
    forget(behind);
  }
  mark(span);
  bins_put(bins_of(span), span);
}

// drop_pages returns pages of free spans to the kernel until at most this many units have pages.
static void drop_pages(size_t units) {
  while (dirty.units > units && !locked_memory) {
    struct span *span = bins_longest(&dirty);
    if (memory_drop(span->start << UNIT_SHIFT, span->units << UNIT_SHIFT) != 0) {
      locked_memory = 1;
      return;
    }
    bins_remove(&dirty, span);
    span->state = CLEAN;
    enter_bin(span);
  }
}

// tables makes the tables for this many units. They exist before the memory is visible.
static int tables(size_t units) {
  if (class_of_unit == NULL)
    class_of_unit = metadata_table(units);
  if (span_of_unit == NULL)
    span_of_unit = metadata_table(units * sizeof *span_of_unit);
  return class_of_unit != NULL && span_of_unit != NULL ? 0 : -1;
}

static int begin(void) {
  if (memory.size != 0)
    return 0;
  size_t size = memory_target_size(), units = size >> UNIT_SHIFT;
  if (size == 0 || tables(units) != 0)
    return -1;
  struct span *all = record(0, units, CLEAN);
  if (all == NULL || memory_make(size) != 0)
    return -1;
  mark(all);
  bins_put(&clean, all);
  return 0;
}

int spans_begin(void) {
  static int failed; // the system gives no pool
  lock(&spans_lock);
  if (!failed && begin() != 0) {
    failed = 1;
    rules_off();
  }
  int status = failed ? -1 : 0;
  unlock(&spans_lock);
  return status;
}

// cut makes units at the end of a free or new span a free span of their own. Returns 0, or -1 without memory.
static int cut(struct span *span, size_t units, enum state state) {
  if (units == 0)
    return 0;
  struct span *rest = record(span->start + span->units - units, units, state);
  if (rest == NULL)
    return -1;
  span->units -= units;
  mark(span);
  enter_bin(rest);
  return 0;
}

// skip is the number of units before the first multiple of alignment.
static size_t skip(const struct span *span, size_t alignment) {
  size_t at = ((uintptr_t)memory.base >> UNIT_SHIFT) + span->start;
  return -at & (alignment - 1);
}

// take makes the units of a free span that are wanted a span in use.
static struct span *take(struct span *found, size_t units, size_t alignment) {
  bins_remove(bins_of(found), found);
  enum state state = found->state;
  found->state = USED;
  size_t before = skip(found, alignment);
  struct span *span = found;
  if (before != 0) {
    span = record(found->start + before, found->units - before, USED);
    if (span == NULL) {
      found->state = state;
      bins_put(bins_of(found), found);
      return NULL;
    }
    found->units = before;
    mark(span);
    found->state = state;
    enter_bin(found);
  }
  if (cut(span, span->units - units, state) != 0)
    units = span->units; // without memory for another record the span keeps its length
  span->slab = NULL;
  mark(span);
  used += span->units;
  return span;
}

// find finds a free span, preferably with pages.
static struct span *find(size_t units) {
  struct span *span = bins_find(&dirty, units);
  return span != NULL ? span : bins_find(&clean, units);
}

struct span *spans_take(size_t units, size_t alignment, int *zero) {
  if (units > MOST_MEMORY >> UNIT_SHIFT || alignment > MOST_MEMORY >> UNIT_SHIFT)
    return NULL;
  lock(&spans_lock);
  size_t enough = units + alignment - 1;
  struct span *span = find(enough);
  if (span == NULL) {
    drop_pages(0); // joins free spans with and without pages
    span = find(enough);
  }
  if (span != NULL) {
    if (zero != NULL)
      *zero = span->state == CLEAN;
    span = take(span, units, alignment);
  }
  unlock(&spans_lock);
  return span;
}

// give puts a span that is no longer in use into its bin.
static void give(struct span *span) {
  used -= span->units;
  span->state = DIRTY;
  enter_bin(span);
  size_t kept = used / 8 > KEPT ? used / 8 : KEPT;
  if (dirty.units > kept)
    drop_pages(kept / 2);
}

void spans_give(struct span *span) {
  lock(&spans_lock);
  give(span);
  unlock(&spans_lock);
}

// lengthen takes units from the free span after a span.
static int lengthen(struct span *span, size_t more) {
  struct span *behind = spans_next(span);
  if (behind == NULL || behind->state == USED || behind->units < more)
    return -1;
  bins_remove(bins_of(behind), behind);
  span->units += more;
  used += more;
  mark(span);
  behind->start += more;
  behind->units -= more;
  if (behind->units == 0) {
    forget(behind);
  } else {
    mark(behind);
    bins_put(bins_of(behind), behind);
  }
  return 0;
}

// shorten frees units at the end of a span.
static int shorten(struct span *span, size_t less) {
  struct span *rest = record(span->start + span->units - less, less, USED);
  if (rest == NULL)
    return -1;
  span->units -= less;
  mark(span);
  give(rest);
  return 0;
}

int spans_resize(struct span *span, size_t units) {
  int status = 0;
  lock(&spans_lock);
  if (units > span->units)
    status = lengthen(span, units - span->units);
  else if (units < span->units)
    status = shorten(span, span->units - units);
  unlock(&spans_lock);
  return status;
}
